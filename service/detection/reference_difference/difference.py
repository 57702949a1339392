"""Where two aligned frames differ by more than their noise and their misregistration explain.

At each of several scales (halved each time, so that hair cracks show at the first and wide dents at the last)
a pixel differs only by what leaves the range of values around it in the other frame, both ways: an edge that
is a little off does not count, a line that is gone does. That difference is measured in units of what is
usual at equal local contrast in this very pair, so a noisy photo or a busy texture raises its own bar.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.parts import Bytes, Floats
from shared.cv import cv2

_LEVELS = 5
_BINS = 14
_SAMPLES = 18_000
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
    """Luminance and two colour differences, float32 each; (height, width, 3) BGR in 0..255, or 1 of grey."""
    if image.shape[2] == 1:
        return [image[..., 0]]
    blue, green, red = cv2.split(image)
    luminance = 0.114 * blue + 0.587 * green + 0.299 * red
    return [luminance, 0.7 * (red - luminance), 0.7 * (blue - luminance)]


def differ(reference: Floats, photo: Floats, valid: Bytes) -> Difference:
    """Compare two aligned, compensated frames, float32 (height, width, 3 or 1); valid: 255 where seen."""
    ours, theirs = opponent(reference), opponent(photo)
    height, width = valid.shape
    radius = _radius(ours[0], theirs[0], valid)
    strength = np.zeros((height, width), np.float32)
    sharp = np.zeros((height, width), np.float32)
    raw = np.zeros((height, width), np.float32)
    contrast = _range(ours[0], 2)
    for channel in range(len(ours)):
        one, other, mask = ours[channel], theirs[channel], valid
        # What the photo does not show is taken as equal, or it would leak into the coarser scales.
        np.copyto(other, one, where=valid == 0)
        np.maximum(raw, np.abs(cv2.GaussianBlur(one - other, (3, 3), 0)), out=raw)
        for level in range(_LEVELS):
            if min(one.shape) < 12:
                break
            if channel == 0 or level > 0:
                tolerance = max(radius - level, 1) if level < 3 else 0
                z = _deviation(one, other, mask, tolerance, _FLOORS[channel], level)
                if level:
                    z = cv2.resize(z, (width, height), interpolation=cv2.INTER_LINEAR)
                np.maximum(strength, z, out=strength)
                if level < 2:
                    np.maximum(sharp, z, out=sharp)
            one, other = cv2.pyrDown(one), cv2.pyrDown(other)
            mask = cv2.resize(mask, (one.shape[1], one.shape[0]), interpolation=cv2.INTER_AREA)
            mask = np.where(mask == 255, np.uint8(255), np.uint8(0))
    for part in (strength, sharp, raw):
        part[valid == 0] = 0
    return Difference(strength, sharp, raw, contrast, radius)


def _kernel(radius: int) -> NDArray[np.uint8]:
    return np.asarray(
        cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1)), np.uint8
    )


def _range(image: Floats, radius: int) -> Floats:
    kernel = _kernel(radius)
    return np.asarray(cv2.dilate(image, kernel) - cv2.erode(image, kernel), np.float32)


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


def _radius(one: Floats, other: Floats, valid: Bytes) -> int:
    """The tolerance (1..3 px) at which nearly all edges agree."""
    contrast = _range(one, 1)
    strong = (contrast > max(float(np.quantile(contrast[::3, ::3], 0.8)), 25.0)) & (valid > 0)
    if np.count_nonzero(strong) < 200:
        return 1
    for radius in (1, 2):
        share = np.mean(_exceeding(one, other, radius)[strong] > 0.3 * contrast[strong])
        if share < 0.03:
            return radius
    return 3


def _deviation(one: Floats, other: Floats, valid: Bytes, radius: int, floor: float, level: int) -> Floats:
    off = cv2.blur(_exceeding(one, other, radius), (3, 3))
    contrast = np.maximum(_range(one, max(radius, 1) + 1), 0)
    usual = _usual(off, contrast, valid, floor * 0.75**level)
    return np.asarray(off / usual, np.float32)


def _usual(off: Floats, contrast: Floats, valid: Bytes, floor: float) -> Floats:
    """The difference that is usual at each pixel's local contrast, as a standard deviation."""
    step = max(int(np.sqrt(off.size / _SAMPLES)), 1)
    seen = valid[::step, ::step] > 0
    samples, levels = off[::step, ::step][seen], contrast[::step, ::step][seen]
    each = samples.size // _BINS
    if each < 12:
        return np.full(off.shape, floor + 1.0, np.float32)
    # Bins of equal size along the contrast, so that every one has the same say.
    order = np.argsort(levels, kind="stable")[: each * _BINS]
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
