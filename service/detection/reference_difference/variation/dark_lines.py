"""Finds thin dark lines in differences, such as cracks, also in places that vary.

A tile of dirt with a crack is almost similar to one without (`likeness`), so lines are searched separately: a
closing fills px that are darker than both sides (a black top-hat).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Floats, Matrix, apply, inverse
from service.detection.reference_difference.difference.comparison import Comparison
from service.detection.reference_difference.variation.memory import Appearance
from shared.geometry import Rect
from shared.images.cv import cv2

Line = NDArray[np.float64]
"""The px of a line: float64 (count, 2), x and y in px of the reference image."""

# The most px of a line's thickness, the least px of its length, and the most px of its area per px of its
# length.
_THICKEST = 5
_SHORTEST = 12.0
_PX_PER_LENGTH = 4.0
# The least length and the most thickness of a line that only similar lines in other photos explain.
_LONG = 20.0
_THIN = 3.0
# Grey levels by which a line is darker than both its sides.
_DARKER = 14.0
# The least darkness of a line relative to another one that is the same line, moved.
_AS_DARK = 0.5
# px within which two photos show the same line, and the share of it that must be so near.
_OFF = 4.0
_SAME = 0.6
# px within which a similar line may be elsewhere (or within its length if that is more), and its least length
# in parts of the line's.
_NEARBY = 30.0
_LIKE = 0.5
# px around a line with which its darkness is compared.
_MARGIN = 8


def dark_lines(appearances: Iterable[Appearance]) -> list[Line]:
    """The thin dark lines in these differences."""
    return [line for appearance in appearances for line in _lines(appearance)]


def darkness(image: Floats) -> Floats:
    """The grey levels by which each px is darker than both sides of a line through it; float32.

    image: float32 (height, width, channels), grey levels.
    """
    grey = np.asarray(image.mean(axis=2), np.float32)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (_THICKEST + 2, _THICKEST + 2))
    return np.asarray(cv2.morphologyEx(grey, cv2.MORPH_BLACKHAT, kernel), np.float32)


def is_dark(line: Line, view: Comparison) -> bool:
    """Whether the photo itself is darker along the line; where a bright line is missing it is not."""
    return bool((_darkness_along(line, view, view.now, 1) >= _DARKER / 2).mean() >= _SAME)


def is_moved(line: Line, view: Comparison) -> bool:
    """Whether the reference image has an equally dark line beside it, so that the line is a moved edge."""
    now = _darkness_along(line, view, view.now, 1)
    was = _darkness_along(line, view, view.was, round(_OFF))
    return bool((was >= _AS_DARK * now).mean() >= _SAME)


def _darkness_along(line: Line, view: Comparison, image: Floats, beside: int) -> Floats:
    """The greatest darkness within `beside` px of each px of the line; image: one of the view's."""
    points = np.rint(apply(inverse(view.frame.to_reference), line) - 0.5).astype(np.int64)
    left, top = np.maximum(points.min(axis=0) - _MARGIN, 0).tolist()
    right, bottom = (points.max(axis=0) + _MARGIN + 1).tolist()
    dark = cv2.dilate(darkness(image[top:bottom, left:right]), np.ones((2 * beside + 1, 2 * beside + 1)))
    rows = np.clip(points[:, 1] - top, 0, dark.shape[0] - 1)
    columns = np.clip(points[:, 0] - left, 0, dark.shape[1] - 1)
    return np.asarray(dark[rows, columns], np.float32)


def line_mask(line: Line, box: Rect, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """The px of a part near the line, bool of `shape` (height, width); box: the part, px of the reference."""
    height, width = shape
    scale = np.array([width / box.w, height / box.h])
    columns, rows = np.floor((line - np.array([box.x, box.y])) * scale).astype(np.int64).T
    mask = np.zeros(shape, np.uint8)
    mask[np.clip(rows, 0, height - 1), np.clip(columns, 0, width - 1)] = 1
    return np.asarray(cv2.dilate(mask, np.ones((_THICKEST, _THICKEST), np.uint8)) > 0, np.bool_)


def is_shown(line: Line, by: Sequence[Line]) -> bool:
    """Whether another photo, which has the lines `by`, shows the line at its place."""
    if not by:
        return False
    points = np.concatenate(by)
    off = np.abs(line[:, None, :] - points[None, :, :]).max(axis=2).min(axis=1)
    return bool((off <= _OFF).mean() >= _SAME)


def is_crack_like(line: Line) -> bool:
    """Whether a line is longer and thinner than strokes of letters and edges of parts usually are."""
    length = _length(line)
    return length >= _LONG and line.shape[0] <= _THIN * length


def has_similar(line: Line, by: Sequence[Line]) -> bool:
    """Whether another photo shows a line nearby that is at least half as long, in any direction."""
    length = _length(line)
    reach = max(_NEARBY, length)
    low, high = line.min(axis=0) - reach, line.max(axis=0) + reach
    return any(
        _length(other) >= _LIKE * length and bool(((other >= low) & (other <= high)).all(axis=1).any())
        for other in by
    )


def _length(line: Line) -> float:
    return float(np.hypot(*np.ptp(line, axis=0)))


def _lines(appearance: Appearance) -> list[Line]:
    difference = appearance.difference
    # Darker than the reference image too: between two parts of a highlight it is not.
    dark = (darkness(difference) >= _DARKER) & (difference.mean(axis=2) <= -_DARKER)
    mask = dark.astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    height, width = mask.shape
    per_px = np.array([appearance.box.w / width, appearance.box.h / height])
    lines = []
    for index in range(1, count):
        x, y, w, h, area = (int(value) for value in stats[index])
        length = float(np.hypot(w * per_px[0], h * per_px[1]))
        if length < _SHORTEST or area > _PX_PER_LENGTH * np.hypot(w, h):
            continue
        rows, columns = np.nonzero(labels[y : y + h, x : x + w] == index)
        points: Matrix = np.stack([columns + x + 0.5, rows + y + 0.5], axis=1) * per_px
        lines.append(points + np.array([appearance.box.x, appearance.box.y]))
    return lines
