"""Analyses a picture with any face engine.

An engine finds faces and computes their embeddings. `analyse` uses it twice: first on the whole picture, then
on a crop in which the face is about 280 px high. The second pass makes the landmarks and thereby the
embedding more exact (measured: false non-matches at a false match rate of 1e-4 fall from 5.6 % to 3.6 %).

Measures the quality of a picture of a face: light, sharpness, pose, covered mouth. Decides nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from service.face.engines.engine import DetectedFace, FaceEngine, PictureAnalysis, Quality
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


COARSE_SIDES = (320, 640)
SECOND_SIDE = 1280
FINE_HEIGHT = 280
# The side of the fine crop in face heights: aligning needs forehead and ears.
FINE_CROP = 1.7
# The border that is added to a picture filled by one face (a passport crop), as a share of its size.
BORDER = 0.25

Weight = Callable[[DetectedFace], float]


def analyse(engine: FaceEngine, image: Pixels, weight: Weight | None = None) -> PictureAnalysis:
    """Find every face of an upright BGR uint8 picture, and judge and embed the largest one, or that with the
    largest `weight`, which comes first.
    """
    height, width = image.shape[:2]
    faces = coarse(engine, image)
    if weight is not None:
        faces.sort(key=weight, reverse=True)
    if not faces:
        return PictureAnalysis(width, height)
    crop, fine_face, faces[0] = _find_fine(engine, image, faces[0])
    return PictureAnalysis(
        width,
        height,
        tuple(faces),
        measure(image, faces[0].box, faces[0].eyes, faces[0].nose),
        engine.embed(crop, fine_face),
        None if engine.liveness is None else engine.liveness.rate(image, faces[0]),
    )


def warm_up(engine: FaceEngine) -> None:
    """Run every model once on a grey picture, because the first run takes several times as long."""
    side = round(FINE_CROP * FINE_HEIGHT)
    grey = np.full((side, side, 3), 128, np.uint8)
    points = np.array(((0.35, 0.4), (0.65, 0.4), (0.5, 0.55), (0.4, 0.7), (0.6, 0.7)), np.float32) * side
    face = DetectedFace((side * 0.2, side * 0.2, side * 0.8, side * 0.8), points, points[:2], points[2], 1.0)
    engine.find(grey)
    engine.embed(grey, face)
    if engine.liveness is not None:
        engine.liveness.rate(grey, face)


def coarse(engine: FaceEngine, image: Pixels) -> list[DetectedFace]:
    """Find the faces of `image`, largest first, after scaling its longer side into the range `COARSE_SIDES`.

    If there are none, try again at `SECOND_SIDE` for small faces, and then with a border for a face that
    fills the picture.
    """
    longer = max(image.shape[:2])
    side = min(max(longer, COARSE_SIDES[0]), COARSE_SIDES[1])
    faces = _find_scaled(engine, image, side / longer) or _find_scaled(engine, image, SECOND_SIDE / longer)
    if not faces:
        small, border = _resize(image, side / longer), round(BORDER * side)
        bordered_image = cv2.copyMakeBorder(small, border, border, border, border, cv2.BORDER_REPLICATE)
        offset = -border * longer / side
        faces = [face.moved(longer / side, offset, offset) for face in engine.find(bordered_image)]
    return sorted(faces, key=lambda face: face.height, reverse=True)


def _find_scaled(engine: FaceEngine, image: Pixels, scale: float) -> list[DetectedFace]:
    return [face.moved(1 / scale, 0, 0) for face in engine.find(_resize(image, scale))]


def _resize(image: Pixels, scale: float) -> Pixels:
    if scale == 1:
        return image
    interpolation = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    result: Pixels = cv2.resize(image, None, fx=scale, fy=scale, interpolation=interpolation)
    return result


def _fine_crop(image: Pixels, face: DetectedFace) -> tuple[Pixels, float, float, float]:
    """Return a crop around `face` in which it is `FINE_HEIGHT` high, the scale, and the crop's origin in px.

    All crops have the same size, because detectors prepare for each size. Near the picture's edge, the edge
    is repeated.
    """
    height, width = image.shape[:2]
    side = math.ceil(FINE_CROP * face.height)
    x0 = round((face.box[0] + face.box[2] - side) / 2)
    y0 = round((face.box[1] + face.box[3] - side) / 2)
    inside = image[max(y0, 0) : min(y0 + side, height), max(x0, 0) : min(x0 + side, width)]
    edges = (max(-y0, 0), max(y0 + side - height, 0), max(-x0, 0), max(x0 + side - width, 0))
    if any(edges):
        inside = cv2.copyMakeBorder(inside, *edges, cv2.BORDER_REPLICATE)
    fine_side = round(FINE_CROP * FINE_HEIGHT)
    interpolation = cv2.INTER_AREA if fine_side < side else cv2.INTER_LINEAR
    return cv2.resize(inside, (fine_side, fine_side), interpolation=interpolation), fine_side / side, x0, y0


def _find_fine(
    engine: FaceEngine, image: Pixels, face: DetectedFace
) -> tuple[Pixels, DetectedFace, DetectedFace]:
    """Return the crop around `face`, the face found in the crop, and that face in px of `image`."""
    crop, scale, x, y = _fine_crop(image, face)
    fine_face = _nearest(engine.find(crop), face.moved(scale, -x * scale, -y * scale))
    return crop, fine_face, fine_face.moved(1 / scale, x, y)


def _nearest(candidates: Sequence[DetectedFace], expected_face: DetectedFace) -> DetectedFace:
    """Return the candidate at the place of `expected_face`; `expected_face` itself if there is none."""

    def distance(face: DetectedFace) -> float:
        return float(np.hypot(*(face.eyes.mean(axis=0) - expected_face.eyes.mean(axis=0))))

    best = min(candidates, key=distance, default=expected_face)
    return best if distance(best) < expected_face.height / 3 else expected_face
