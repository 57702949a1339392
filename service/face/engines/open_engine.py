"""Implements the `open` engine: YuNet finds, an ArcFace-style embedder embeds, MiniFASNet judges liveness."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from service.face.engines.engine import DetectedFace, Embedding, Metric, Points, Thresholds
from service.face.engines.manifest import Normalisation, Pack
from service.face.engines.picture import Pixels
from shared.images.cv import cv2
from shared.images.similarity import fit_similarity

DETECTION_SCORE = 0.7
OVERLAP = 0.3
MAX_DETECTORS = 4
LIVENESS_SIDE = 80

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


def session(path: Path) -> Any:
    """Open an onnxruntime session for a model file, which is read as bytes so that any path works."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    # Spinning threads take the processor from OpenCV's threads: 148 ms instead of 47 ms a frame, measured.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path.read_bytes(), options, providers=["CPUExecutionProvider"])


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

    def __init__(self, folder: Path, pack: Pack) -> None:
        self.name = pack.name
        self.model_id = model_id(pack)
        self.dimension = pack.dimension
        self.thresholds = Thresholds(tuple(pack.thresholds))
        self.liveness_limit = pack.liveness_limit if pack.liveness else None
        self._normalisation = pack.normalisation
        self._detector_model = np.frombuffer((folder / pack.detector).read_bytes(), np.uint8)
        self._detectors: dict[tuple[int, int], Any] = {}
        self._embedder = session(folder / pack.embedder)
        self._input = self._embedder.get_inputs()[0].name
        self._liveness = [(session(folder / model.file), model.scale) for model in pack.liveness]

    def find(self, image: Pixels) -> list[DetectedFace]:
        """Find faces from about 10 px on, with YuNet's five landmarks."""
        rows = self._detector(image.shape[1], image.shape[0]).detect(image)[1]
        faces = []
        for row in rows if rows is not None else ():
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
                "onnx", self._detector_model, np.empty(0, np.uint8), size, DETECTION_SCORE, OVERLAP
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

    def liveness(self, image: Pixels, face: DetectedFace) -> float | None:
        """Return the mean probability of a living face over the liveness models; None without one."""
        if not self._liveness:
            return None
        return float(
            np.mean([_living_probability(model, image, face, scale) for model, scale in self._liveness])
        )


def _living_probability(model: Any, image: Pixels, face: DetectedFace, scale: float) -> float:
    crop = cv2.resize(_surroundings(image, face, scale), (LIVENESS_SIDE, LIVENESS_SIDE))
    batch = np.ascontiguousarray(crop.astype(np.float32).transpose(2, 0, 1)[None])
    logits = np.asarray(model.run(None, {model.get_inputs()[0].name: batch})[0], np.float64).reshape(-1)
    powers = np.exp(logits - logits.max())
    return float(powers[1] / powers.sum())


def _surroundings(image: Pixels, face: DetectedFace, scale: float) -> Pixels:
    """Crop `scale` times the face box, moved and if necessary shrunk to fit into the picture.

    MiniFASNet was trained with such crops.
    """
    height, width = image.shape[:2]
    x0, y0, x1, y1 = face.box
    box_width, box_height = x1 - x0, y1 - y0
    scale = min(scale, (width - 1) / box_width, (height - 1) / box_height)
    half_width, half_height = box_width * scale / 2, box_height * scale / 2
    centre_x = min(max((x0 + x1) / 2, half_width), width - half_width)
    centre_y = min(max((y0 + y1) / 2, half_height), height - half_height)
    left, top = max(int(centre_x - half_width), 0), max(int(centre_y - half_height), 0)
    right, bottom = int(centre_x + half_width) + 1, int(centre_y + half_height) + 1
    return image[top:bottom, left:right]
