"""Reduces frames to the few numbers that a fit needs, faster than OpenCV and NumPy in general do."""

from __future__ import annotations

from functools import reduce
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Bytes, Floats
from shared.images.cv import cv2

# Every so many values one is looked at first, and by how much (share of all) it may miss the rank.
_THINNED: Final = 16
_MISSED: Final = 0.02


def area_means(image: Floats, size: tuple[int, int]) -> Floats:
    """The means of the cells of a grid of `size` (columns, rows), float32 (rows, columns, ...).

    image: float32 (height, width) or (height, width, channels), no smaller than the grid. The same as
    `cv2.resize` with INTER_AREA but for rounding, which adds up each row pixel by pixel, and waits for each.
    """
    height, width = image.shape[:2]
    rows = size[1]
    if rows == height:
        means = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        return np.asarray(means, np.float32).reshape(rows, size[0], *image.shape[2:])
    lines = np.ascontiguousarray(image).reshape(height, -1)
    edges = np.linspace(0, height, rows + 1)
    first = edges.astype(np.int64)
    # The rows through which an edge goes, as far as they lie above it.
    above = lines[np.minimum(first, height - 1)] * (edges - first).astype(np.float32)[:, None]
    sums = np.zeros((rows, lines.shape[1]), np.float32)
    for row, (top, bottom) in enumerate(zip(first[:-1].tolist(), first[1:].tolist(), strict=True)):
        cv2.reduce(lines[top:bottom], 0, cv2.REDUCE_SUM, sums[row : row + 1])
    sums += above[1:] - above[:-1]
    sums *= np.float32(rows / height)
    means = cv2.resize(sums.reshape(rows, width, *image.shape[2:]), size, interpolation=cv2.INTER_AREA)
    return np.asarray(means, np.float32).reshape(rows, size[0], *image.shape[2:])


def fully_covered(valid: Bytes, size: tuple[int, int]) -> NDArray[np.bool_]:
    """Which cells of a grid of `size` (columns, rows) are 255 all over, (rows, columns)."""
    if valid.all():
        return np.ones(size[::-1], np.bool_)
    return np.asarray(cv2.resize(valid, size, interpolation=cv2.INTER_AREA) == 255, np.bool_)


def differences(one: Floats, other: Floats, step: int) -> Floats:
    """By how much two frames differ at every px of every so many rows and columns, float32 (rows, columns).

    one, other: float32 (height, width, channels); the greatest difference over the channels, in their unit.
    """
    # Whole rows first: that reads no more memory, and NumPy is slow on single px.
    channels = np.abs((one[::step] - other[::step])[:, ::step])
    parts = (channels[..., channel] for channel in range(channels.shape[2]))
    return np.asarray(reduce(np.maximum, parts), np.float32)


def ranked(values: NDArray[Any], rank: int) -> float:
    """The value that would be at `rank` (from 0) of the flat `values` in order."""
    some = np.sort(values[::_THINNED])
    share, last = rank / values.size, some.size - 1
    low = some[max(int((share - _MISSED) * last), 0)]
    high = some[min(int((share + _MISSED) * last) + 1, last)]
    # Only what lies about there is put in order, unless the thinned values misled.
    near = values[(values >= low) & (values <= high)]
    position = rank - int(np.count_nonzero(values < low))
    if not 0 <= position < near.size:
        near, position = values, rank
    return float(np.partition(near, position)[position])
