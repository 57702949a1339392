"""Puts a photo, or a part of it, into a model's input and gives the way back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.detection.onnx.settings import DetectorSettings
from shared.cv import cv2

_GREY = 114
# Mean and deviation per RGB channel of ImageNet, of 0..1 values, as the common training recipes use them.
_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
_DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)


@dataclass(frozen=True, slots=True)
class Fitted:
    """The tensor (1, 3, height, width) float32, and input px = photo px * scale + shift per axis."""

    tensor: NDArray[np.float32]
    scale: tuple[float, float]
    shift: tuple[float, float]

    def back(self, corners: NDArray[np.float64]) -> NDArray[np.float64]:
        """Boxes x1, y1, x2, y2 (n, 4) from input px to photo px."""
        shift = np.array([*self.shift, *self.shift])
        scale = np.array([*self.scale, *self.scale])
        return np.asarray((corners - shift) / scale, np.float64)


def fit(image: NDArray[np.uint8], settings: DetectorSettings) -> Fitted:
    """Scale, border and normalise a BGR uint8 image as `settings` say."""
    height, width = image.shape[:2]
    if settings.fit == "stretch":
        size = (settings.width, settings.height)
    else:
        ratio = min(settings.width / width, settings.height / height)
        size = (max(round(width * ratio), 1), max(round(height * ratio), 1))
    shrinking = size[0] < width
    scaled = cv2.resize(image, size, interpolation=cv2.INTER_AREA if shrinking else cv2.INTER_LINEAR)
    left = (settings.width - size[0]) // 2 if settings.fit == "centre" else 0
    top = (settings.height - size[1]) // 2 if settings.fit == "centre" else 0
    framed = np.full((settings.height, settings.width, 3), _GREY, np.uint8)
    framed[top : top + size[1], left : left + size[0]] = scaled
    if settings.colour == "rgb":
        framed = framed[..., ::-1]
    values = framed.astype(np.float32)
    if settings.values != "raw":
        values /= 255
    if settings.values == "imagenet":
        order = slice(None) if settings.colour == "rgb" else slice(None, None, -1)
        values = (values - _MEAN[order]) / _DEVIATION[order]
    tensor = np.ascontiguousarray(values.transpose(2, 0, 1)[None])
    return Fitted(tensor, (size[0] / width, size[1] / height), (float(left), float(top)))
