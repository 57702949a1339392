"""Adapts the reference to the light and colour of the photo."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Bytes, Floats
from service.detection.reference_difference.difference.sampling import (
    area_means,
    differences,
    fully_covered,
    luminance,
    value_at_rank,
)
from service.detection.reference_difference.light import highlights, shade
from service.detection.reference_difference.light.light import (
    Light,
    apply_exponent,
    find_exponent,
    is_doubtful,
    sample_all_tones,
)
from service.detection.reference_difference.threads import run_parallel
from shared.images.cv import cv2

_SAMPLES_SIDE = 52
# The expected deviation of each number of a `Light` from equal light; the same if only the first may deviate.
_SMOOTH: Final = np.array([0.6, 0.3, 0.3, 0.3, 0.4, 0.3, 0.3, 0.15, 0.15, 0.15])
_GAIN: Final = np.array([0.6, *[1e-6] * 9])
# Without the square term, because the exponent bends the tones.
_STRAIGHT: Final = np.array([0.6, 0.3, 0.3, 1e-6, 0.4, 0.3, 0.3, 0.15, 0.15, 0.15])
# The most that the usual error with an exponent may be, relative to the error without: rare tones count
# little in it.
_NOT_WORSE = 1.1
_TONE_SAMPLES = 40_000
# About the number of px from which the usual error is computed.
_SAMPLES = 20_000
# The error with shadows, relative to the error without, below which they are accepted; and the grey levels by
# which both must differ at the px that count. In a dark picture few px show the light.
_MUCH_BETTER = 0.75
_APART = 6
# The light of a photo of a bilevel reference: px beside edges that are left out, grey levels within which the
# reference is even, the least even share of a cell, the least number of cells of each of black and white, and
# the least contrast relative to that of all cells.
_BESIDE_EDGE: Final = 3
_EVEN: Final = 12.0
_MIN_OF_CELL = 0.08
_MIN_CELLS: Final = 30
_MIN_CONTRAST = 0.7
# Grey levels from which a channel of a noisy photo counts as clipped, the least share of px of a cell that
# must not clip, the least share of such cells, and the share of clipped px in the frame that do not matter.
_CLIPPED: Final = 247
_MIN_UNCLIPPED = 0.3
_MIN_SHOWN = 0.3
_FEW_CLIPPED = 0.002


def match_light(
    reference: Floats, photo: Floats, valid: Bytes, scanned: bool = False, bilevel: bool = False
) -> tuple[Floats, Light]:
    """The reference in the photo's light and colour, and that light; without highlights, but it has them.

    The light is fitted robustly to area means, so that damage and noise count little and a shadow of the size
    of a defect stays. scanned: both are black and white, so there are no shadows. bilevel: only the reference
    is. In both cases no exponent is searched.
    """
    matched, light = _match_other_light(reference, photo, valid, scanned, bilevel)
    glare = None if scanned or bilevel else highlights.find_before_light(reference, photo, valid)
    if glare is not None:
        # A large highlight bends the fit, so the fit without its light is used if that is clearly better.
        other, other_light = _match_other_light(reference, glare.remove(photo), valid)
        shown = cv2.copyTo((photo < _CLIPPED).all(axis=2).astype(np.uint8), valid)
        if _is_much_better(glare.add(other), matched, photo, np.asarray(shown, np.uint8)):
            return other, replace(other_light, glare=glare)
    return matched, light


def _match_other_light(
    reference: Floats, photo: Floats, valid: Bytes, scanned: bool = False, bilevel: bool = False
) -> tuple[Floats, Light]:
    """Do the same as `match_light` in a photo without highlights."""
    matched, light = _fit_and_apply_light(reference, photo, valid, scanned, bilevel)
    if scanned or bilevel or light.numbers is None or not is_doubtful(light.numbers[:, 3]):
        return matched, light
    exponent = find_exponent(_exponent_error(reference, photo, valid))
    if exponent != 1.0:
        bent, bent_light = _fit_and_apply_light(apply_exponent(reference, exponent), photo, valid)
        if _usual_error(bent, photo, valid) < _NOT_WORSE * _usual_error(matched, photo, valid):
            return bent, replace(bent_light, exponent=exponent)
    return matched, light


def _exponent_error(reference: Floats, photo: Floats, valid: Bytes) -> Callable[[float, float], float]:
    """The function of the smooth fit's error with an exponent, in parts of white, at px of all tones.

    The function stops at the channel at which the error exceeds its second argument, see
    `find_exponent`.
    """
    step = int(np.ceil(np.sqrt(valid.size / _TONE_SAMPLES)))
    blurred = [np.asarray(cv2.blur(image, (3, 3)), np.float32) for image in (reference, photo)]
    known, seen = (image.reshape(reference.shape)[::step, ::step] for image in blurred)
    usable = sample_all_tones(known.mean(axis=2), valid[::step, ::step] > 0)
    y, x = np.mgrid[0 : usable.shape[0], 0 : usable.shape[1]].astype(np.float32)
    x, y = x[usable] / usable.shape[1] * 2 - 1, y[usable] / usable.shape[0] * 2 - 1
    target = seen[usable] / np.float32(255)

    def mean_residual(value: Floats, wanted: Floats) -> float:
        return _trimmed_mean(np.abs(_fit_residual(value, wanted, x, y)))

    known = known[usable]

    def error(exponent: float, most: float) -> float:
        value, total = apply_exponent(known, exponent) / np.float32(255), 0.0
        for channel in range(value.shape[1]):
            total += mean_residual(value[:, channel], target[:, channel])
            if total > most:
                break
        return total

    return error


def _fit_and_apply_light(
    reference: Floats, photo: Floats, valid: Bytes, scanned: bool = False, bilevel: bool = False
) -> tuple[Floats, Light]:
    """Do the same as `match_light` without an exponent."""
    unchanged = Light(reference.shape[2], None)
    height, width = valid.shape
    scale = min(_SAMPLES_SIDE / max(height, width), 1.0)
    size = (max(round(width * scale), 2), max(round(height * scale), 2))
    small_valid = fully_covered(valid, size)
    if np.count_nonzero(small_valid) < 12:
        return reference, unchanged
    channels = reference.shape[2]
    # Not in parallel, because these short calls would wait for each other.
    small_reference, small_photo = (area_means(image, size) for image in (reference, photo))
    usable = np.repeat(small_valid[..., None], channels, axis=2)
    if not scanned and not bilevel:
        _leave_out_clipped(reference, photo, small_reference, small_photo, usable)
    y, x = np.mgrid[0 : size[1], 0 : size[0]].astype(np.float32)
    x, y = (x + 0.5) / size[0] * 2 - 1, (y + 0.5) / size[1] * 2 - 1

    levels = _levels(reference, photo, valid, (x, y)) if bilevel else None

    def by_levels(target: Floats, spread: NDArray[np.float64]) -> Light | None:
        if levels is None:
            return None
        value, known, places = levels
        means = np.asarray(known * (target / np.maximum(small_photo, 1e-3))[places] / 255, np.float32)
        work = [
            partial(_fit_light, value, means[:, channel], x[places], y[places], spread, clipped=False)
            for channel in range(channels)
        ]
        return Light(channels, np.stack(run_parallel(work)))

    def fit_to(target: Floats, spread: NDArray[np.float64]) -> Light:
        work = [
            partial(
                _fit_light,
                small_reference[..., channel][cells] / np.float32(255),
                target[..., channel][cells] / np.float32(255),
                x[cells],
                y[cells],
                spread,
            )
            for channel, cells in enumerate(np.moveaxis(usable, 2, 0))
        ]
        light, better = Light(channels, np.stack(run_parallel(work))), by_levels(target, spread)
        # If there is little black and most of it is missing in the photo, its places do not show black.
        if better is not None and better.contrast > _MIN_CONTRAST * light.contrast:
            return better
        return light

    light = fit_to(small_photo, _SMOOTH)
    matched = light.apply(reference)
    off = _usual_error(matched, photo, valid)
    lit = light.apply(small_reference)
    if not scanned and shade.is_uneven(lit.mean(axis=2), small_photo.mean(axis=2), small_valid):
        # A smooth fit bends at the edge of a shadow. So one gain is fitted first, and the shade with it. Then
        # the light is fitted to the photo without the shade, and the shade again.
        bright = luminance(photo)
        found = shade.shade_range(luminance(fit_to(small_photo, _GAIN).apply(reference)), bright, valid)
        middle = cv2.resize((found[0] + found[1]) / 2, size, interpolation=cv2.INTER_AREA)
        smooth = fit_to(small_photo * np.exp(-middle)[..., None], _SMOOTH)
        shaded = smooth.apply(reference)
        smooth = replace(smooth, shade=shade.shade_range(luminance(shaded), bright, valid))
        shaded = smooth.apply_shade(shaded, photo)
        if _is_much_better(shaded, matched, photo, valid):
            light, matched, off = smooth, shaded, _usual_error(shaded, photo, valid)
    # Between scans in black and white only edges differ, and a fit to them would tint the rest.
    return (matched, light) if off < _usual_error(reference, photo, valid) else (reference, unchanged)


def _leave_out_clipped(
    reference: Floats, photo: Floats, small_reference: Floats, small_photo: Floats, usable: NDArray[np.bool_]
) -> None:
    """Take px that either frame clips out of the means of the cells, which are changed in place.

    A clipped px does not show the light, and would make the light of its cell too weak. usable: the cells
    that show each channel (rows, columns, channels). Channels that few cells show are left as they are.
    """
    seen = cv2.compare(cv2.max(reference, photo), _CLIPPED, cv2.CMP_LT)
    # The fit is robust against a few.
    if np.count_nonzero(seen) > (1 - _FEW_CLIPPED) * seen.size:
        return
    size = (usable.shape[1], usable.shape[0])
    weight = seen.reshape(photo.shape) * np.float32(1 / 255)
    share = area_means(weight, size)
    enough = share > _MIN_UNCLIPPED
    few = np.count_nonzero(enough, axis=(0, 1)) < _MIN_SHOWN * enough[..., 0].size
    usable &= enough | few
    for small, image in ((small_reference, reference), (small_photo, photo)):
        means = area_means(image * weight, size) / np.maximum(share, np.float32(1e-3))
        np.copyto(small, means, where=enough & ~few)


def _levels(
    reference: Floats, photo: Floats, valid: Bytes, grid: tuple[Floats, Floats]
) -> tuple[Floats, Floats, tuple[NDArray[np.int64], NDArray[np.int64]]] | None:
    """The means of the photo in cells of a grid where the reference is white, and where it is black.

    Returns values of the reference (n,) in parts of white, means of the photo (n, channels) in grey levels,
    and their cells. Edges are left out, because lines may differ in width independently of the light. None if
    white or black is wide enough almost nowhere.
    """
    bright = luminance(reference)
    square = np.ones((2 * _BESIDE_EDGE + 1, 2 * _BESIDE_EDGE + 1), np.uint8)
    even = cv2.subtract(cv2.dilate(bright, square), cv2.erode(bright, square)) < _EVEN
    even &= valid > 0
    size = grid[0].shape[::-1]
    values, means, rows, columns = [], [], [], []
    for white in (False, True):
        mask = (even & ((bright > 128) == white)).astype(np.float32)
        share = area_means(mask, size)
        row, column = np.nonzero(share > _MIN_OF_CELL)
        if row.size < _MIN_CELLS:
            return None
        sums = area_means(photo * mask[..., None], size)
        means.append(sums[row, column] / share[row, column][:, None])
        known = area_means(bright * mask, size)[row, column]
        values.append(known / share[row, column] / 255)
        rows.append(row)
        columns.append(column)
    cells = (np.concatenate(rows), np.concatenate(columns))
    return np.concatenate(values).astype(np.float32), np.concatenate(means).astype(np.float32), cells


def _usual_error(reference: Floats, photo: Floats, valid: Bytes) -> float:
    """The usual difference of the two in grey levels: the mean of the lower three quarters."""
    step = _step(valid)
    return _trimmed_mean(differences(reference, photo, step)[valid[::step, ::step] > 0])


def _is_much_better(one: Floats, other: Floats, photo: Floats, valid: Bytes) -> bool:
    """Whether `one` is clearly more similar to the photo than `other`, where the two differ."""
    step = _step(valid)
    apart = (differences(one, other, step) > _APART) & (valid[::step, ::step] > 0)
    left, before = (_trimmed_mean(differences(image, photo, step)[apart]) for image in (one, other))
    return left < _MUCH_BETTER * before


def _step(valid: Bytes) -> int:
    return int(np.ceil(np.sqrt(valid.size / _SAMPLES)))


def _trimmed_mean(each: NDArray[np.floating[Any]]) -> float:
    """The mean of the lower three quarters; 0 for too few values."""
    lower = each.size * 3 // 4
    if not lower:
        return 0.0
    most = value_at_rank(each, lower)
    below = each[each < most]
    return (float(below.sum(dtype=np.float64)) + (lower - below.size) * most) / lower


def _terms(value: Floats, x: Floats, y: Floats) -> NDArray[np.float64]:
    """The terms by which the numbers of a `Light` are multiplied, (10, n)."""
    one = np.ones_like(value)
    return np.stack([value, value * x, value * y, value**2, one, x, y, x * x, x * y, y * y]).astype(
        np.float64
    )


def _fit_residual(value: Floats, target: Floats, x: Floats, y: Floats) -> NDArray[np.float64]:
    numbers = _fit_light(value, target, x, y, _STRAIGHT)
    return np.asarray(target - numbers @ _terms(value, x, y), np.float64)


def _fit_light(
    value: Floats, target: Floats, x: Floats, y: Floats, spread: NDArray[np.float64], clipped: bool = True
) -> NDArray[np.float64]:
    # Px that either picture clips do not show the light. The white of a bilevel picture is not clipped.
    usable = target < 0.985
    if clipped:
        usable &= (target > 0.01) & (value < 0.98)
    if np.mean(usable) > 0.3:
        value, target, x, y = value[usable], target[usable], x[usable], y[usable]
    rows = _terms(value, x, y)
    prior = np.array([1, 0, 0, 0, 0, 0, 0, 0, 0, 0], np.float64)
    # Relative to a deviation of 0.02 of a sample.
    ridge = np.diag((0.02 / spread) ** 2)
    # The prior is the reference as it is.
    change = target - rows[0]
    weights, numbers = np.ones(len(value)), prior
    for _ in range(6):
        weighted = rows * weights
        numbers = prior + np.linalg.solve(weighted @ rows.T + ridge, weighted @ change)
        off = np.abs(target - numbers @ rows)
        middle = float(np.partition(off, off.size // 2)[off.size // 2])
        width = max(4.7 * 1.48 * middle, 0.012)
        weights = np.maximum(1 - (off / width) ** 2, 0) ** 2
    return np.asarray(numbers, np.float64)
