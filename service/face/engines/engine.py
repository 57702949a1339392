"""Defines the interface of face engines, and what they say of pictures and films.

The service imports it without the libraries that only the face process needs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

from service.face.engines.picture import Pixels
from service.face.liveness.movements import Reason

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Embedding: TypeAlias = "NDArray[np.float32]"
Points: TypeAlias = "NDArray[np.float32]"


class Metric(StrEnum):
    """How two embeddings are compared."""

    COSINE = "cosine"
    EUCLIDEAN = "euclidean"


def score(first: Embedding, second: Embedding, metric: Metric) -> float:
    """Return how similar two embeddings are: the cosine, or minus the Euclidean distance."""
    if metric is Metric.EUCLIDEAN:
        return -math.sqrt((first - second) @ (first - second))
    return float(first @ second) / math.sqrt((first @ first) * (second @ second))


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
        return math.dist(*self.eyes)

    def moved(self, scale: float, x: float, y: float) -> DetectedFace:
        """Return the face after the picture is scaled by `scale` and then shifted by (x, y) px."""
        x0, y0, x1, y1 = self.box
        return DetectedFace(
            (x0 * scale + x, y0 * scale + y, x1 * scale + x, y1 * scale + y),
            (self.landmarks * scale + (x, y)).astype("f4"),
            (self.eyes * scale + (x, y)).astype("f4"),
            (self.nose * scale + (x, y)).astype("f4"),
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


@dataclass(frozen=True, slots=True)
class Quality:
    """Measures of one face.

    `inter_ocular`: px. `brightness`: mean luma of the face, 0..255. `burnt`, `black`: parts (0..1) of its
    pixels at the ends of the scale. `sharpness`: variance of the Laplacian over the variance of the luma.
    `yaw`: how far the nose lies beside the middle of the eyes, in inter-ocular distances. `roll`: degrees.
    `cover`: how much the mouth's side looks like cloth beside the cheeks, 0 alike. `colour`: mean difference
    of the largest and the smallest channel, 0..255; 0 of a grey or infrared camera.
    """

    inter_ocular: float
    brightness: float
    burnt: float
    black: float
    sharpness: float
    yaw: float
    roll: float
    cover: float
    colour: float


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


@dataclass(frozen=True, slots=True, eq=False)
class SequenceAnalysis:
    """The verdict on a sequence, and what the engine saw in the sharpest frame in which the face looks
    straight ahead, with the liveness of the whole film.
    """

    reason: Reason
    first: PictureAnalysis
