"""Analyses a frame and chooses the hint to show.

The service decides about a login. These checks only avoid sending frames without a face or with a blurred
one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from desktop.camera.sources import Frame
from shared.images.blaze_face import load_blaze_face
from shared.images.cv import cv2

# The square of a face, from ear to ear, in distances of its eyes: how far below them its middle is, and its
# side.
_BELOW, _SIDE = 0.3, 2.6
_FACE_WIDTH = 96

# Fractions of the frame's width.
_MIN_WIDTH = 0.20
_MAX_WIDTH = 0.62
_MAX_OFFSET = 0.20
# Grey levels 0..255 of the face.
_DARK, _BRIGHT = 50.0, 215.0
# Mean difference of the channels of the face, as in the service: 26 and more of people, 0 of a grey camera.
_GREY = 6.0
# Variance of the Laplacian of the face at 96 px. That of a fast moving face is below 50.
_MIN_SHARPNESS = 60.0
# Difference between the regions of mouth and cheeks in CIE Lab, measured as in the service: up to 10 without
# a mask, 13 to 60 with one, on public test pictures.
_MAX_COVER = 14.0
_MAX_WARMTH = 25.0


Points = NDArray[Any]


class Hint(StrEnum):
    """The hints to show, one at a time."""

    NO_DETECTOR = "no_detector"
    NO_FACE = "no_face"
    SEVERAL = "several"
    CLOSER = "closer"
    FARTHER = "farther"
    CENTRE = "centre"
    DARK = "dark"
    BRIGHT = "bright"
    COVERED = "covered"
    STILL = "still"
    GOOD = "good"


@dataclass(frozen=True, slots=True)
class Face:
    """A face box as fractions (0..1) of the frame."""

    x: float
    y: float
    w: float
    h: float


@dataclass(frozen=True, slots=True)
class FrameAnalysis:
    """The largest face of a frame, the hint, the sharpness of the face (higher is sharper), and whether the
    face has no colour.
    """

    hint: Hint
    face: Face | None
    sharpness: float
    is_grey: bool = False

    @property
    def is_good(self) -> bool:
        """Whether the frame needs no hint."""
        return self.hint is Hint.GOOD


class FaceFinder:
    """Finds faces in frames. For one thread; without the package of the detector it finds none."""

    def __init__(self) -> None:
        self._detector = load_blaze_face()

    @property
    def is_ready(self) -> bool:
        """Whether the package is installed."""
        return self._detector is not None

    def find(self, frame: Frame) -> list[Face]:
        """Find faces with at least a sixth of the width of `frame`, and smaller ones in its middle, largest
        first. Takes about 10 ms, and twice that for a frame without near faces.
        """
        height, width = frame.shape[:2]
        faces = self._find_in(frame, 0, 0)
        if not faces:
            # Twice as large, so that a face from which the person must come closer is found too.
            x, y = width // 4, height // 4
            faces = self._find_in(frame[y : height - y, x : width - x], x, y)
        squares = [Face(x / width, y / height, side / width, side / height) for x, y, side in faces]
        return sorted(squares, key=lambda face: -face.w)

    def _find_in(self, part: Frame, x: int, y: int) -> list[tuple[float, float, float]]:
        """Left, top and side of the squares of faces in px of the frame; `x`, `y`: where `part` begins."""
        if self._detector is None or not part.size:
            return []
        corner = np.array((x, y))
        eyes = [row[4:8].reshape(2, 2) + corner for row in self._detector.find(part)]
        return [_square_around(*each) for each in eyes]


def _square_around(right_eye: Points, left_eye: Points) -> tuple[float, float, float]:
    across, down = (float(value) for value in left_eye - right_eye)
    x, y = (float(value) for value in (left_eye + right_eye) / 2)
    side = _SIDE * math.hypot(across, down)
    return x - _BELOW * down - side / 2, y + _BELOW * across - side / 2, side


def analyse_frame(frame: Frame, faces: Sequence[Face]) -> FrameAnalysis:
    """Choose the hint for `frame` with its `faces`, the largest first."""
    if not faces:
        return FrameAnalysis(Hint.NO_FACE, None, 0.0)
    face = faces[0]
    picture = _face_picture(frame, face)
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    sharpness = float(cv2.Laplacian(grey, cv2.CV_64F).var())
    hint = _choose_hint(face, faces, float(np.mean(grey)), sharpness)
    if hint is Hint.GOOD and _cover_score(picture) > _MAX_COVER:
        hint = Hint.COVERED
    colour = float((picture.max(axis=2).astype(int) - picture.min(axis=2)).mean())
    return FrameAnalysis(hint, face, sharpness, colour < _GREY)


def _choose_hint(face: Face, faces: Sequence[Face], brightness: float, sharpness: float) -> Hint:
    # A much smaller face in the background does not count as a second person.
    if len(faces) > 1 and faces[1].w > 0.6 * face.w:
        return Hint.SEVERAL
    if brightness < _DARK:
        return Hint.DARK
    if brightness > _BRIGHT:
        return Hint.BRIGHT
    if face.w < _MIN_WIDTH:
        return Hint.CLOSER
    if face.w > _MAX_WIDTH:
        return Hint.FARTHER
    if abs(face.x + face.w / 2 - 0.5) > _MAX_OFFSET or abs(face.y + face.h / 2 - 0.5) > _MAX_OFFSET:
        return Hint.CENTRE
    if sharpness < _MIN_SHARPNESS:
        return Hint.STILL
    return Hint.GOOD


def _cover_score(picture: Frame) -> float:
    """The difference between mouth and cheeks in CIE Lab that a mask would cause.

    Cloth is greyer, greener, bluer or lighter than skin. Lips and lamps are redder and yellower, which does
    not count up to a limit.
    """
    lab = cv2.cvtColor(picture.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
    cheeks = np.concatenate((lab[42:54, 16:34].reshape(-1, 3), lab[42:54, 62:80].reshape(-1, 3)))
    mouth = lab[68:92, 32:64].reshape(-1, 3)
    lighter, redder, yellower = (np.median(mouth, axis=0) - np.median(cheeks, axis=0)).tolist()
    red, yellow = (max(-warmer, warmer - _MAX_WARMTH, 0.0) for warmer in (redder, yellower))
    return math.hypot(0.5 * max(lighter, 0.0), red, yellow)


def _face_picture(frame: Frame, face: Face) -> Frame:
    """Crop the face and scale it to `_FACE_WIDTH` px."""
    height, width = frame.shape[:2]
    left, top = max(0, int(face.x * width)), max(0, int(face.y * height))
    right = min(width, int((face.x + face.w) * width))
    bottom = min(height, int((face.y + face.h) * height))
    crop = frame[top : max(bottom, top + 1), left : max(right, left + 1)]
    small: Frame = cv2.resize(crop, (_FACE_WIDTH, _FACE_WIDTH), interpolation=cv2.INTER_AREA)
    return small
