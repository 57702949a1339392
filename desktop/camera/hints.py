"""Analyses a frame and chooses the hint to show.

The service decides about a login. These checks only avoid sending frames without a face or with a blurred
one.
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

# Width (px) of the searched picture, which is enough to find faces that are large enough to be sent.
_SEARCH_WIDTH = 160
# Smaller faces are searched in a larger picture, to give the hint to come closer.
_DISTANT_SEARCH_WIDTH = 240
_DISTANT_MAX_SIDE = 46
_MIN_SIDE = 26
_FACE_WIDTH = 96

# Fractions of the frame's width. A face box of the cascade reaches about from ear to ear.
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


def find_near_faces(frame: Frame, previous: Face | None = None) -> list[Face]:
    """Find faces with at least a sixth of the width of `frame`, largest first.

    `previous` is the face of the previous frame, which helps to find it again.
    """
    return _faces(frame, _SEARCH_WIDTH, previous)


def find_distant_faces(frame: Frame) -> list[Face]:
    """Find faces with a ninth to a sixth of the width of `frame`, largest first.

    This takes twice as long as `find_near_faces`.
    """
    return _faces(frame, _DISTANT_SEARCH_WIDTH, None, _DISTANT_MAX_SIDE)


def _faces(frame: Frame, width: int, previous: Face | None, largest: int | None = None) -> list[Face]:
    height = max(1, round(frame.shape[0] * width / frame.shape[1]))
    small = cv2.resize(frame, (width, height), interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    previous_square = None
    if previous is not None:
        previous_square = (round(previous.x * width), round(previous.y * height), round(previous.w * width))
    return [
        Face(x / width, y / height, side / width, side / height)
        for x, y, side in find_faces(grey, _MIN_SIDE, previous_square, largest)
    ]


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
