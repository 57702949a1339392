"""Computes the patch features of a picture with the built-in backbone."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from service.detection.appearance.efficientnet import backbone_model
from shared.images.cv import cv2

Features = NDArray[np.float16]
"""(rows, columns, channels), each patch of length 1."""

SIDE: Final = 320
"""Side of the input in px: a patch is then a twentieth of the picture. A picture is stretched to it."""
PATCHES: Final = 20
"""Patches along each side."""
_SMOOTHED: Final = 3
"""Features are averaged over this many neighbours, which PatchCore (Roth et al. 2022) does too: a patch then
says less about where in it an edge runs."""


class BuiltInBackbone:
    """The open backbone. threads: of one call.

    Raises FileNotFoundError if its weights are not installed, and NotWeightsError if they are others.
    """

    def __init__(self, threads: int = 1) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session: Any = onnxruntime.InferenceSession(
            backbone_model(), options, providers=["CPUExecutionProvider"]
        )

    def features(self, image: NDArray[np.uint8]) -> Features:
        """The features of `image` (BGR uint8): `PATCHES` x `PATCHES` x channels."""
        small = cv2.resize(image, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
        tensor = np.ascontiguousarray(small[:, :, ::-1].transpose(2, 0, 1)[None], np.float32)
        layers = [_patches(layer[0]) for layer in self._session.run(None, {"image": tensor})]
        patches = np.concatenate(layers, axis=2)
        return np.asarray(patches / np.linalg.norm(patches, axis=2, keepdims=True), np.float16)


def _patches(layer: NDArray[np.float32]) -> NDArray[np.float32]:
    """A feature map (channels, rows, columns) as patches of length 1, so that every layer counts alike."""
    channels_last = np.ascontiguousarray(layer.transpose(1, 2, 0))
    smooth = cv2.blur(channels_last, (_SMOOTHED, _SMOOTHED))
    resized = cv2.resize(smooth, (PATCHES, PATCHES), interpolation=cv2.INTER_AREA)
    return np.asarray(resized / np.maximum(np.linalg.norm(resized, axis=2, keepdims=True), 1e-6), np.float32)
