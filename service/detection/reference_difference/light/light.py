"""Applies the photo's light to the reference image."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Floats
from service.detection.reference_difference.light import tone
from service.detection.reference_difference.light.highlights import Glare
from service.detection.reference_difference.threads import run_parallel
from shared.images.cv import cv2

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
        image = tone.apply_exponent(image, self.exponent)
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
