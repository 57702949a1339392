"""Implements the `open` engine: YuNet finds, and an ArcFace-style embedder embeds."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.face.engines.engine import DetectedFace, Embedding, LivenessCheck, Metric, Points, Thresholds
from service.face.engines.liveness_models import session
from service.face.engines.manifest import Normalisation, Pack
from service.face.engines.picture import Pixels
from shared.images.blaze_face import merge_boxes
from shared.images.cv import cv2
from shared.images.similarity import fit_similarity

DETECTION_SCORE = 0.7
# The detector keeps all boxes, as those of one face are averaged here.
_KEEP_ALL = 1.0
MAX_DETECTORS = 4

# OpenCV 5 logs for every detector that it knows no targets; relevant faults are raised as cv2.error.
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_ERROR)

# The positions of eyes, nose and corners of the mouth that ArcFace-style embedders expect in 112 x 112 px
# (InsightFace's `arcface_dst`, the same for MobileFaceNet and SFace).
ARCFACE_SIDE = 112
ARCFACE_POINTS = np.array(
    ((38.2946, 51.6963), (73.5318, 51.5014), (56.0252, 71.7366), (41.5493, 92.3655), (70.7299, 92.2041))
)

_IMAGENET_MEAN = np.array((0.485, 0.456, 0.406), np.float32) * 255
_IMAGENET_DEVIATION = np.array((0.229, 0.224, 0.225), np.float32) * 255


def model_id(pack: Pack) -> str:
    """Return the pack's name and 16 hex digits of the SHA-256 over the files used for embeddings."""
    parts = f"{pack.files[pack.detector]} {pack.files[pack.embedder]} {pack.normalisation}"
    return f"{pack.name}-{hashlib.sha256(parts.encode()).hexdigest()[:16]}"


def normalise(rgb: Pixels, normalisation: Normalisation) -> NDArray[np.float32]:
    """Convert RGB pixels (112, 112, 3) to the embedder's input (1, 3, 112, 112)."""
    values = rgb.astype(np.float32)
    if normalisation == "unit":
        values = (values - 127.5) / 127.5
    elif normalisation == "imagenet":
        values = (values - _IMAGENET_MEAN) / _IMAGENET_DEVIATION
    return np.ascontiguousarray(values.transpose(2, 0, 1)[None])


class OpenEngine:
    """Implements FaceEngine for a verified pack in `folder`."""

    metric = Metric.COSINE
    liveness: LivenessCheck | None = None

    def __init__(self, folder: Path, pack: Pack) -> None:
        self.name = pack.name
        self.model_id = model_id(pack)
        self.dimension = pack.dimension
        self.thresholds = Thresholds(tuple(pack.thresholds))
        self._normalisation = pack.normalisation
        self._detector_model = np.frombuffer((folder / pack.detector).read_bytes(), np.uint8)
        self._detectors: dict[tuple[int, int], Any] = {}
        self._embedder = session(folder / pack.embedder)
        self._input = self._embedder.get_inputs()[0].name

    def find(self, image: Pixels) -> list[DetectedFace]:
        """Find faces from about 10 px on, with YuNet's five landmarks."""
        rows = self._detector(image.shape[1], image.shape[0]).detect(image)[1]
        faces = []
        for row in merge_boxes(rows) if rows is not None else ():
            x, y, width, height = (float(value) for value in row[:4])
            points: Points = row[4:14].reshape(5, 2).astype(np.float32)
            faces.append(
                DetectedFace((x, y, x + width, y + height), points, points[:2], points[2], float(row[14]))
            )
        return faces

    def _detector(self, width: int, height: int) -> Any:
        # A detector for each size, the most recently used last: changing the size costs as much as a
        # detection.
        size = (width, height)
        detector = self._detectors.pop(size, None)
        if detector is None:
            detector = cv2.FaceDetectorYN.create(
                "onnx", self._detector_model, np.empty(0, np.uint8), size, DETECTION_SCORE, _KEEP_ALL
            )
        self._detectors[size] = detector
        while len(self._detectors) > MAX_DETECTORS:
            self._detectors.pop(next(iter(self._detectors)))
        return detector

    def embed(self, image: Pixels, face: DetectedFace) -> Embedding:
        """Return the embedding, of length 1, of the face aligned to ArcFace's five points."""
        matrix = fit_similarity(face.landmarks, ARCFACE_POINTS)
        aligned = cv2.warpAffine(image, matrix, (ARCFACE_SIDE, ARCFACE_SIDE), flags=cv2.INTER_LINEAR)
        rgb = np.ascontiguousarray(aligned[:, :, ::-1])
        (output,) = self._embedder.run(None, {self._input: normalise(rgb, self._normalisation)})[:1]
        vector = np.asarray(output, np.float32).reshape(-1)
        return vector / max(float(np.linalg.norm(vector)), 1e-9)
