"""Measures the quality of a picture of a face: light, sharpness, pose, covered mouth. Decides nothing."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from service.face.engines.engine import Quality
from service.face.engines.picture import Pixels
from shared.images.cv import cv2

# The height in px to which a face is reduced for measuring sharpness, so that the resolution has no effect.
SHARP_HEIGHT = 160
# The size in px of the aligned face for measuring light and cover: the eyes are at a third, 60 px apart.
ALIGNED_SIZE = (128, 160)
_EYES = np.array(((34.0, 52.0), (94.0, 52.0)))
# How much redder or yellower than the cheeks an uncovered mouth may be, in CIE Lab.
_WARMER = 25.0


def measure(
    image: Pixels,
    box: tuple[float, float, float, float],
    eyes: NDArray[np.float32],
    nose: NDArray[np.float32],
) -> Quality:
    """Measure the face in `box` (px) of an upright BGR picture, with its eye centres (2, 2) and nose (2,)."""
    eye_vector = eyes[1] - eyes[0]
    inter_ocular = max(float(np.hypot(*eye_vector)), 1.0)
    eye_direction = eye_vector / inter_ocular
    aligned = align(image, eyes)
    luma = cv2.cvtColor(aligned, cv2.COLOR_BGR2GRAY)
    face = luma[20:140, 14:114]
    return Quality(
        inter_ocular=inter_ocular,
        brightness=float(face.mean()),
        burnt=float((face >= 250).mean()),
        black=float((face <= 15).mean()),
        sharpness=_sharpness(image, box),
        yaw=float(np.dot(nose - eyes.mean(axis=0), eye_direction) / inter_ocular),
        roll=float(np.degrees(np.arctan2(eye_vector[1], eye_vector[0]))),
        cover=_cover(aligned),
        colour=float((aligned.max(axis=2).astype(int) - aligned.min(axis=2)).mean()),
    )


def align(image: Pixels, eyes: NDArray[np.float32]) -> Pixels:
    """Rotate and scale the face to `ALIGNED_SIZE` px by its eye centres."""
    source, target = eyes.astype(np.float64), _EYES
    a, b = source[1] - source[0], target[1] - target[0]
    # A similarity as one complex factor: target = factor * source + offset.
    factor = complex(*b) / complex(*a)
    offset = complex(*target[0]) - factor * complex(*source[0])
    matrix = np.array(
        ((factor.real, -factor.imag, offset.real), (factor.imag, factor.real, offset.imag)), np.float64
    )
    aligned: Pixels = cv2.warpAffine(
        image, matrix, ALIGNED_SIZE, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE
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
    # Divided by the contrast, because a dark or flat picture may still be sharp.
    contrast = max(float(luma.astype(np.float32).var()), 1.0)
    return float(cv2.Laplacian(luma, cv2.CV_32F).var()) / contrast


def _cover(aligned: Pixels) -> float:
    """Return the distance in CIE Lab between the region around the mouth and the region below the eyes.

    A mask is lighter, greyer, greener or bluer than skin. Lips, a blush and warm light are redder and
    yellower, by up to 22 on public test pictures of uncovered faces, so this counts only above `_WARMER`.
    """
    lab = cv2.cvtColor(aligned.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
    cheeks = np.concatenate((lab[60:76, 24:48].reshape(-1, 3), lab[60:76, 80:104].reshape(-1, 3)))
    mouth = lab[96:132, 36:92].reshape(-1, 3)
    lighter, redder, yellower = (
        float(value) for value in np.median(mouth, axis=0) - np.median(cheeks, axis=0)
    )
    redness, yellowness = (max(-warmer, warmer - _WARMER, 0.0) for warmer in (redder, yellower))
    return math.hypot(0.5 * max(lighter, 0.0), redness, yellowness)
