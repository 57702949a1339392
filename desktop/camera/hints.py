"""What a frame shows, and the one thing to say about it. A help for the person, never the decision.

The decision is the service's; this only keeps an empty chair or a blurred turn of the head from being sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from desktop.camera.finder import find_faces
from desktop.camera.sources import Frame
from shared.cv import cv2

# The finder looks at a picture of this width (px): enough to see a face that is large enough to be sent.
_LOOK_WIDTH = 160
_FACE_WIDTH = 96

# Fractions of the frame's width; a face box of the cascade spans about from ear to ear.
_NEAR_ENOUGH = 0.20
_TOO_NEAR = 0.62
_OFF_CENTRE = 0.20
# Grey levels 0..255 of the face.
_DARK, _BRIGHT = 50.0, 215.0
# Variance of the Laplacian of the face at 96 px; a face that moves fast has a few tens.
_BLURRED = 60.0


class Hint(StrEnum):
    """What the person is told, one at a time."""

    NO_FACE = "no_face"
    SEVERAL = "several"
    CLOSER = "closer"
    FARTHER = "farther"
    CENTRE = "centre"
    DARK = "dark"
    BRIGHT = "bright"
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
class Look:
    """What one frame shows: the largest face, the hint, and how sharp it is (higher is sharper)."""

    hint: Hint
    face: Face | None
    sharpness: float


def faces_in(frame: Frame) -> list[Face]:
    """The faces in `frame`, the largest first; faces narrower than a sixth of it are not found."""
    height = max(1, round(frame.shape[0] * _LOOK_WIDTH / frame.shape[1]))
    small = cv2.resize(frame, (_LOOK_WIDTH, height), interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    return [
        Face(x / _LOOK_WIDTH, y / height, side / _LOOK_WIDTH, side / height)
        for x, y, side in find_faces(grey, _LOOK_WIDTH // 6)
    ]


def look_at(frame: Frame, faces: Sequence[Face]) -> Look:
    """Judge `frame` with the `faces` found in it, the largest first."""
    if not faces:
        return Look(Hint.NO_FACE, None, 0.0)
    face = faces[0]
    grey = _face_grey(frame, face)
    sharpness = float(cv2.Laplacian(grey, cv2.CV_64F).var())
    return Look(_hint(face, faces, float(np.mean(grey)), sharpness), face, sharpness)


def _hint(face: Face, faces: Sequence[Face], brightness: float, sharpness: float) -> Hint:
    # A much smaller face in the background is no second person at the desk.
    if len(faces) > 1 and faces[1].w > 0.6 * face.w:
        return Hint.SEVERAL
    if brightness < _DARK:
        return Hint.DARK
    if brightness > _BRIGHT:
        return Hint.BRIGHT
    if face.w < _NEAR_ENOUGH:
        return Hint.CLOSER
    if face.w > _TOO_NEAR:
        return Hint.FARTHER
    if abs(face.x + face.w / 2 - 0.5) > _OFF_CENTRE or abs(face.y + face.h / 2 - 0.5) > _OFF_CENTRE:
        return Hint.CENTRE
    if sharpness < _BLURRED:
        return Hint.STILL
    return Hint.GOOD


def _face_grey(frame: Frame, face: Face) -> Frame:
    height, width = frame.shape[:2]
    left, top = max(0, int(face.x * width)), max(0, int(face.y * height))
    right = min(width, int((face.x + face.w) * width))
    bottom = min(height, int((face.y + face.h) * height))
    crop = frame[top : max(bottom, top + 1), left : max(right, left + 1)]
    small = cv2.resize(crop, (_FACE_WIDTH, _FACE_WIDTH), interpolation=cv2.INTER_AREA)
    return cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)  # type: ignore[no-any-return]
