"""Tracks the texture of a face through a sequence of grey frames.

Every frame is first brought back to the place of the reference by the similarity found for the frame before,
so that what is left between both is small; then points of the reference are found in it with pyramidal
Lucas-Kanade, and back again as a check. Points never drift: each frame is compared with the reference
itself, and only what has changed too much for that is followed from the frame before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shared.images.cv import cv2
from shared.images.similarity import similarity

Pixels = NDArray[np.uint8]
Points = NDArray[np.float32]

EYE_DISTANCE = 56.0
"""Px between the eyes of the reference, after it is brought to this size."""
SIDE = (224, 256)
"""Width and height of the reference, px; the eyes lie `EYES_AT` from its corner."""
EYES_AT = (112.0, 92.0)
MOST_POINTS = 320
_WINDOW = (17, 17)
# A point that is not found back within this many px was not found.
_RETURN_PX = 0.7
_CRITERIA = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 12, 0.02)


@dataclass(frozen=True, slots=True, eq=False)
class Tracks:
    """Where points of the face are in every frame.

    `places` (n, 2) float32: in the reference, in distances of the eyes from their middle, x to the right and
    y down. `moved` (frames, n, 2) float32: in each frame, in the same unit, after its similarity is undone;
    NaN where a point was not found. `scale` (frames,): the size of the face against the reference; `shift`
    (frames, 2): where the middle of the eyes went, in distances of the eyes; `roll` (frames,) degrees.
    `patches`: the frames themselves, brought to the reference (frames, height, width) uint8.
    """

    places: Points
    moved: Points
    scale: NDArray[np.float64]
    shift: NDArray[np.float64]
    roll: NDArray[np.float64]
    patches: NDArray[np.uint8]

    @property
    def found_share(self) -> NDArray[np.float64]:
        """The part of the points that each frame has (frames,)."""
        return np.asarray(np.isfinite(self.moved[:, :, 0]).sum(axis=1) / max(len(self.places), 1))


def track(greys: Sequence[Pixels], eyes: Points) -> Tracks:
    """Track the face whose eye centres in the first frame are `eyes` (2, 2) px through `greys` (height,
    width).
    """
    width, height = SIDE
    half = EYE_DISTANCE / 2
    target = np.array(((EYES_AT[0] - half, EYES_AT[1]), (EYES_AT[0] + half, EYES_AT[1])))
    to_reference = similarity(eyes, target)
    reference = _brought(greys[0], to_reference)
    points = _texture(reference)
    count = len(points)
    moved = np.full((len(greys), count, 2), np.nan, np.float32)
    scale, roll = np.ones(len(greys)), np.zeros(len(greys))
    shift = np.zeros((len(greys), 2))
    patches = np.zeros((len(greys), height, width), np.uint8)
    patches[0] = reference
    if count == 0:
        return Tracks(_in_eyes(points), moved, scale, shift, roll, patches)
    moved[0] = _in_eyes(points)
    first, latest = _complex(to_reference), points.copy()
    previous = reference
    start = _in_frame(to_reference)
    for index, grey in enumerate(greys[1:], 1):
        # Twice: the second time from where the first one found the face.
        for _ in range(2):
            patch = _brought(grey, to_reference)
            positions, good = _followed_back(reference, patch, points, latest)
            lost = ~good
            if lost.any():
                again, also = _followed_back(previous, patch, latest[lost], latest[lost])
                positions[lost], good[lost] = again, also
            if good.sum() < 12:
                break
            step = _steady(positions[good], points[good])
            to_reference = _joined(step, to_reference)
            latest = np.where(good[:, None], cv2.transform(positions[None], step)[0], latest).astype(
                np.float32
            )
        if good.sum() >= 12:
            moved[index, good] = _in_eyes(latest[good])
            patch = _brought(grey, to_reference)
            previous = patch
        patches[index] = patch
        factor = first / _complex(to_reference)
        scale[index], roll[index] = abs(factor), np.degrees(np.angle(factor))
        shift[index] = (_in_frame(to_reference) - start) / np.hypot(*(eyes[1] - eyes[0]))
    return Tracks(_in_eyes(points), moved, scale, shift, roll, patches)


def _texture(reference: Pixels) -> Points:
    """Points of the reference with texture, inside the face, at most `MOST_POINTS` (n, 2) px."""
    mask = np.zeros_like(reference)
    middle = (round(EYES_AT[0]), round(EYES_AT[1] + 0.45 * EYE_DISTANCE))
    cv2.ellipse(mask, middle, (round(1.1 * EYE_DISTANCE), round(1.4 * EYE_DISTANCE)), 0, 0, 360, 255, -1)
    # Of every cell the best: skin has little texture, and hair must not take all the places.
    strength = cv2.cornerMinEigenVal(reference, 7)
    strength[mask == 0] = 0
    cell = 7
    chosen = []
    for y in range(0, reference.shape[0] - cell, cell):
        for x in range(0, reference.shape[1] - cell, cell):
            block = strength[y : y + cell, x : x + cell]
            best = int(block.argmax())
            if block.flat[best] > 0:
                chosen.append((float(block.flat[best]), x + best % cell, y + best // cell))
    if not chosen:
        return np.zeros((0, 2), np.float32)
    chosen.sort(reverse=True)
    return np.array([(x, y) for _, x, y in chosen[:MOST_POINTS]], np.float32)


def _followed_back(
    source: Pixels, target: Pixels, points: Points, guess: Points
) -> tuple[Points, NDArray[np.bool_]]:
    """Where `points` of `source` are in `target`, and which of them are found there and back."""
    positions, ok, _ = _followed(source, target, points, guess)
    back, fine, _ = _followed(target, source, positions[:, 0], points)
    near = np.hypot(*(back[:, 0] - points).T) < _RETURN_PX
    return positions[:, 0], near & (ok[:, 0] == 1) & (fine[:, 0] == 1)


def _followed(source: Pixels, target: Pixels, points: Points, guess: Points) -> tuple[Any, Any, Any]:
    return cv2.calcOpticalFlowPyrLK(
        source,
        target,
        points[:, None],
        guess[:, None].copy(),
        winSize=_WINDOW,
        maxLevel=2,
        criteria=_CRITERIA,
        flags=cv2.OPTFLOW_USE_INITIAL_FLOW,
    )


def _steady(source: Points, target: Points) -> NDArray[np.float64]:
    """The similarity (2, 3) that brings most of `source` to `target` (n, 2), without those far off."""
    step = similarity(source, target)
    for _ in range(2):
        off = np.hypot(*(cv2.transform(source[None], step)[0] - target).T)
        near = off <= max(2 * float(np.median(off)), 0.3)
        step = similarity(source[near], target[near])
    return step


def _brought(grey: Pixels, matrix: NDArray[np.float64]) -> Pixels:
    brought: Pixels = cv2.warpAffine(
        grey, matrix, SIDE, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return brought


def _joined(after: NDArray[np.float64], before: NDArray[np.float64]) -> NDArray[np.float64]:
    row = np.array(((0.0, 0.0, 1.0),))
    return np.asarray((np.vstack((after, row)) @ np.vstack((before, row)))[:2])


def _in_eyes(points: Points) -> Points:
    return ((points - np.array(EYES_AT, np.float32)) / np.float32(EYE_DISTANCE)).astype(np.float32)


def _in_frame(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where the middle of the eyes of the reference lies in the frame, px."""
    return np.asarray(cv2.transform(np.array([[EYES_AT]]), cv2.invertAffineTransform(matrix))[0, 0])


def _complex(matrix: NDArray[np.float64]) -> complex:
    return complex(matrix[0, 0], matrix[1, 0])
