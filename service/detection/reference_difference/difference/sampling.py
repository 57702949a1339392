"""Reduces frames to the few numbers that a fit needs, faster than general functions of OpenCV and NumPy."""

from __future__ import annotations

from functools import reduce
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Bytes, Floats
from shared.images.cv import cv2

Number = TypeVar("Number", bound=np.generic)

# The step of the values that are sorted first: prime, so that they are from all columns of a picture.
_THINNED: Final = 17


def area_means(image: Floats, size: tuple[int, int]) -> Floats:
    """The means of the cells of a grid of `size` (columns, rows), float32 (rows, columns, ...).

    image: float32 (height, width) or (height, width, channels), no smaller than the grid. Up to rounding it
    equals `cv2.resize` with INTER_AREA, which is slower because it adds up each row pixel by pixel.
    """
    height, width = image.shape[:2]
    rows = size[1]
    if rows == height:
        means = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        return np.asarray(means, np.float32).reshape(rows, size[0], *image.shape[2:])
    lines = np.ascontiguousarray(image).reshape(height, -1)
    edges = np.linspace(0, height, rows + 1)
    first = edges.astype(np.int64)
    # The rows that an edge cuts, weighted by their part above it.
    above = lines[np.minimum(first, height - 1)] * (edges - first).astype(np.float32)[:, None]
    sums = np.zeros((rows, lines.shape[1]), np.float32)
    for row, (top, bottom) in enumerate(zip(first[:-1].tolist(), first[1:].tolist(), strict=True)):
        cv2.reduce(lines[top:bottom], 0, cv2.REDUCE_SUM, sums[row : row + 1])
    sums += above[1:] - above[:-1]
    sums *= np.float32(rows / height)
    means = cv2.resize(sums.reshape(rows, width, *image.shape[2:]), size, interpolation=cv2.INTER_AREA)
    return np.asarray(means, np.float32).reshape(rows, size[0], *image.shape[2:])


def fully_covered(valid: Bytes, size: tuple[int, int]) -> NDArray[np.bool_]:
    """Whether each cell of a grid of `size` (columns, rows) is 255 everywhere, (rows, columns)."""
    if valid.all():
        return np.ones(size[::-1], np.bool_)
    return np.asarray(cv2.resize(valid, size, interpolation=cv2.INTER_AREA) == 255, np.bool_)


def differences(one: Floats, other: Floats, step: int) -> Floats:
    """The difference of two frames at the px of every `step`-th row and column, float32 (rows, columns).

    one, other: float32 (height, width, channels). The difference is the greatest over the channels, in their
    unit.
    """
    channels = np.abs(thin(one, step) - thin(other, step))
    parts = (channels[..., channel] for channel in range(channels.shape[2]))
    return np.asarray(reduce(np.maximum, parts), np.float32)


def luminance(image: Floats) -> Floats:
    """The brightness of a frame (height, width, 3 or 1), (height, width)."""
    if image.shape[2] == 1:
        return image[..., 0]
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.float32)


def thin(image: NDArray[Number], step: int) -> NDArray[Number]:
    """The px of every `step`-th row and column of an image (height, width, channels)."""
    # NumPy copies the px as single items in half the time that it takes for their channels.
    whole = image.view(f"V{image.shape[2] * image.itemsize}")
    return np.ascontiguousarray(whole[::step, ::step]).view(image.dtype)


def value_at_rank(values: NDArray[Any], rank: int) -> float:
    """The value at `rank` (from 0) of the sorted flat `values`."""
    some = np.sort(values[::_THINNED])
    share, last = rank / values.size, some.size - 1
    # Twice the standard deviation of the median of so many values.
    missed = some.size**-0.5
    low = some[max(int((share - missed) * last), 0)]
    high = some[min(int((share + missed) * last) + 1, last)]
    # Only the values near it are sorted, unless the estimate from the thinned values was wrong.
    near = values[(values >= low) & (values <= high)]
    position = rank - int(np.count_nonzero(values < low))
    if not 0 <= position < near.size:
        near, position = values, rank
    return float(np.partition(near, position)[position])
