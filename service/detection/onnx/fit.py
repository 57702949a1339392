"""Scales a photo, or a part of it, to a model's input and maps boxes back to the photo."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.detection.onnx.settings import DetectorSettings
from shared.images.cv import cv2

_GREY = 114
# Mean and deviation per RGB channel of ImageNet, of 0..1 values, as the common training recipes use them.
_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
_DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)


@dataclass(frozen=True, slots=True)
class FittedImage:
    """The tensor (1, 3, height, width) float32, and input px = photo px * scale + shift per axis."""

    tensor: NDArray[np.float32]
    scale: tuple[float, float]
    shift: tuple[float, float]

    def back(self, corners: NDArray[np.float64]) -> NDArray[np.float64]:
        """Boxes x1, y1, x2, y2 (n, 4) from input px to photo px."""
        shift = np.array([*self.shift, *self.shift])
        scale = np.array([*self.scale, *self.scale])
        return np.asarray((corners - shift) / scale, np.float64)


def scale_of(width: int, height: int, settings: DetectorSettings) -> tuple[float, float]:
    """Input px per photo px, across and down."""
    across, down = settings.width / width, settings.height / height
    return (across, down) if settings.fit == "stretch" else (min(across, down),) * 2


def fit(image: NDArray[np.uint8], settings: DetectorSettings) -> FittedImage:
    """Scale a BGR uint8 image, add borders and normalise it according to `settings`."""
    height, width = image.shape[:2]
    across, down = scale_of(width, height, settings)
    size = (max(round(width * across), 1), max(round(height * down), 1))
    image = _scale(image, size)
    right, below = settings.width - size[0], settings.height - size[1]
    left, top = (right // 2, below // 2) if settings.fit == "centre" else (0, 0)
    if right or below:
        edges = (top, below - top, left, right - left)
        grey = (_GREY, _GREY, _GREY)
        image = np.asarray(cv2.copyMakeBorder(image, *edges, cv2.BORDER_CONSTANT, value=grey), np.uint8)
    factor = 1.0 if settings.values == "raw" else 1 / 255
    blob = cv2.dnn.blobFromImage(image, factor, swapRB=settings.colour == "rgb", ddepth=cv2.CV_32F)
    tensor = np.asarray(blob, np.float32)
    if settings.values == "imagenet":
        order = slice(None) if settings.colour == "rgb" else slice(None, None, -1)
        tensor -= _MEAN[order, None, None]
        tensor /= _DEVIATION[order, None, None]
    return FittedImage(tensor, (size[0] / width, size[1] / height), (float(left), float(top)))


def _scale(image: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.uint8]:
    """The image with `size` (width, height).

    To shrink an image, it is first averaged over whole blocks of px, which takes a tenth of the time of
    averaging by an uneven factor. The rest is less than a half, where interpolation skips no px.
    """
    height, width = image.shape[:2]
    across, down = width / size[0], height / size[1]
    whole = range(int(min(across, down)), 1, -1)
    block = next((side for side in whole if width % side == 0 and height % side == 0), 1)
    if block > 1:
        image = _resize(image, (width // block, height // block), cv2.INTER_AREA)
    skips = max(across, down) / block >= 2
    return _resize(image, size, cv2.INTER_AREA if skips else cv2.INTER_LINEAR)


def _resize(image: NDArray[np.uint8], size: tuple[int, int], how: int) -> NDArray[np.uint8]:
    if size == (image.shape[1], image.shape[0]):
        return image
    return np.asarray(cv2.resize(image, size, interpolation=how), np.uint8)
