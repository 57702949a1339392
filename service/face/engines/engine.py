"""Defines what a face engine is and analyses a picture with any of them.

An engine finds faces and makes embeddings of them. `analyse` drives it: a coarse pass over the whole picture,
then again on a crop where the face is about 280 px high, which makes the landmarks and with them the
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
# How much of the surroundings the fine crop holds, in face heights: aligning needs forehead and ears.
FINE_CROP = 1.7
# A picture filled by one face (a passport crop) is tried again with this much border, in parts of its size.
BORDER = 0.25


class Metric(StrEnum):
    """How two embeddings are compared."""

    COSINE = "cosine"
    EUCLIDEAN = "euclidean"


def score(first: Embedding, second: Embedding, metric: Metric) -> float:
    """How alike two embeddings are: the cosine, or minus the Euclidean distance."""
    if metric is Metric.EUCLIDEAN:
        return -float(np.linalg.norm(first - second))
    return float(np.dot(first, second) / (np.linalg.norm(first) * np.linalg.norm(second)))


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Which score a match needs for a wanted false match rate.

    `points` are measured (false match rate, score) pairs, falling rates. A score is larger when alike: the
    cosine, or minus the distance.
    """

    points: tuple[tuple[float, float], ...]

    def at(self, false_match_rate: float) -> float:
        """The score for `false_match_rate`, on straight lines over its logarithm.

        Below the smallest measured rate the last line goes on; above the largest the score stays, so that it
        is never looser than what was measured.
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
        """The same face where the picture is scaled by `scale` and then shifted by (x, y) px."""
        shift = np.array((x, y), np.float32)
        x0, y0, x1, y1 = self.box
        return DetectedFace(
            (x0 * scale + x, y0 * scale + y, x1 * scale + x, y1 * scale + y),
            (self.landmarks * scale + shift).astype(np.float32),
            (self.eyes * scale + shift).astype(np.float32),
            (self.nose * scale + shift).astype(np.float32),
            self.confidence,
        )


class FaceEngine(Protocol):
    """A way to find faces and to make embeddings. Not safe for several threads at once.

    `model_id` changes whenever a file of the models changes; embeddings of two ids are never compared.
    `liveness_limit` is None for an engine without a liveness model.
    """

    name: str
    model_id: str
    dimension: int
    metric: Metric
    thresholds: Thresholds
    liveness_limit: float | None

    def find(self, image: Pixels) -> list[DetectedFace]:
        """The faces of an upright BGR uint8 (height, width, 3) picture, in any order."""
        ...

    def embed(self, image: Pixels, face: DetectedFace) -> Embedding:
        """The embedding of `face`, float32 (dimension,); of length 1 where the metric is the cosine."""
        ...

    def liveness(self, image: Pixels, face: DetectedFace) -> float | None:
        """How likely `face` is a living one, 0..1; None without a liveness model."""
        ...


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """What the rest of the service needs to know about the loaded engine."""

    name: str
    model_id: str
    dimension: int
    metric: Metric
    thresholds: Thresholds
    liveness_limit: float | None


def engine_info(engine: FaceEngine) -> EngineInfo:
    """The description of `engine`, without the engine itself."""
    return EngineInfo(
        engine.name,
        engine.model_id,
        engine.dimension,
        engine.metric,
        engine.thresholds,
        engine.liveness_limit,
    )


@dataclass(frozen=True, slots=True, eq=False)
class PictureAnalysis:
    """What an engine saw in a picture of `width` x `height` px.

    `faces` largest first, in px of the picture; `quality`, `embedding` and `liveness` speak of the first one
    and are None without a face.
    """

    width: int
    height: int
    faces: tuple[DetectedFace, ...] = ()
    quality: Quality | None = None
    embedding: Embedding | None = None
    liveness: float | None = None


Weight = Callable[[DetectedFace], float]


def analyse(engine: FaceEngine, image: Pixels) -> PictureAnalysis:
    """Find every face of an upright BGR uint8 picture, and judge and embed the largest one."""
    height, width = image.shape[:2]
    faces = coarse(engine, image)
    if not faces:
        return PictureAnalysis(width, height)
    crop, fine, faces[0] = _again(engine, image, faces[0])
    return PictureAnalysis(
        width,
        height,
        tuple(faces),
        measure(image, faces[0].box, faces[0].eyes, faces[0].nose),
        engine.embed(crop, fine),
        engine.liveness(image, faces[0]),
    )


def embedding_in(engine: FaceEngine, image: Pixels, weight: Weight | None = None) -> Embedding | None:
    """The embedding that `analyse` gives, of the face of the largest `weight` where that is given, and
    nothing else; None without a face.
    """
    faces = coarse(engine, image)
    if not faces:
        return None
    crop, fine, _ = _again(engine, image, max(faces, key=weight) if weight is not None else faces[0])
    return engine.embed(crop, fine)


def warm_up(engine: FaceEngine) -> None:
    """Use everything once, on a grey picture: the first time takes several times as long as later ones."""
    side = round(FINE_CROP * FINE_HEIGHT)
    grey = np.full((side, side, 3), 128, np.uint8)
    points = np.array(((0.35, 0.4), (0.65, 0.4), (0.5, 0.55), (0.4, 0.7), (0.6, 0.7)), np.float32) * side
    face = DetectedFace((side * 0.2, side * 0.2, side * 0.8, side * 0.8), points, points[:2], points[2], 1.0)
    engine.find(grey)
    engine.embed(grey, face)
    engine.liveness(grey, face)


def coarse(engine: FaceEngine, image: Pixels) -> list[DetectedFace]:
    """The faces of `image`, largest first, found with its longer side brought to `COARSE_SIDES`.

    Where there are none it is tried again at `SECOND_SIDE`, for small faces, and then with a border, for a
    face that fills the picture.
    """
    longer = max(image.shape[:2])
    side = min(max(longer, COARSE_SIDES[0]), COARSE_SIDES[1])
    faces = _detected(engine, image, side / longer) or _detected(engine, image, SECOND_SIDE / longer)
    if not faces:
        small, border = _resized(image, side / longer), round(BORDER * side)
        framed = cv2.copyMakeBorder(small, border, border, border, border, cv2.BORDER_REPLICATE)
        off = -border * longer / side
        faces = [face.moved(longer / side, off, off) for face in engine.find(framed)]
    return sorted(faces, key=lambda face: face.height, reverse=True)


def _detected(engine: FaceEngine, image: Pixels, scale: float) -> list[DetectedFace]:
    return [face.moved(1 / scale, 0, 0) for face in engine.find(_resized(image, scale))]


def _resized(image: Pixels, scale: float) -> Pixels:
    if scale == 1:
        return image
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    resized: Pixels = cv2.resize(image, None, fx=scale, fy=scale, interpolation=how)
    return resized


def _fine_crop(image: Pixels, face: DetectedFace) -> tuple[Pixels, float, float, float]:
    """The surroundings of `face`, scaled until it is `FINE_HEIGHT` high; the scale; where they begin, px.

    Always of the same size, as detectors plan again for another one. The picture's edge is repeated where the
    face lies near it.
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
    how = cv2.INTER_AREA if fine_side < side else cv2.INTER_LINEAR
    return cv2.resize(inside, (fine_side, fine_side), interpolation=how), fine_side / side, x0, y0


def _again(
    engine: FaceEngine, image: Pixels, face: DetectedFace
) -> tuple[Pixels, DetectedFace, DetectedFace]:
    """The second pass: the crop around `face`, the face as it is found there, and that in px of `image`."""
    crop, scale, x, y = _fine_crop(image, face)
    fine = _nearest(engine.find(crop), face.moved(scale, -x * scale, -y * scale))
    return crop, fine, fine.moved(1 / scale, x, y)


def _nearest(candidates: Sequence[DetectedFace], expected: DetectedFace) -> DetectedFace:
    """The candidate that lies where `expected` lies; `expected` itself when none does."""

    def distance(face: DetectedFace) -> float:
        return float(np.hypot(*(face.eyes.mean(axis=0) - expected.eyes.mean(axis=0))))

    best = min(candidates, key=distance, default=expected)
    return best if distance(best) < expected.height / 3 else expected
