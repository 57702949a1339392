"""Computes the patch features of a picture with the built-in backbone, and joins those of any backbone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Protocol

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
MAX_CHANNELS: Final = 256
"""Of a patch, so that a memory of 24 photos has at most 5 MB. Those of larger backbones are averaged in
groups of neighbours, as PatchCore (Roth et al. 2022) does."""
_AT_ONCE: Final = 128
"""Channels; OpenCV takes no more at once."""


class Backbone(Protocol):
    """Gives the features of a picture (BGR uint8): `PATCHES` x `PATCHES` x channels."""

    def features(self, image: NDArray[np.uint8]) -> Features: ...


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
        return join_layers(layer[0] for layer in self._session.run(None, {"image": tensor}))


def join_layers(layers: Iterable[NDArray[np.float32]]) -> Features:
    """The features of a picture from its feature maps, each (channels, rows, columns)."""
    patches = np.concatenate([_patches(layer) for layer in layers], axis=2)
    if patches.shape[2] > MAX_CHANNELS:
        flat = patches.reshape(PATCHES * PATCHES, -1)
        flat = cv2.resize(flat, (MAX_CHANNELS, PATCHES * PATCHES), interpolation=cv2.INTER_AREA)
        patches = flat.reshape(PATCHES, PATCHES, MAX_CHANNELS)
    lengths = np.maximum(np.linalg.norm(patches, axis=2, keepdims=True), 1e-6)
    return np.asarray(patches / lengths, np.float16)


def _patches(layer: NDArray[np.float32]) -> NDArray[np.float32]:
    """A feature map (channels, rows, columns) as patches of length 1, so that every layer counts alike."""
    resized = np.concatenate(
        [_resize(layer[at : at + _AT_ONCE]) for at in range(0, len(layer), _AT_ONCE)], axis=2
    )
    return np.asarray(resized / np.maximum(np.linalg.norm(resized, axis=2, keepdims=True), 1e-6), np.float32)


def _resize(layer: NDArray[np.float32]) -> NDArray[np.float32]:
    rows = np.ascontiguousarray(layer.transpose(1, 2, 0))
    resized = cv2.resize(rows, (PATCHES, PATCHES), interpolation=cv2.INTER_AREA)
    return np.asarray(resized, np.float32).reshape(PATCHES, PATCHES, -1)
