"""Models shadows with an edge and bands of light, which a smooth fit of the light does not follow.

The residual of the fit is one factor per cell of a coarse grid. A lamp that flickers under a rolling shutter
makes whole rows brighter: they are the median along each row and column. A shadow is wide and keeps its edge:
it is a median over a third of the picture, in which no defect has a majority. Both are accepted only where
the surface is still the same, since a missing part also makes a wide dark place.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Bytes, Floats
from shared.images.cv import cv2

# Cells along the longer side of the grid.
_CELLS: Final = 160
# Factors (as logarithms) below which the light is even enough: of bands and of shadows.
_BAND: Final = 0.02
_SHADOW: Final = 0.06
_MIN_SHARE: Final = 0.04
# Grey levels between which a cell shows the light, and the levels that are added against noise.
_DARKEST, _BRIGHTEST, _NOISE = 8.0, 247.0, 4.0
# The least correlation of the fine structure where the light has changed, and its least deviation.
_SAME: Final = 0.6
_MIN_STRUCTURE: Final = 0.8
_MIN_CELLS: Final = 24
# Cells: the distance by which the edge of a shadow may differ from the wide median, the size of the median
# that is used there, and the width of its soft edge.
_ABOUT: Final = 12
_NARROW: Final = 9
_SOFT: Final = 2
# Steps of the logarithm in the 8 bits that OpenCV's median takes.
_STEP: Final = 0.01


def is_uneven(one: Floats, other: Floats, valid: NDArray[np.bool_]) -> bool:
    """Whether two small frames (height, width) of the same surface differ by bands or shadows."""
    ratio, known = _ratio(one, other, valid)
    if np.count_nonzero(known) < 0.2 * known.size:
        return False
    wide = _wide(ratio, known)
    bands = _bands(ratio - wide, known)
    return bool(np.quantile(np.abs(bands), 0.9) > _BAND or np.mean(np.abs(wide) > _SHADOW) > _MIN_SHARE)


def shade_range(was: Floats, now: Floats, valid: Bytes) -> tuple[Floats, Floats]:
    """The least and the greatest factor of the light in each cell, as logarithms, float32 (rows, columns).

    was, now: luminance of the frames after the smooth fit, float32 (height, width). The two factors differ at
    the edge of a shadow, which may be soft and anywhere within the cells around.
    """
    height, width = valid.shape
    scale = min(_CELLS / max(height, width), 1.0)
    size = (max(round(width * scale), 2), max(round(height * scale), 2))
    one, other = (
        np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.float32) for image in (was, now)
    )
    seen = cv2.resize(valid, size, interpolation=cv2.INTER_AREA) == 255
    ratio, known = _ratio(one, other, seen)
    wide = _wide(ratio, known)
    bands = _bands(ratio - wide, known)
    # Near the edge of the picture, and where it bends, the edge of a shadow differs from that of the wide
    # median.
    low, high = _range(wide, _ABOUT)
    near = np.clip(_median(ratio - bands, known, _NARROW), low, high)
    wide = np.where(high - low > _SHADOW, near, wide)
    low, high = _range(wide, _SOFT)
    lit, clear = one * np.exp(bands + wide), (high - low < _SHADOW) & known
    same = _same_surface(lit, other, wide, clear)
    low, high = (np.where(same, part, np.float32(0)) for part in (low, high))
    # Bands have one light, so they are checked together: a plain surface has no structure to compare.
    banded = np.abs(bands) > _BAND
    if banded.any() and not _agrees_at(banded & clear, *_fine(lit, other)):
        bands = np.zeros_like(bands)
    return np.minimum(low, high) + bands, np.maximum(low, high) + bands


def _ratio(one: Floats, other: Floats, valid: NDArray[np.bool_]) -> tuple[Floats, NDArray[np.bool_]]:
    known = valid & (np.minimum(one, other) > _DARKEST) & (np.maximum(one, other) < _BRIGHTEST)
    # Cubic interpolation may go below black.
    above, below = (np.maximum(image, 0) + np.float32(_NOISE) for image in (other, one))
    return np.asarray(np.log(above / below), np.float32), known


def _bands(ratio: Floats, known: NDArray[np.bool_]) -> Floats:
    """The common factor of whole rows and whole columns."""
    rows = _profile(ratio, known)[:, None]
    return rows + _profile((ratio - rows).T, known.T)[None]


def _profile(ratio: Floats, known: NDArray[np.bool_]) -> Floats:
    """The median of each row, smoothed so that a crack along the row does not count."""
    count = known.sum(axis=1)
    enough = np.flatnonzero(count > 0.3 * known.shape[1])
    if not enough.size:
        return np.zeros(len(ratio), np.float32)
    ordered = np.sort(np.where(known, ratio, np.float32(np.inf))[enough], axis=1)
    medians = ordered[np.arange(enough.size), count[enough] // 2]
    every = np.interp(np.arange(len(ratio)), enough, medians).astype(np.float32)
    padded = np.pad(every, 2, mode="edge")
    # The middle of five sorted values, which np.median takes twice as long to find.
    return np.asarray(np.sort(np.lib.stride_tricks.sliding_window_view(padded, 5), axis=1)[:, 2], np.float32)


def _range(image: Floats, reach: int) -> tuple[Floats, Floats]:
    """The least and the greatest value within `reach` cells."""
    square = np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)
    return np.asarray(cv2.erode(image, square), np.float32), np.asarray(cv2.dilate(image, square), np.float32)


def _wide(ratio: Floats, known: NDArray[np.bool_]) -> Floats:
    """The median over a third of the picture around each cell."""
    return _median(ratio, known, max(max(ratio.shape) // 3 | 1, 3))


def _median(ratio: Floats, known: NDArray[np.bool_], side: int) -> Floats:
    """The median of each cell's surroundings, `side` cells wide."""
    share = known.astype(np.float32)
    around = cv2.GaussianBlur(ratio * share, (0, 0), side / 6)
    weight = cv2.GaussianBlur(share, (0, 0), side / 6)
    filled = np.where(known, ratio, around / np.maximum(weight, 1e-3))
    steps = np.clip(np.rint(filled / _STEP) + 128, 0, 255).astype(np.uint8)
    return np.asarray((cv2.medianBlur(steps, side).astype(np.float32) - 128) * _STEP, np.float32)


def _same_surface(lit: Floats, other: Floats, light: Floats, clear: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The cells that `light` hardly changes, or whose structure agrees as far as it is visible."""
    fine, seen = _fine(lit, other)
    same = np.ones(light.shape, np.bool_)
    for sign in (1, -1):
        changed = (sign * light > _BAND).astype(np.uint8)
        count, labels = cv2.connectedComponents(changed, connectivity=8)
        for index in range(1, count):
            place = labels == index
            if not _agrees_at(place & clear, fine, seen):
                same[place] = False
    return same


def _fine(*images: Floats) -> tuple[Floats, ...]:
    return tuple(np.asarray(image - cv2.GaussianBlur(image, (0, 0), 3.0), np.float32) for image in images)


def _agrees_at(cells: NDArray[np.bool_], fine: Floats, seen: Floats) -> bool:
    return bool(np.count_nonzero(cells) >= _MIN_CELLS and _agrees(fine[cells], seen[cells]))


def _agrees(a: Floats, b: Floats) -> bool:
    a, b = a - a.mean(), b - b.mean()
    deviation = float(np.sqrt(np.mean(a * a)))
    return deviation > _MIN_STRUCTURE and float((a * b).sum()) > _SAME * float(
        np.sqrt((a * a).sum() * (b * b).sum())
    )
