"""Applies the photo's light to the reference image.

Finds the tone curve by which a photo differs from its reference, as an exponent of the values as stored.

Cameras, and programs that brighten a picture, bend the tones between black and white, which neither a gain
nor an offset follows. Only one exponent for all channels is searched, because a free curve would also explain
a changed object of one colour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Floats
from service.detection.reference_difference.light.highlights import Glare
from service.detection.reference_difference.threads import run_parallel
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


# Rows that are processed at a time: they stay in the processor's cache, and threads share them evenly.
_BAND = 64


@dataclass(frozen=True, slots=True)
class Light:
    """The photo's light across a frame, relative to the reference: a smooth gain and offset per channel.

    photo ~ (a0 + a1 x + a2 y) reference + c reference^2 + (quadratic in x, y), after the reference, in parts
    of white, was raised to `exponent`. numbers: (channels, 10) as fitted, or None if the reference fits
    unchanged. x, y: the edges of the frame, -1 and 1 for the frame of the fit. shade: bands and shadows, see
    `shade.shade_range`. glare: the highlights of the photo. Both cover the whole frame of the fit.
    """

    channels: int
    numbers: NDArray[np.float64] | None
    x: tuple[float, float] = (-1.0, 1.0)
    y: tuple[float, float] = (-1.0, 1.0)
    shade: tuple[Floats, Floats] | None = None
    glare: Glare | None = None
    exponent: float = 1.0

    @property
    def contrast(self) -> float:
        """The difference of white and black in the middle of the frame, relative to the reference."""
        return 1.0 if self.numbers is None else float((self.numbers[:, 0] + self.numbers[:, 3]).mean())

    def window(self, left: float, top: float, right: float, bottom: float) -> Light:
        """The light of a window of the frame; its edges are in parts of the frame, 0..1."""
        (x1, x2), (y1, y2) = self.x, self.y
        across = (x1 + (x2 - x1) * left, x1 + (x2 - x1) * right)
        return replace(self, x=across, y=(y1 + (y2 - y1) * top, y1 + (y2 - y1) * bottom))

    def apply_shade(self, image: Floats, photo: Floats) -> Floats:
        """Apply the photo's bands and shadows to an image from `apply`; both (height, width, channels)."""
        if self.shade is None:
            return image
        x, y = self._places(image, self.shade[0])

        def lit(part: Floats) -> Floats:
            factor = np.exp(cv2.remap(part, x, y, cv2.INTER_LINEAR, None, cv2.BORDER_REPLICATE))
            # The factor is merged first, because broadcasting over channels in NumPy takes five times as
            # long.
            return np.asarray(cv2.multiply(image, cv2.merge([factor] * image.shape[2])), np.float32)

        least, most = run_parallel([partial(lit, part) for part in self.shade])
        shaded = np.asarray(cv2.min(cv2.max(photo, least), most), np.float32).reshape(image.shape)
        return np.clip(shaded, 0, 255, out=shaded)

    def apply_glare(self, image: Floats, photo: Floats) -> Floats:
        """Apply the photo's highlights to an image from `apply_shade`; both (height, width, channels)."""
        if self.glare is None:
            return image
        return self.glare.apply(image, photo, *self._places(image, self.glare.added))

    def _places(self, image: Floats, cells: Floats) -> tuple[Floats, Floats]:
        """The place of each px of the image in a map of the whole frame with these `cells`: x and y."""
        (rows, columns), (height, width) = cells.shape, image.shape[:2]
        x, y = (
            (np.linspace(ends[0], ends[1], 2 * count + 1, dtype=np.float32)[1::2] + 1) / 2 * most - 0.5
            for ends, count, most in ((self.x, width, columns), (self.y, height, rows))
        )
        x, y = np.meshgrid(x, y)
        return x, y

    def apply(self, image: Floats) -> Floats:
        """The image, float32 (height, width, channels), in this light."""
        image = apply_exponent(image, self.exponent)
        if self.numbers is None:
            return image
        height, width, channels = image.shape
        (x1, x2), (y1, y2) = self.x, self.y
        x = (np.arange(width, dtype=np.float32) + 0.5) * np.float32((x2 - x1) / width) + np.float32(x1)
        y = (np.arange(height, dtype=np.float32) + 0.5) * np.float32((y2 - y1) / height) + np.float32(y1)
        across = np.stack([np.ones_like(x), x, x * x])
        down = np.stack([np.ones_like(y), y, y * y], axis=1)
        a0, a1, a2, c, b0, b1, b2, b3, b4, b5 = self.numbers.T.astype(np.float32)
        none = np.zeros_like(a0)
        tilt = _along(np.array([[a0, a1], [a2, none]]), across[:2])
        bent = _along(np.array([[b0, b1, b3], [b2, b4, none], [b5, none, none]]) * 255, across)
        bend = np.tile(c / 255, width)
        values = image.reshape(height, width * channels)
        lit = np.empty_like(values)

        def change_rows(rows: slice) -> None:
            value, out = values[rows], lit[rows]
            np.multiply(value, bend, out=out)
            out += down[rows, :2] @ tilt
            out *= value
            out += down[rows] @ bent
            # The photo clips at black and white, so the fit must clip too.
            np.clip(out, 0, 255, out=out)

        run_parallel([partial(change_rows, np.s_[top : top + _BAND]) for top in range(0, height, _BAND)])
        return lit.reshape(image.shape)


def _along(numbers: Floats, across: Floats) -> Floats:
    """A polynomial of x for each power of y, as rows of x and channels in turn, like those of a picture.

    numbers: (powers of y, powers of x, channels). across: (powers of x, x).
    """
    return np.asarray(np.einsum("ypc,px->yxc", numbers, across), np.float32).reshape(len(numbers), -1)
