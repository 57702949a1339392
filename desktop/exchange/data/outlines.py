"""Numbers of a file as rectangles: boxes, and the boxes around other shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from shared.record.geometry import Rect


def parse_rect(values: Any) -> Rect | None:
    """Make a rectangle of the numbers or texts x, y, w, h; None if they are not four numbers."""
    if not isinstance(values, list | tuple) or len(values) != 4:
        return None
    try:
        x, y, w, h = (float(value) for value in values)
    except (TypeError, ValueError, OverflowError):
        return None
    # Every comparison with NaN is false, so it is refused too.
    return Rect(x, y, w, h) if all(abs(value) < 1e9 for value in (x, y, w, h)) else None


def bounding_rect(numbers: Sequence[Any]) -> Rect | None:
    """The bounding box of two or more points given as x, y, x, y, ...; None for other values."""
    if len(numbers) < 4 or len(numbers) % 2:
        return None
    try:
        xs = [float(number) for number in numbers[::2]]
        ys = [float(number) for number in numbers[1::2]]
    except (TypeError, ValueError, OverflowError):
        return None
    return parse_rect([min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)])


def rotated_bounds(box: Rect, angle: float, pivot: tuple[float, float] | None = None) -> Rect | None:
    """The bounding box of `box` turned clockwise by `angle` in radians about `pivot`, else its middle."""
    if not angle:
        return box
    cos, sin = math.cos(angle), math.sin(angle)
    left, top = pivot or (box.x + box.w / 2, box.y + box.h / 2)
    offsets = [(x - left, y - top) for x in (box.x, box.right) for y in (box.y, box.bottom)]
    return bounding_rect([n for x, y in offsets for n in (left + x * cos - y * sin, top + x * sin + y * cos)])


def ellipse_bounds(ellipse: Rect, angle: float) -> Rect | None:
    """The bounding box of an ellipse of the centre (x, y) and the semi-axes (w, h), turned by `angle`."""
    cos, sin = math.cos(angle), math.sin(angle)
    half_w, half_h = (
        math.hypot(ellipse.w * cos, ellipse.h * sin),
        math.hypot(ellipse.w * sin, ellipse.h * cos),
    )
    return parse_rect([ellipse.x - half_w, ellipse.y - half_h, 2 * half_w, 2 * half_h])
