"""Finds the places where two aligned frames differ by more than noise and misregistration explain.

There are several scales, each half of the one before: hair cracks show at the first and wide dents at the
last. A pixel differs by the amount by which it exceeds the range of values around it in the other frame, both
ways. So an edge that is a little off does not count, and a missing line does. The difference is measured in
units of the usual difference at equal local contrast in the same pair, so the threshold rises with noise and
texture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Bytes, Floats
from service.detection.reference_difference.threads import run_parallel
from shared.images.cv import cv2

Fixed = NDArray[np.int16]

_LEVELS = 5
_BINS = 14
_SAMPLES = 12_000
# Red and blue against luminance, from BGR.
_COLOURS = ((-0.08, -0.41, 0.49), (0.62, -0.41, -0.21))
# Grey levels are compared in sixty-fourths, in int16, which is twice as fast as float32 and exact enough.
_UNIT = 64
# Grey levels within the tolerance from which there is an edge. Less is texture, which a stain may tint.
_EDGE = 60
# The most that the usual difference may be relative to the half-normal distribution with the same 40th
# percentile. A change that covers a fifth of the px of one contrast, such as a car on a road, reaches the
# 80th percentile, and would be usual itself. In scans most px do not differ at all.
_LONGEST_TAIL = 3.0
# Least noise per channel (luminance, two of colour) in grey levels: rounding and compression.
_FLOORS = (1.6, 1.4, 1.4)


@dataclass(frozen=True, slots=True)
class Difference:
    """Maps in frame px, float32 (height, width).

    strength: standard deviations of the usual difference, the greatest over scales and channels. sharp: the
    same over the first two scales, which smear little. raw: absolute difference in grey levels after
    compensation, the greatest over the channels. radius: px of tolerance at the first scale.
    """

    strength: Floats
    sharp: Floats
    raw: Floats
    radius: int


def opponent(image: Floats) -> list[Fixed]:
    """Luminance and, at half the size, two colour differences; int16 each, `_UNIT` to a grey level.

    image: float32 (height, width, 3) BGR in 0..255, or (height, width, 1) grey. Cameras and compression keep
    colour at half the resolution, so there is nothing finer to compare.
    """
    if image.shape[2] == 1:
        return [_to_fixed(image[..., 0])]
    blue, green, red = cv2.split(cv2.pyrDown(image))
    colours = (cv2.scaleAdd(red, r, cv2.addWeighted(blue, b, green, g, 0)) for b, g, r in _COLOURS)
    return [_to_fixed(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)), *map(_to_fixed, colours)]


def _to_fixed(image: NDArray[Any]) -> Fixed:
    return np.asarray(np.multiply(image, np.float32(_UNIT)), np.float32).astype(np.int16)


def differ(reference: Floats, photo: Floats, valid: Bytes, scanned: bool = False) -> Difference:
    """Compare two aligned, compensated frames, float32 (height, width, 3 or 1).

    valid: 255 where the photo is visible. scanned: both are black and white.
    """
    reference_channels, photo_channels = run_parallel(
        [partial(opponent, reference), partial(opponent, photo)]
    )
    radius, exceeding = _tolerance(reference_channels[0], photo_channels[0], valid)
    if scanned:
        photo_channels[0] = _without_slits(reference_channels[0], photo_channels[0])
        exceeding = _beyond_range(reference_channels[0], photo_channels[0], radius)
    half = _halve_mask(valid) if len(reference_channels) > 1 else valid
    work = [
        partial(
            _channel,
            reference_channels[0],
            photo_channels[0],
            valid,
            radius,
            0,
            _FLOORS[0],
            exceeding,
            scanned,
        )
    ]
    for channel in range(1, len(reference_channels)):
        work.append(
            partial(
                _channel,
                reference_channels[channel],
                photo_channels[channel],
                half,
                radius,
                1,
                _FLOORS[channel],
                None,
                scanned,
            )
        )
    found = run_parallel(work)
    scales: dict[int, list[Floats]] = {}
    for first, each, _ in found:
        for level, strength in enumerate(each, first):
            scales.setdefault(level, []).append(strength)
    finest, *coarser = (_maximum(scales[level]) for level in sorted(scales))
    sharp = strength = finest
    if coarser:
        sharp = _maximum([finest, _enlarge(coarser[0], finest)])
        faint = reduce(lambda below, scale: _maximum([scale, _enlarge(below, scale)]), reversed(coarser))
        strength = _maximum([finest, _enlarge(faint, finest)])
    raw = found[0][2]
    if len(found) > 1:
        raw = _maximum([raw, _enlarge(_maximum([each for _, _, each in found[1:]]), raw)])
    if not valid.all():
        strength, sharp, raw = (
            np.asarray(cv2.copyTo(part, valid), np.float32) for part in (strength, sharp, raw)
        )
    return Difference(strength, sharp, raw, radius)


def _enlarge(image: Floats, to: Floats) -> Floats:
    return np.asarray(cv2.resize(image, to.shape[::-1], interpolation=cv2.INTER_LINEAR), np.float32)


def _maximum(maps: Sequence[Floats]) -> Floats:
    """The greatest value of the maps at each pixel."""
    return np.asarray(reduce(cv2.max, maps), np.float32)


def _in_grey_levels(image: Fixed) -> Floats:
    return np.multiply(image, np.float32(1 / _UNIT), dtype=np.float32)


def _channel(
    one: Fixed,
    other: Fixed,
    valid: Bytes,
    radius: int,
    first: int,
    floor: float,
    exceeding: Fixed | None,
    scanned: bool,
) -> tuple[int, list[Floats], Floats]:
    """`first`, the strength of one channel at each scale from number `first` on, and its raw difference."""
    if not valid.all():
        # What the photo does not show is taken as equal, or it would leak into the coarser scales.
        other = np.asarray(cv2.copyTo(other, valid, one.copy()), np.int16)
    raw = _in_grey_levels(np.abs(cv2.GaussianBlur(cv2.subtract(one, other), (3, 3), 0)))
    scales: list[Floats] = []
    for level in range(first, _LEVELS):
        if level > first and min(one.shape) < 12:
            break
        tolerance = max(radius - level, 1) if level < 3 else 0
        off = exceeding if level == 0 and exceeding is not None else _beyond_range(one, other, tolerance)
        scales.append(_deviation(off, one, valid, tolerance, floor * 0.75**level, scanned))
        if level == first:
            other = _without_edges(one, other, off, tolerance)
        one, other, valid = _halve(one), _halve(other), _halve_mask(valid)
    return first, scales, raw


def _without_slits(one: Fixed, other: Fixed) -> Fixed:
    """Give `other` the slits and threads of `one` that a threshold closes or cuts.

    A threshold moves the edges on both sides, so slits and threads of at most 2 px appear and disappear with
    it.
    """
    kernel = _kernel(1)
    adapted = other
    for a, b in ((one, other), (other, one)):
        filled = cv2.max(cv2.subtract(cv2.min(b, cv2.morphologyEx(a, cv2.MORPH_CLOSE, kernel)), a), 0)
        worn = cv2.max(cv2.subtract(a, cv2.max(b, cv2.morphologyEx(a, cv2.MORPH_OPEN, kernel))), 0)
        change = cv2.subtract(worn, filled)
        adapted = cv2.add(adapted, change) if a is one else cv2.subtract(adapted, change)
    return np.asarray(adapted, np.int16)


def _without_edges(one: Fixed, other: Fixed, exceeding: Fixed, radius: int) -> Fixed:
    """Move the edges of `other` to those of `one`, as far as the tolerance explains the difference.

    Otherwise many slightly wider lines would become a darker area at the coarser scales.
    """
    edges = cv2.compare(_range(one, radius), _EDGE * _UNIT, cv2.CMP_GT)
    unexplained = cv2.copyTo(exceeding, edges)
    adapted = cv2.min(cv2.max(other, cv2.subtract(one, unexplained)), cv2.add(one, unexplained))
    return np.asarray(cv2.copyTo(adapted, edges, other.copy()), np.int16)


def _halve(image: Fixed) -> Fixed:
    return np.asarray(cv2.pyrDown(image), np.int16)


def _halve_mask(valid: Bytes) -> Bytes:
    size = ((valid.shape[1] + 1) // 2, (valid.shape[0] + 1) // 2)
    return np.asarray(
        cv2.compare(cv2.resize(valid, size, interpolation=cv2.INTER_AREA), 255, cv2.CMP_EQ), np.uint8
    )


@lru_cache
def _kernel(radius: int) -> NDArray[np.uint8]:
    return np.asarray(
        cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1)), np.uint8
    )


def _range(image: Fixed, radius: int) -> Fixed:
    square = np.ones((2 * radius + 1, 2 * radius + 1), np.uint8)
    return np.asarray(cv2.subtract(cv2.dilate(image, square), cv2.erode(image, square)), np.int16)


def _beyond_range(one: Fixed, other: Fixed, radius: int) -> Fixed:
    """The amount by which either frame exceeds the range of the other within `radius` px."""
    if radius == 0:
        return np.asarray(cv2.absdiff(one, other), np.int16)
    kernel = _kernel(radius)
    beyond = np.zeros_like(one)
    for values, around in ((other, one), (one, other)):
        nearest = cv2.min(cv2.max(values, cv2.erode(around, kernel)), cv2.dilate(around, kernel))
        cv2.max(beyond, cv2.absdiff(values, nearest), beyond)
    return beyond


def _tolerance(one: Fixed, other: Fixed, valid: Bytes) -> tuple[int, Fixed]:
    """The tolerance (1..3 px) at which nearly all edges agree, and the difference that exceeds it."""
    exceeding = _beyond_range(one, other, 1)
    contrast = _range(one, 1)
    some = contrast[::4, ::4].ravel()
    upper = some.size * 4 // 5
    # Whole numbers of 16 bits are sorted faster than they are partitioned.
    least = max(int(np.sort(some, kind="stable")[upper]), 25 * _UNIT)
    strong = cv2.copyTo(cv2.compare(contrast, least, cv2.CMP_GT), valid)
    edges = cv2.countNonZero(strong)
    if edges < 200:
        return 1, exceeding
    for radius in (1, 2, 3):
        if radius > 1:
            exceeding = _beyond_range(one, other, radius)
        disagreeing = cv2.compare(cv2.addWeighted(exceeding, 1, contrast, -0.3, 0), 0, cv2.CMP_GT)
        if radius == 3 or cv2.countNonZero(cv2.copyTo(disagreeing, strong)) < 0.03 * edges:
            return radius, exceeding
    return 3, exceeding


def _deviation(
    exceeding: Fixed, one: Fixed, valid: Bytes, radius: int, floor: float, scanned: bool
) -> Floats:
    off = np.asarray(cv2.blur(exceeding, (3, 3)), np.int16)
    contrast = _range(one, max(radius, 1) + 1)
    usual = _usual_difference(off, contrast, valid, floor, scanned)
    # The table has an entry for each whole grey level of contrast, 0 to 255.
    whole = cv2.convertScaleAbs(contrast, alpha=1 / _UNIT)
    return np.asarray(cv2.multiply(off, cv2.LUT(whole, 1 / (_UNIT * usual)), dtype=cv2.CV_32F), np.float32)


def _usual_difference(off: Fixed, contrast: Fixed, valid: Bytes, floor: float, scanned: bool) -> Floats:
    """The usual difference at each local contrast of 0..255 grey levels, as a standard deviation."""
    step = int(np.ceil(np.sqrt(off.size / _SAMPLES)))
    samples, levels, seen = (part[::step, ::step].ravel() for part in (off, contrast, valid))
    if not seen.all():
        samples, levels = samples[seen > 0], levels[seen > 0]
    each = samples.size // _BINS
    if each < 12:
        return np.full(256, floor + 1.0, np.float32)
    # Bins of equal size along the contrast, so that all have the same weight.
    order = np.argsort(levels, kind="stable")[: each * _BINS].reshape(_BINS, each)
    position = levels[order[:, each // 2]] / _UNIT
    # These percentiles of a half-normal distribution lie at 0.52, 0.84 and 1.28 deviations.
    at = (int(each * 0.4), int(each * 0.6), int(each * 0.8))
    bins = np.sort(samples[order], axis=1)[:, at].astype(np.float64) / _UNIT
    spreads = np.maximum(bins[:, 2] / 1.28, bins[:, 1] / 0.84)
    # Not below a share of the contrast, which interpolation alone leaves at an edge.
    least = floor + 0.03 * position
    if not scanned:
        spreads = np.minimum(spreads, _LONGEST_TAIL * np.maximum(bins[:, 0] / 0.52, least))
    grey_levels = np.arange(256)
    table = np.interp(grey_levels, position, np.maximum(spreads, least))
    return np.asarray(table + 0.03 * np.maximum(grey_levels - position[-1], 0), np.float32)
