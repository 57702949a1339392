"""Implements the `insightface` engine: any InsightFace pack with `FaceAnalysis` of the optional package."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from service.face.engines.engine import DetectedFace, Embedding, LivenessCheck, Metric, Points, Thresholds
from service.face.engines.manifest import Pack
from service.face.engines.open_engine import model_id
from service.face.engines.picture import Pixels

DETECTION_SIDE = 640


class InsightFaceEngine:
    """Implements FaceEngine for a verified pack in `folder`. Raises ImportError without the package."""

    metric = Metric.COSINE
    liveness: LivenessCheck | None = None

    def __init__(self, folder: Path, pack: Pack) -> None:
        try:
            app: Any = importlib.import_module("insightface.app")
        except ImportError:
            raise ImportError(
                f"the pack {pack.name} needs the package insightface: "
                "run make insightface in the sources of Walkaround"
            ) from None
        self.name = pack.name
        self.model_id = model_id(pack)
        self.dimension = pack.dimension
        self.thresholds = Thresholds(tuple(pack.thresholds))
        # An absolute path of an existing folder; any other name makes it download without time-out or hash
        # check.
        self._analysis = app.FaceAnalysis(
            name=str(folder.resolve(strict=True)),
            allowed_modules=["detection", "recognition"],
            providers=["CPUExecutionProvider"],
        )
        self._analysis.prepare(ctx_id=-1, det_size=(DETECTION_SIDE, DETECTION_SIDE))
        self._face: Any = importlib.import_module("insightface.app.common").Face

    def find(self, image: Pixels) -> list[DetectedFace]:
        """Find faces with SCRFD's five landmarks."""
        boxes, points = self._analysis.det_model.detect(image, max_num=0, metric="default")
        faces = []
        for row, landmarks in zip(boxes, points if points is not None else (), strict=True):
            points_px: Points = np.asarray(landmarks, np.float32)
            x0, y0, x1, y1, score = (float(value) for value in row[:5])
            faces.append(DetectedFace((x0, y0, x1, y1), points_px, points_px[:2], points_px[2], score))
        return faces

    def embed(self, image: Pixels, face: DetectedFace) -> Embedding:
        """Return the recognition model's embedding, of length 1."""
        with warnings.catch_warnings():
            # scikit-image 0.26 warns once per face about the call that insightface makes.
            warnings.simplefilter("ignore", FutureWarning)
            insight_face = self._face(bbox=np.array(face.box), kps=face.landmarks, det_score=face.confidence)
            vector = np.asarray(self._analysis.models["recognition"].get(image, insight_face), np.float32)
        return vector / max(float(np.linalg.norm(vector)), 1e-9)
