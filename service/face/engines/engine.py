"""Defines the interface of face engines and analyses a picture with any of them.

An engine finds faces and computes their embeddings. `analyse` uses it twice: first on the whole picture, then
on a crop in which the face is about 280 px high. The second pass makes the landmarks and thereby the
embedding more exact (measured: false non-matches at a false match rate of 1e-4 fall from 5.6 % to 3.6 %).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from service.face.engines.picture import Pixels
from service.face.engines.quality import Quality, measure
from shared.images.cv import cv2

Embedding = NDArray[np.float32]
Points = NDArray[np.float32]

COARSE_SIDES = (320, 640)
SECOND_SIDE = 1280
FINE_HEIGHT = 280
# The side of the fine crop in face heights: aligning needs forehead and ears.
FINE_CROP = 1.7
# The border that is added to a picture filled by one face (a passport crop), as a share of its size.
BORDER = 0.25


class Metric(StrEnum):
    """How two embeddings are compared."""

    COSINE = "cosine"
    EUCLIDEAN = "euclidean"


def score(first: Embedding, second: Embedding, metric: Metric) -> float:
    """Return how similar two embeddings are: the cosine, or minus the Euclidean distance."""
    if metric is Metric.EUCLIDEAN:
        return -float(np.linalg.norm(first - second))
    return float(np.dot(first, second) / (np.linalg.norm(first) * np.linalg.norm(second)))


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The score that a match needs for a false match rate.

    `points` are measured (false match rate, score) pairs with falling rates. A score is the cosine, or minus
    the distance, so larger means more similar.
    """

    points: tuple[tuple[float, float], ...]

    def at(self, false_match_rate: float) -> float:
        """Return the score for `false_match_rate`, interpolated linearly over its logarithm.

        Below the smallest measured rate the last line is extrapolated. Above the largest one the score stays
        constant, so it is never looser than measured.
        """
        rates = [math.log10(rate) for rate, _ in self.points]
        scores = [score for _, score in self.points]
        log_rate = math.log10(false_match_rate)
        if log_rate >= rates[0]:
            return scores[0]
        for index in range(1, len(rates)):
            if log_rate >= rates[index] or index == len(rates) - 1:
                slope = (scores[index] - scores[index - 1]) / (rates[index] - rates[index - 1])
                return scores[index] + slope * (log_rate - rates[index])
        return scores[0]


@dataclass(frozen=True, slots=True, eq=False)
class DetectedFace:
    """A face in a picture: box (x0, y0, x1, y1) px, half-open; landmarks (5, 2) float32 px in the engine's
    own order; centres of the two eyes (2, 2) px, left in the picture first; tip of the nose (2,) px; the
    detector's confidence in its own scale.
    """

    box: tuple[float, float, float, float]
    landmarks: Points
    eyes: Points
    nose: Points
    confidence: float

    @property
    def height(self) -> float:
        """Height of the box in px."""
        return self.box[3] - self.box[1]

    @property
    def inter_ocular(self) -> float:
        """Distance of the eye centres in px."""
        return float(np.hypot(*(self.eyes[1] - self.eyes[0])))

    def moved(self, scale: float, x: float, y: float) -> DetectedFace:
        """Return the face after the picture is scaled by `scale` and then shifted by (x, y) px."""
        shift = np.array((x, y), np.float32)
        x0, y0, x1, y1 = self.box
        return DetectedFace(
            (x0 * scale + x, y0 * scale + y, x1 * scale + x, y1 * scale + y),
            (self.landmarks * scale + shift).astype(np.float32),
            (self.eyes * scale + shift).astype(np.float32),
            (self.nose * scale + shift).astype(np.float32),
            self.confidence,
        )


class LivenessCheck(Protocol):
    """Tells living faces from pictures of faces. `limit`: the smallest probability of a living face."""

    limit: float

    def rate(self, image: Pixels, face: DetectedFace) -> float:
        """Return the probability that `face` is a living one, 0..1."""
        ...


class FaceEngine(Protocol):
    """Finds faces and computes embeddings. Not safe for several threads at once.

    `model_id` changes if a file of the models changes; embeddings with different ids are never compared.
    `liveness` is None without a liveness model.
    """

    name: str
    model_id: str
    dimension: int
    metric: Metric
    thresholds: Thresholds
    liveness: LivenessCheck | None

    def find(self, image: Pixels) -> list[DetectedFace]:
        """Find the faces in an upright BGR uint8 (height, width, 3) picture, in any order."""
        ...

    def embed(self, image: Pixels, face: DetectedFace) -> Embedding:
        """Return the embedding of `face`, float32 (dimension,); of length 1 if the metric is the cosine."""
        ...


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """The facts about a loaded engine that the rest of the service needs."""

    name: str
    model_id: str
    dimension: int
    metric: Metric
    thresholds: Thresholds
    liveness_limit: float | None


def engine_info(engine: FaceEngine) -> EngineInfo:
    """Return the facts about `engine`."""
    return EngineInfo(
        engine.name,
        engine.model_id,
        engine.dimension,
        engine.metric,
        engine.thresholds,
        None if engine.liveness is None else engine.liveness.limit,
    )


@dataclass(frozen=True, slots=True, eq=False)
class PictureAnalysis:
    """The analysis of a picture of `width` x `height` px.

    `faces` are in px of the picture, the one that matters first. `quality`, `embedding` and `liveness` are of
    that one and None without a face.
    """

    width: int
    height: int
    faces: tuple[DetectedFace, ...] = ()
    quality: Quality | None = None
    embedding: Embedding | None = None
    liveness: float | None = None


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
