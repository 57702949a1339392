"""Judges with MiniFASNet whether a face is a living one, for any engine.

The models come from the pack in use or from another installed one.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from service.face.engines.engine import DetectedFace
from service.face.engines.manifest import Pack
from service.face.engines.picture import Pixels
from shared.images.cv import cv2

LIVENESS_SIDE = 80


def session(path: Path) -> Any:
    """Open an onnxruntime session for a model file, which is read as bytes so that any path works."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    # Spinning threads take the processor from OpenCV's threads: 148 ms instead of 47 ms a frame, measured.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path.read_bytes(), options, providers=["CPUExecutionProvider"])


class LivenessModels:
    """Implements LivenessCheck by the liveness models of a verified pack in `folder`."""

    def __init__(self, folder: Path, pack: Pack) -> None:
        self.limit = pack.liveness_limit
        self._models = [(session(folder / model.file), model.scale) for model in pack.liveness]

    def rate(self, image: Pixels, face: DetectedFace) -> float:
        """Return the mean probability of a living face over the models."""
        return float(
            np.mean([_living_probability(model, image, face, scale) for model, scale in self._models])
        )


def _living_probability(model: Any, image: Pixels, face: DetectedFace, scale: float) -> float:
    crop = cv2.resize(_surroundings(image, face, scale), (LIVENESS_SIDE, LIVENESS_SIDE))
    batch = np.ascontiguousarray(crop.astype(np.float32).transpose(2, 0, 1)[None])
    logits = np.asarray(model.run(None, {model.get_inputs()[0].name: batch})[0], np.float64).reshape(-1)
    powers = np.exp(logits - logits.max())
    return float(powers[1] / powers.sum())


def _surroundings(image: Pixels, face: DetectedFace, scale: float) -> Pixels:
    """Crop a square of `scale` times the face's size, moved and if necessary shrunk to fit into the picture.

    The size is the root of the box's area. Engines draw boxes of different shapes, and a crop of another
    shape reaches the network distorted: from YuNet's narrow boxes it refused 10 of 28 frames of a person,
    from squares none.
    """
    height, width = image.shape[:2]
    x0, y0, x1, y1 = face.box
    half = min(scale * math.sqrt((x1 - x0) * (y1 - y0)), width - 1, height - 1) / 2
    centre_x = min(max((x0 + x1) / 2, half), width - half)
    centre_y = min(max((y0 + y1) / 2, half), height - half)
    left, top = max(int(centre_x - half), 0), max(int(centre_y - half), 0)
    right, bottom = int(centre_x + half) + 1, int(centre_y + half) + 1
    return image[top:bottom, left:right]
