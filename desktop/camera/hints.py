"""Analyses a frame and chooses the one hint to show.

The decision is the service's; this only keeps an empty chair or a blurred turn of the head from being sent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from desktop.camera.face_finder import find_faces
from desktop.camera.sources import Frame
from shared.images.cv import cv2

# The finder looks at a picture of this width (px): enough to see a face that is large enough to be sent.
_LOOK_WIDTH = 160
# A face too far away for that is searched for in a larger picture, to give the hint to come closer.
_FAR_WIDTH = 240
_FAR_LARGEST = 46
_SMALLEST = 26
_FACE_WIDTH = 96

# Fractions of the frame's width; a face box of the cascade spans about from ear to ear.
_NEAR_ENOUGH = 0.20
_TOO_NEAR = 0.62
_OFF_CENTRE = 0.20
# Grey levels 0..255 of the face.
_DARK, _BRIGHT = 50.0, 215.0
# Variance of the Laplacian of the face at 96 px; a face that moves fast has a few tens.
_BLURRED = 60.0
# How unlike the cheeks the mouth's region looks, in CIE Lab as the service measures it: up to 10 without a
# mask, 13 to 60 with one, on public test pictures.
_COVERED = 14.0
_WARMER = 25.0


class Hint(StrEnum):
    """The hints to show, one at a time."""

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
    """What one frame shows: the largest face, the hint, and how sharp it is (higher is sharper)."""

    hint: Hint
    face: Face | None
    sharpness: float

    @property
    def is_good(self) -> bool:
        """Whether the frame needs no hint."""
        return self.hint is Hint.GOOD


def faces_in(frame: Frame, previous: Face | None = None) -> list[Face]:
    """The faces in `frame`, the largest first; faces narrower than a sixth of it are not found.

    `previous`: the face of the frame before, which helps to find it again.
    """
    return _faces(frame, _LOOK_WIDTH, previous)


def far_faces_in(frame: Frame) -> list[Face]:
    """The faces in `frame` that are a ninth to a sixth as wide as it, the largest first; takes twice as long
    as `faces_in`.
    """
    return _faces(frame, _FAR_WIDTH, None, _FAR_LARGEST)


def _faces(frame: Frame, width: int, previous: Face | None, largest: int | None = None) -> list[Face]:
    height = max(1, round(frame.shape[0] * width / frame.shape[1]))
    small = cv2.resize(frame, (width, height), interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    before = None
    if previous is not None:
        before = (round(previous.x * width), round(previous.y * height), round(previous.w * width))
    return [
        Face(x / width, y / height, side / width, side / height)
        for x, y, side in find_faces(grey, _SMALLEST, before, largest)
    ]


def analyse_frame(frame: Frame, faces: Sequence[Face]) -> FrameAnalysis:
    """Judge `frame` with the `faces` found in it, the largest first."""
    if not faces:
        return FrameAnalysis(Hint.NO_FACE, None, 0.0)
    face = faces[0]
    picture = _face_picture(frame, face)
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    sharpness = float(cv2.Laplacian(grey, cv2.CV_64F).var())
    hint = _hint(face, faces, float(np.mean(grey)), sharpness)
    if hint is Hint.GOOD and _cover(picture) > _COVERED:
        hint = Hint.COVERED
    return FrameAnalysis(hint, face, sharpness)


def _hint(face: Face, faces: Sequence[Face], brightness: float, sharpness: float) -> Hint:
    # A much smaller face in the background does not count as a second person.
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


def _cover(picture: Frame) -> float:
    """How much the region around the mouth looks like cloth beside the cheeks, CIE Lab.

    Greyer, greener, bluer or lighter than skin; lips and lamps are redder and yellower.
    """
    lab = cv2.cvtColor(picture.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
    cheeks = np.concatenate((lab[42:54, 16:34].reshape(-1, 3), lab[42:54, 62:80].reshape(-1, 3)))
    mouth = lab[68:92, 32:64].reshape(-1, 3)
    lighter, redder, yellower = (np.median(mouth, axis=0) - np.median(cheeks, axis=0)).tolist()
    red, yellow = (max(-warmer, warmer - _WARMER, 0.0) for warmer in (redder, yellower))
    return math.hypot(0.5 * max(lighter, 0.0), red, yellow)


def _face_picture(frame: Frame, face: Face) -> Frame:
    """The face alone at `_FACE_WIDTH` px."""
    height, width = frame.shape[:2]
    left, top = max(0, int(face.x * width)), max(0, int(face.y * height))
    right = min(width, int((face.x + face.w) * width))
    bottom = min(height, int((face.y + face.h) * height))
    crop = frame[top : max(bottom, top + 1), left : max(right, left + 1)]
    small: Frame = cv2.resize(crop, (_FACE_WIDTH, _FACE_WIDTH), interpolation=cv2.INTER_AREA)
    return small
