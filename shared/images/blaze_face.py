"""Finds large faces with MediaPipe's detector, and merges what a detector finds of one face."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shared.images.cv import cv2
from shared.images.face_models import DETECTOR, MeshMissingError, find_model

Pixels = NDArray[np.uint8]
Rows = NDArray[np.float32]

# Boxes that share more of their common area show one face.
OVERLAP = 0.3
# The side of the square that BlazeFace sees, px, and its cells: their width in px and the boxes in each.
SIDE = 128
CELLS = ((8, 2), (16, 6))
# Of 190 photos of objects one has a pattern that reaches it, with 0.78. The least of 114 press photos of
# people has 0.83, and people who turn their head fall below that.
SURE = 0.75


def merge_boxes(rows: Rows) -> Iterator[Rows]:
    """Average those of a detector's `rows` (n, 15: x, y, width, height, five points, score) that show one
    face, by their scores. Gives a row (15,) for each face, the surest first, with its best score.

    About eight of YuNet's cells find a face, each a little elsewhere. The best one alone jumps: on a film of
    a still face its nose moves by 0.13 distances of the eyes, the average by 0.013.
    """
    rows = rows[np.argsort(-rows[:, 14])]
    while len(rows):
        near, far = np.maximum(rows[0, :2], rows[:, :2]), rows[:, :2] + rows[:, 2:4]
        shared = np.prod(np.maximum(np.minimum(far[0], far) - near, 0), axis=1)
        areas = np.prod(rows[:, 2:4], axis=1)
        is_same = shared > OVERLAP * (areas[0] + areas - shared)
        merged = np.average(rows[is_same], axis=0, weights=rows[is_same, 14])
        merged[14] = rows[0, 14]
        yield merged
        rows = rows[~is_same]


def load_blaze_face() -> BlazeFace | None:
    """Load `BlazeFace`; None if its package is not installed."""
    try:
        return BlazeFace(find_model(DETECTOR))
    except MeshMissingError:
        return None


class BlazeFace:
    """The detector for faces at an arm's length (Bazarevsky et al., 2019) that comes with the face mesh. Not
    safe for several threads at once.
    """

    def __init__(self, file: Path) -> None:
        self._net = cv2.dnn.readNetFromTFLite(np.frombuffer(file.read_bytes(), np.uint8))
        self._middles = np.concatenate([_middles(*cell) for cell in CELLS])

    def find(self, image: Pixels) -> Iterator[Rows]:
        """Find the faces in a BGR uint8 picture that are a sixth of its longer side or larger.

        Gives a row for each (`merge_boxes`) in px; the points are the eyes, the left one in an upright
        picture first, the nose, the mouth and an ear.
        """
        blob = cv2.dnn.blobFromImage(_to_square(image), 1 / 127.5, mean=(127.5,) * 3, swapRB=True)
        self._net.setInput(blob)
        logits = self._net.forward("classificators").reshape(-1)
        boxes = self._net.forward("regressors").reshape(-1, 16)
        scores = 1 / (1 + np.exp(-np.clip(logits, -50, 50)))
        is_sure = scores >= SURE
        rows = np.empty((int(is_sure.sum()), 15), np.float32)
        rows[:, :2] = boxes[is_sure, :2] + self._middles[is_sure] - boxes[is_sure, 2:4] / 2
        rows[:, 2:4] = boxes[is_sure, 2:4]
        rows[:, 4:14] = boxes[is_sure, 4:14] + np.tile(self._middles[is_sure], 5)
        rows[:, :14] *= max(image.shape[:2]) / SIDE
        rows[:, 14] = scores[is_sure]
        return merge_boxes(rows)


def _middles(px: int, boxes: int) -> NDArray[np.float32]:
    """The middles (n, 2) of all cells of this width, in px of the square, once for each of their boxes."""
    places = (np.arange(SIDE // px, dtype=np.float32) + 0.5) * px
    return np.repeat(np.stack(np.meshgrid(places, places), axis=-1).reshape(-1, 2), boxes, axis=0)


def _to_square(image: Pixels) -> Pixels:
    """The `image` with `SIDE` as its longer side, and black below or beside it."""
    scale = SIDE / max(image.shape[:2])
    height, width = (max(round(scale * side), 1) for side in image.shape[:2])
    square = np.zeros((SIDE, SIDE, 3), np.uint8)
    interpolation = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    square[:height, :width] = cv2.resize(image, (width, height), interpolation=interpolation)
    return square
