"""Measures how good a picture of a face is: light, sharpness, pose, covered mouth. Pure measuring."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.face.engines.picture import Pixels
from shared.images.cv import cv2

# Sharpness is measured on a face of at most this height, so that it does not depend on the resolution.
SHARP_HEIGHT = 160
# The upright face that light and cover are measured on, px: eyes at a third, 60 px apart.
ALIGNED = (128, 160)
_EYES = np.array(((34.0, 52.0), (94.0, 52.0)))
# How much redder or yellower than the cheeks an uncovered mouth may be, in CIE Lab.
_WARMER = 25.0


@dataclass(frozen=True, slots=True)
class Quality:
    """Measures of one face.

    `inter_ocular`: px. `brightness`: mean luma of the face, 0..255. `burnt`, `black`: parts (0..1) of its
    pixels at the ends of the scale. `sharpness`: variance of the Laplacian over the variance of the luma.
    `yaw`: how far the nose lies beside the middle of the eyes, in inter-ocular distances. `roll`: degrees.
    `cover`: how much the mouth's side looks like cloth beside the cheeks, 0 alike.
    """

    inter_ocular: float
    brightness: float
    burnt: float
    black: float
    sharpness: float
    yaw: float
    roll: float
    cover: float


def measure(
    image: Pixels,
    box: tuple[float, float, float, float],
    eyes: NDArray[np.float32],
    nose: NDArray[np.float32],
) -> Quality:
    """Measure the face in `box` (px) of an upright BGR picture, with its eye centres (2, 2) and nose (2,)."""
    between = eyes[1] - eyes[0]
    inter_ocular = max(float(np.hypot(*between)), 1.0)
    along = between / inter_ocular
    aligned = align(image, eyes)
    luma = cv2.cvtColor(aligned, cv2.COLOR_BGR2GRAY)
    face = luma[20:140, 14:114]
    return Quality(
        inter_ocular=inter_ocular,
        brightness=float(face.mean()),
        burnt=float((face >= 250).mean()),
        black=float((face <= 15).mean()),
        sharpness=_sharpness(image, box),
        yaw=float(np.dot(nose - eyes.mean(axis=0), along) / inter_ocular),
        roll=float(np.degrees(np.arctan2(between[1], between[0]))),
        cover=_cover(aligned),
    )


def align(image: Pixels, eyes: NDArray[np.float32]) -> Pixels:
    """The face turned upright and scaled to `ALIGNED` px, by its eye centres alone."""
    source, target = eyes.astype(np.float64), _EYES
    a, b = source[1] - source[0], target[1] - target[0]
    # A similarity as one complex factor: target = factor * source + offset.
    factor = complex(*b) / complex(*a)
    offset = complex(*target[0]) - factor * complex(*source[0])
    matrix = np.array(
        ((factor.real, -factor.imag, offset.real), (factor.imag, factor.real, offset.imag)), np.float64
    )
    aligned: Pixels = cv2.warpAffine(
        image, matrix, ALIGNED, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE
    )
    return aligned


def _sharpness(image: Pixels, box: tuple[float, float, float, float]) -> float:
    height, width = image.shape[:2]
    x0, y0 = max(int(box[0]), 0), max(int(box[1]), 0)
    x1, y1 = min(int(box[2]), width), min(int(box[3]), height)
    if x1 - x0 < 8 or y1 - y0 < 8:
        return 0.0
    luma = cv2.cvtColor(image[y0:y1, x0:x1], cv2.COLOR_BGR2GRAY)
    if luma.shape[0] > SHARP_HEIGHT:
        scale = SHARP_HEIGHT / luma.shape[0]
        luma = cv2.resize(luma, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    # Over the contrast: a dark or flat but sharp picture is not blurred.
    contrast = max(float(luma.astype(np.float32).var()), 1.0)
    return float(cv2.Laplacian(luma, cv2.CV_32F).var()) / contrast


def _cover(aligned: Pixels) -> float:
    """Distance in CIE Lab of the region around the mouth from the region between eyes and cheeks.

    A mask is lighter, greyer, greener or bluer than skin. Lips, a blush and the light of a lamp are redder
    and yellower (by up to 22 on public test pictures of bare faces): that counts from `_WARMER` on only.
    """
    lab = cv2.cvtColor(aligned.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
    cheeks = np.concatenate((lab[60:76, 24:48].reshape(-1, 3), lab[60:76, 80:104].reshape(-1, 3)))
    mouth = lab[96:132, 36:92].reshape(-1, 3)
    lighter, redder, yellower = (
        float(value) for value in np.median(mouth, axis=0) - np.median(cheeks, axis=0)
    )
    red, yellow = (max(-warmer, warmer - _WARMER, 0.0) for warmer in (redder, yellower))
    return math.hypot(0.5 * max(lighter, 0.0), red, yellow)
