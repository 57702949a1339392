"""Computes patch features with a backbone: an ONNX file that describes an image patch by patch.

A backbone finds nothing by itself. `service.detection.second_opinion` compares its features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.detection.onnx.detector import Detector
from service.detection.onnx.fit import fit
from service.detection.onnx.settings import DetectorSettings

Features = NDArray[np.float16]
"""(rows, columns, channels), each patch of length 1."""

SIDE: Final = 448
"""Side of the input in px if the file does not fix it: a multiple of the usual patches of 14, 16 and 32 px,
which AnomalyDINO (Damm et al. 2024) uses too."""

_PATCHES: Final = (14, 16, 8, 32, 28)
_LEADING: Final = (0, 1, 5)
"""Tokens before those of the patches: none, a class, or a class and four registers (Darcet et al. 2024)."""
_MIN_CHANNELS: Final = 16
_MAX_VALUES: Final = 2_000_000
"""A map with more values is averaged over neighbouring patches, which bounds the memory."""


@dataclass(frozen=True, slots=True)
class PatchGrid:
    """The position of the patches in the outputs of a backbone.

    output: the number of the output. leading: tokens before those of the patches; None for a feature map
    (1, channels, rows, columns).
    """

    output: int
    leading: int | None
    rows: int
    columns: int

    def patches(self, outputs: Sequence[NDArray[np.generic]]) -> NDArray[np.float32]:
        """The features in `outputs`, float32 (rows, columns, channels)."""
        values = np.asarray(outputs[self.output][0], np.float32)
        if self.leading is None:
            return values.transpose(1, 2, 0)
        return values[self.leading :].reshape(self.rows, self.columns, -1)


def patch_grid(shapes: Sequence[tuple[int, ...]], width: int, height: int) -> PatchGrid | None:
    """The position of the patches in outputs of these shapes, for an input of this size in px.

    One output has the patches, as a map (1, channels, rows, columns) or as tokens (1, leading + rows *
    columns, channels). The other outputs must have fewer dimensions, such as a pooled one. None if the shapes
    do not fit.
    """
    large = [number for number, shape in enumerate(shapes) if len(shape) > 2]
    if len(large) != 1:
        return None
    shape = shapes[large[0]]
    if len(shape) == 4:
        _, channels, rows, columns = shape
        is_map = 2 <= rows < height and 2 <= columns < width
        fits = shape[0] == 1 and channels >= _MIN_CHANNELS and is_map
        return PatchGrid(large[0], None, rows, columns) if fits else None
    if len(shape) != 3 or shape[0] != 1 or shape[2] < _MIN_CHANNELS:
        return None
    for patch in _PATCHES:
        rows, columns = height // patch, width // patch
        leading = shape[1] - rows * columns
        if min(rows, columns) >= 2 and leading in _LEADING:
            return PatchGrid(large[0], leading, rows, columns)
    return None


class Backbone:
    """An open backbone with its settings."""

    def __init__(self, detector: Detector, settings: DetectorSettings) -> None:
        self._detector = detector
        raw = {"values": "raw"} if detector.bytes else {}
        self._settings = settings.model_copy(update={"fit": "stretch", **raw})

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the input in px."""
        return self._settings.width, self._settings.height

    def features(self, image: NDArray[np.uint8]) -> Features:
        """The features of `image` (BGR uint8), which is stretched to the size of the input.

        Raises ValueError if the outputs are not those of a backbone, and the exceptions of ONNX Runtime.
        """
        outputs = self._detector.outputs(fit(image, self._settings).tensor)
        grid = patch_grid([output.shape for output in outputs], *self.size)
        if grid is None:
            raise ValueError("the outputs have no patches")
        patches = _average_blocks(grid.patches(outputs))
        lengths = np.linalg.norm(patches, axis=2, keepdims=True)
        return np.asarray(patches / np.maximum(lengths, 1e-12), np.float16)


def _average_blocks(patches: NDArray[np.float32]) -> NDArray[np.float32]:
    """Average `patches` over blocks if they have too many values; an incomplete block is left out."""
    block = 1
    while patches.size / block**2 > _MAX_VALUES and min(patches.shape[:2]) >= 2 * (block + 1):
        block += 1
    if block == 1:
        return patches
    rows, columns = patches.shape[0] // block, patches.shape[1] // block
    whole = patches[: rows * block, : columns * block]
    return np.asarray(whole.reshape(rows, block, columns, block, -1).mean(axis=(1, 3)), np.float32)
