"""Finds the tone curve by which a photo differs from its reference, as an exponent of the values as stored.

Cameras, and programs that brighten a picture, bend the tones between black and white, which neither a gain
nor an offset follows. Only one exponent for all channels is searched, because a free curve would also explain
a changed object of one colour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Floats
from shared.images.cv import cv2

# Exponents beside 1 that are tried first, each about as far from the next as 1.25 is from 1. None beyond them
# is believed. The nearest come first: a good one ends the computation of the others early.
_TRIED: Final = (0.8, 1.25, 0.62, 1.6, 0.5, 2.0)
# The factors by which the best one is then changed, one after the other.
_STEPS: Final = (1.12, 1.06, 1.03)
# The least square term of the smooth fit (see `Light`) with which an exponent is searched.
_DOUBTFUL: Final = 0.08
# Grey levels of a tone, and about the number of its px that are used.
_TONE_WIDTH: Final = 16
_OF_EACH: Final = 60
# The most error with an exponent relative to the error without, and the least logarithm of an exponent that
# is used.
_BETTER: Final = 0.93
_WORTH: Final = 0.04


def is_doubtful(square_terms: NDArray[np.float64]) -> bool:
    """Whether the smooth fit bends the tones much. square_terms: of its channels, see `Light`."""
    return bool(np.abs(square_terms).max() > _DOUBTFUL)


def find_exponent(error: Callable[[float, float], float]) -> float:
    """The exponent 0.5..2 with the least error; 1 if no exponent is clearly better.

    error: takes an exponent and the least error so far. A result above that may be any number above it.
    """
    unchanged = best_error = error(1.0, np.inf)
    best = 1.0

    def try_out(exponents: Iterable[float]) -> None:
        nonlocal best, best_error
        for each in exponents:
            if (left := error(each, best_error)) < best_error:
                best, best_error = each, left

    try_out(_TRIED)
    for step in _STEPS:
        try_out((best / step, best * step))
    clear = best_error < _BETTER * unchanged and abs(np.log(best)) > _WORTH
    return best if clear else 1.0


def sample_all_tones(luminance: Floats, seen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """About the same number of px of each tone, spread over the `seen` px of the picture (height, width).

    Most px of a board or a label have one tone, and the curve is determined by the others.
    """
    places = np.flatnonzero(seen)
    order = places[np.argsort(luminance.ravel()[places] // _TONE_WIDTH, kind="stable")]
    counts = np.bincount((luminance.ravel()[places] // _TONE_WIDTH).clip(0).astype(np.int64))
    chosen = np.zeros(luminance.size, np.bool_)
    for end, count in zip(np.cumsum(counts).tolist(), counts.tolist(), strict=True):
        chosen[order[end - count : end : max(count // _OF_EACH, 1)]] = True
    return chosen.reshape(luminance.shape)


def apply_exponent(image: Floats, by: float) -> Floats:
    """The image (grey levels, float32, any shape) with this exponent; black and white stay."""
    if by == 1.0:
        return image
    raised = cv2.pow(np.maximum(image, np.float32(0)) * np.float32(1 / 255), by)
    return np.asarray(raised * np.float32(255), np.float32).reshape(image.shape)
