"""Where two aligned frames differ by more than their noise and their misregistration explain.

At each of several scales (halved each time, so that hair cracks show at the first and wide dents at the last)
a pixel differs only by what leaves the range of values around it in the other frame, both ways: an edge that
is a little off does not count, a line that is gone does. That difference is measured in units of what is
usual at equal local contrast in this very pair, so a noisy photo or a busy texture raises its own bar.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.parts import Bytes, Floats
from service.detection.reference_difference.threads import side_by_side
from shared.cv import cv2

_LEVELS = 5
_BINS = 14
_SAMPLES = 12_000
# Red and blue against luminance, from BGR.
_COLOURS = np.array([[-0.08, -0.41, 0.49], [0.62, -0.41, -0.21]], np.float32)
# Least noise per channel (luminance, two of colour) in grey levels: rounding and compression.
_FLOORS = (1.6, 1.4, 1.4)


@dataclass(frozen=True, slots=True)
class Difference:
    """Maps in frame px, float32 (height, width).

    strength: deviations above the usual, the greatest over scales and channels. sharp: the same over the
    first two scales only, which do not smear. raw: absolute difference in grey levels after compensation, the
    greatest over the channels. contrast: local contrast of the reference in grey levels. radius: px of
    tolerance at the first scale.
    """

    strength: Floats
    sharp: Floats
    raw: Floats
    contrast: Floats
    radius: int


def opponent(image: Floats) -> list[Floats]:
    """Luminance and, at half the size, two colour differences; float32 each.

    image: float32 (height, width, 3) BGR in 0..255, or (height, width, 1) grey. Cameras and compression keep
    colour at half the resolution, so there is nothing finer to compare.
    """
    if image.shape[2] == 1:
        return [image[..., 0]]
    luminance = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.float32)
    colour = cv2.transform(cv2.pyrDown(image), _COLOURS)
    return [luminance, *(np.ascontiguousarray(colour[..., channel], np.float32) for channel in range(2))]


def differ(reference: Floats, photo: Floats, valid: Bytes) -> Difference:
    """Compare two aligned, compensated frames, float32 (height, width, 3 or 1); valid: 255 where seen."""
    ours, theirs = opponent(reference), opponent(photo)
    height, width = valid.shape
    radius, exceeding = _tolerance(ours[0], theirs[0], valid)
    half = _halved(valid) if len(ours) > 1 else valid
    work = [partial(_channel, ours[0], theirs[0], valid, radius, 0, _FLOORS[0], exceeding)]
    for channel in range(1, len(ours)):
        work.append(
            partial(_channel, ours[channel], theirs[channel], half, radius, 1, _FLOORS[channel], None)
        )
    found = side_by_side(work)
    maps = []
    for kind in range(3):
        whole, *halves = (maps_of[kind] for maps_of in found)
        for part in halves:
            np.maximum(whole, cv2.resize(part, (width, height), interpolation=cv2.INTER_LINEAR), out=whole)
        whole[valid == 0] = 0
        maps.append(whole)
    return Difference(maps[0], maps[1], maps[2], _range(ours[0], 2), radius)


def _channel(
    one: Floats, other: Floats, valid: Bytes, radius: int, first: int, floor: float, exceeding: Floats | None
) -> tuple[Floats, Floats, Floats]:
    """Strength, sharp and raw of one channel, whose first scale is number `first`."""
    height, width = valid.shape
    # What the photo does not show is taken as equal, or it would leak into the coarser scales.
    other = np.where(valid == 0, one, other)
    raw = np.abs(cv2.GaussianBlur(one - other, (3, 3), 0))
    strength = sharp = np.zeros((height, width), np.float32)
    for level in range(first, _LEVELS):
        if min(one.shape) < 12:
            break
        tolerance = max(radius - level, 1) if level < 3 else 0
        off = exceeding if level == 0 and exceeding is not None else _exceeding(one, other, tolerance)
        z = _deviation(off, one, valid, tolerance, floor * 0.75**level)
        if level > first:
            z = cv2.resize(z, (width, height), interpolation=cv2.INTER_LINEAR)
        strength = np.maximum(strength, z)
        if level < 2:
            sharp = strength
        one, other, valid = cv2.pyrDown(one), cv2.pyrDown(other), _halved(valid)
    return strength, sharp.copy(), raw


def _halved(valid: Bytes) -> Bytes:
    size = ((valid.shape[1] + 1) // 2, (valid.shape[0] + 1) // 2)
    return np.asarray(
        cv2.compare(cv2.resize(valid, size, interpolation=cv2.INTER_AREA), 255, cv2.CMP_EQ), np.uint8
    )


@lru_cache
def _kernel(radius: int) -> NDArray[np.uint8]:
    return np.asarray(
        cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1)), np.uint8
    )


def _range(image: Floats, radius: int) -> Floats:
    square = np.ones((2 * radius + 1, 2 * radius + 1), np.uint8)
    return np.asarray(cv2.dilate(image, square) - cv2.erode(image, square), np.float32)


def _beyond(values: Floats, around: Floats, kernel: NDArray[np.uint8]) -> Floats:
    above = values - cv2.dilate(around, kernel)
    below = cv2.erode(around, kernel) - values
    return np.asarray(np.maximum(np.maximum(above, below), 0), np.float32)


def _exceeding(one: Floats, other: Floats, radius: int) -> Floats:
    """By how much either frame leaves the range of the other within `radius` px."""
    if radius == 0:
        return np.asarray(np.abs(one - other), np.float32)
    kernel = _kernel(radius)
    return np.maximum(_beyond(other, one, kernel), _beyond(one, other, kernel))


def _tolerance(one: Floats, other: Floats, valid: Bytes) -> tuple[int, Floats]:
    """The tolerance (1..3 px) at which nearly all edges agree, and what exceeds it."""
    exceeding = _exceeding(one, other, 1)
    contrast = _range(one, 1)
    strong = (contrast > max(float(np.quantile(contrast[::4, ::4], 0.8)), 25.0)) & (valid > 0)
    if np.count_nonzero(strong) < 200:
        return 1, exceeding
    for radius in (1, 2, 3):
        if radius > 1:
            exceeding = _exceeding(one, other, radius)
        if radius == 3 or np.mean(exceeding[strong] > 0.3 * contrast[strong]) < 0.03:
            return radius, exceeding
    return 3, exceeding


def _deviation(exceeding: Floats, one: Floats, valid: Bytes, radius: int, floor: float) -> Floats:
    off = cv2.blur(exceeding, (3, 3))
    contrast = _range(one, max(radius, 1) + 1)
    off /= _usual(off, contrast, valid, floor)
    return np.asarray(off, np.float32)


def _usual(off: Floats, contrast: Floats, valid: Bytes, floor: float) -> Floats:
    """The difference that is usual at each pixel's local contrast, as a standard deviation."""
    step = max(int(np.sqrt(off.size / _SAMPLES)), 1)
    seen = valid[::step, ::step] > 0
    samples, levels = off[::step, ::step][seen], contrast[::step, ::step][seen]
    each = samples.size // _BINS
    if each < 12:
        return np.full(off.shape, floor + 1.0, np.float32)
    # Bins of equal size along the contrast, so that every one has the same say.
    order = np.argsort(np.minimum(levels * 64, 65535).astype(np.uint16), kind="stable")[: each * _BINS]
    position = levels[order].reshape(_BINS, each)[:, each // 2].astype(np.float64)
    # The 80th and 60th percentiles of a half-normal distribution lie at 1.28 and 0.84 deviations.
    at = (int(each * 0.6), int(each * 0.8))
    bins = np.partition(samples[order].reshape(_BINS, each), at, axis=1)
    spreads = np.maximum(bins[:, at[1]] / 1.28, bins[:, at[0]] / 0.84)
    # Never below a share of the contrast: interpolation alone leaves that much at an edge.
    grey_levels = np.arange(512)
    table = np.interp(grey_levels, position, np.maximum(spreads, floor + 0.03 * position))
    lookup = (table + 0.03 * np.clip(grey_levels - position[-1], 0, None)).astype(np.float32)
    return np.asarray(lookup[np.minimum(contrast, 511).astype(np.uint16)], np.float32)
