"""Paints panels and damage: soft masks blended into a float canvas, coordinates in px."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shared.images.cv import cv2

Image = NDArray[np.uint8]
Matrix = NDArray[np.float64]
Point = tuple[float, float]


def to_uint8(canvas: NDArray[Any]) -> Image:
    """Round a float canvas to uint8, clipped to 0..255."""
    return np.asarray(np.clip(np.rint(canvas), 0, 255), np.uint8)


def draw_soft_mask(
    shape: tuple[int, ...], paint: Callable[[Image], None], soft: float = 0.7
) -> NDArray[np.float32]:
    """Return a mask (height, width), 0..1, of what `paint` draws in 255, blurred by a sigma of `soft` px."""
    mask = np.zeros(shape[:2], np.uint8)
    paint(mask)
    blurred: NDArray[np.float32] = cv2.GaussianBlur(mask, (0, 0), soft).astype(np.float32) / 255
    return blurred


def crop_around(canvas: NDArray[Any], centre: Point, reach: float) -> tuple[NDArray[Any], Point]:
    """Return a view on the part of `canvas` within `reach` px of `centre`, and the centre in that part."""
    height, width = canvas.shape[:2]
    x1, y1 = max(int(centre[0] - reach), 0), max(int(centre[1] - reach), 0)
    x2, y2 = min(int(centre[0] + reach) + 1, width), min(int(centre[1] + reach) + 1, height)
    return canvas[y1:y2, x1:x2], (centre[0] - x1, centre[1] - y1)


def blend(part: NDArray[Any], mask: NDArray[np.float32], colour: Sequence[float] | NDArray[Any]) -> None:
    """Blend `colour` (BGR) into `part` in place, by `mask` (height, width), 0..1."""
    part[:] = part + (np.asarray(colour, np.float32) - part) * mask[..., None]


def fixed_point(*values: float) -> tuple[int, ...]:
    """Return coordinates in 1/16 px, for OpenCV's drawing functions with shift=4."""
    return tuple(round(v * 16) for v in values)
