"""Computes the patch features of a picture with the built-in backbone, and joins those of any backbone.

Runs a backbone added in place of the built-in one, and proves that its features are understood.

Vision transformers (DINOv2, DINOv3) give one vector for each patch, after those of a few other tokens;
convolutional networks (ConvNeXt, EfficientNet) give feature maps. A wrong reading would compare patches of
different places, so a file is accepted only when a change in a picture is seen where it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from service.detection.appearance.efficientnet import backbone_model
from service.detection.failure import BadModel
from service.detection.onnx.check import CheckedModel, input_size, open_model
from service.detection.onnx.detector import Detector, fit
from service.detection.onnx.settings import DetectorSettings
from shared.images.cv import cv2
from shared.wire.detection import ModelKind

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
"""Channels; OpenCV takes no more at once, and only four to shrink by a factor that is not whole."""


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
    is_uneven = layer.shape[1] > PATCHES and layer.shape[1] % PATCHES != 0
    step = 4 if is_uneven else _AT_ONCE
    resized = np.concatenate([_resize(layer[at : at + step]) for at in range(0, len(layer), step)], axis=2)
    return np.asarray(resized / np.maximum(np.linalg.norm(resized, axis=2, keepdims=True), 1e-6), np.float32)


def _resize(layer: NDArray[np.float32]) -> NDArray[np.float32]:
    rows = np.ascontiguousarray(layer.transpose(1, 2, 0))
    resized = cv2.resize(rows, (PATCHES, PATCHES), interpolation=cv2.INTER_AREA)
    return np.asarray(resized, np.float32).reshape(PATCHES, PATCHES, -1)


_SIDES: Final = (SIDE, 322, 224)
"""Inputs that are tried if the file leaves the side free: 322 px are whole patches of 14 px."""
_MIN_SIDE: Final = 7
"""The least patches along a side: a ConvNeXt has 7 for an input of 224 px."""
_MAX_EXTRA: Final = 8
"""The most tokens before those of the patches: one for the whole picture, and four registers in DINOv3."""
_MAX_CHANNELS: Final = 4096
_OFF: Final = 2
"""Patches by which the strongest change may be beside the changed ones."""
_CLEAR: Final = 4.0
"""The least ratio of the change there and the usual change elsewhere."""


class AddedBackbone:
    """The backbone at `path`. Raises what ONNX Runtime raises."""

    def __init__(self, path: Path, settings: DetectorSettings) -> None:
        self._detector, self._settings = Detector(path), settings

    def features(self, image: NDArray[np.uint8]) -> Features:
        """The features of `image` (BGR uint8). Raises ValueError if the outputs are not understood."""
        return join_layers(feature_maps(self._detector.outputs(fit(image, self._settings).tensor)))


def feature_maps(outputs: Sequence[NDArray[Any]]) -> list[NDArray[np.float32]]:
    """The feature maps (channels, rows, columns) in these outputs, with as many rows as columns.

    Vectors of the whole picture are left out. Raises ValueError if an output is neither, or if they are the
    heads of a detector.
    """
    maps = [_feature_map(output) for output in outputs if math.prod(output.shape[:-1]) != 1]
    if not maps:
        raise ValueError("no feature map")
    # Layers of a backbone with as many patches have as many channels. The scores and boxes of a detector
    # (NanoDet, PicoDet) are tables of the same grid with other numbers of them.
    if len({layer.shape for layer in maps}) > len({layer.shape[1:] for layer in maps}):
        raise ValueError("outputs of the same patches differ in their channels")
    return maps


def _feature_map(output: NDArray[Any]) -> NDArray[np.float32]:
    shape = output.shape
    if len(shape) == 3:
        side = math.isqrt(shape[1])
        patches = output[:, shape[1] - side * side :].reshape(shape[0], side, side, shape[2])
        is_understood, extra = True, shape[1] - side * side
    else:
        is_understood, extra, patches = len(shape) == 4, 0, output
        if is_understood and shape[2] == shape[3]:
            patches = output.transpose(0, 2, 3, 1)
    if not is_understood or extra > _MAX_EXTRA or patches.shape[0] != 1:
        raise ValueError(f"an output of shape {shape} has no patches")
    _, rows, columns, channels = patches.shape
    if rows != columns or rows < _MIN_SIDE or not 1 < channels <= _MAX_CHANNELS:
        raise ValueError(f"an output of shape {shape} has no patches")
    return np.ascontiguousarray(patches[0].transpose(2, 0, 1), np.float32)


def check_backbone(path: Path, overrides: dict[str, Any]) -> CheckedModel:
    """The backbone at `path` with its settings, once it is proved to be one. Raises BadModel.

    overrides: settings that replace the usual ones.
    """
    detector = open_model(path)
    input_size(detector, overrides, {})
    shape = detector.image_shape[1:3] if detector.last else detector.image_shape[2:]
    fixed = {size for size in shape if isinstance(size, int)}
    sides = fixed or dict.fromkeys(overrides.get("width", side) for side in _SIDES)
    reason = "not_an_image_model"
    for side in sides:
        try:
            settings = DetectorSettings.model_validate(
                {"values": "imagenet", "fit": "stretch", **overrides, "width": side, "height": side}
            )
        except ValueError as error:
            raise BadModel("settings_wrong") from error
        try:
            if _sees_changes_in_place(AddedBackbone(path, settings)):
                return CheckedModel(ModelKind.BACKBONE, [], settings)
            reason = "kind_wrong"
        except ValueError:
            reason = "kind_wrong"
        # ONNX Runtime raises classes of its own, all below Exception; another side may fit.
        except Exception:
            reason = "dry_run_failed"
    raise BadModel(reason)


def _sees_changes_in_place(backbone: AddedBackbone) -> bool:
    """Whether a changed block in a picture changes the features of its patches and clearly less the others.

    The block is in no place that swapped or reversed rows and columns share.
    """
    blocks = np.random.default_rng(5).integers(30, 226, (PATCHES, PATCHES, 3), np.uint8)
    rows, columns = slice(14, 16), slice(3, 5)
    changed = blocks.copy()
    changed[rows, columns] = 255 - changed[rows, columns]
    before, after = (
        backbone.features(np.repeat(np.repeat(picture, 16, axis=0), 16, axis=1)).astype(np.float32)
        for picture in (blocks, changed)
    )
    change = 1 - (before * after).sum(axis=2)
    if not np.isfinite(change).all():
        return False
    row, column = np.unravel_index(int(change.argmax()), change.shape)
    is_near = abs(row - 14.5) <= _OFF + 0.5 and abs(column - 3.5) <= _OFF + 0.5
    return bool(is_near and change.max() > _CLEAR * max(float(np.median(change)), 1e-4))
