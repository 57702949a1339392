"""Computes what changed between a reference image and a photo on the same pixels, apart from the light.

The photo's light is modelled as detection does (`service.detection.reference_difference.light`): for each
channel a gain that is linear in the place, a square term, and an offset that is quadratic in the place. Most
cells of a coarse grid decide, so that a changed object keeps its difference.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from shared.images.cv import cv2

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.float64]

_GAIN: Final = 3.0
_SHOWN: Final = 0.2
"""Brightness of the photo below its difference: without one the place is still visible."""
_CELLS: Final = 48
"""Cells of the grid along the longer side."""
_FEWEST: Final = 60
_ROUNDS: Final = 6
_AGREEING: Final = 2.5
"""Cells whose residual is more than this many times the median one are left out of the next round."""
_RIDGE: Final = 1e-3
_DARK, _BRIGHT = 6, 249
"""Grey levels beyond which the surface is hidden, and light cannot be measured."""


def difference(reference: Bytes, photo: Bytes, inside: Bytes) -> Bytes:
    """The difference of two images (height, width, 4), bright and coloured on the dim photo.

    `inside` (height, width) is 255 where the photo shows the reference, else 0. Slight blurring suppresses
    noise and half-pixel shifts.
    """
    before, after = (cv2.GaussianBlur(picture[:, :, :3], (0, 0), 1.5) for picture in (reference, photo))
    lit = even_light(np.asarray(before, np.uint8), np.asarray(after, np.uint8), inside)
    blue, green, red = cv2.split(cv2.absdiff(lit, after))
    # NumPy's maximum over the channels takes ten times as long.
    distance = cv2.bitwise_and(cv2.max(cv2.max(blue, green), red), inside)
    heat = cv2.applyColorMap(cv2.convertScaleAbs(distance, alpha=_GAIN), cv2.COLORMAP_INFERNO)
    dim = cv2.convertScaleAbs(cv2.cvtColor(after, cv2.COLOR_BGR2GRAY), alpha=_SHOWN)
    shown = cv2.max(heat, cv2.cvtColor(dim, cv2.COLOR_GRAY2BGR))
    return np.asarray(cv2.cvtColor(shown, cv2.COLOR_BGR2BGRA), np.uint8)


def even_light(reference: Bytes, photo: Bytes, inside: Bytes) -> Bytes:
    """The reference in the light of the photo, both (height, width, 3).

    The reference itself where too little of the photo is visible to tell.
    """
    height, width = inside.shape
    share = _CELLS / max(height, width)
    size = (max(round(width * share), 4), max(round(height * share), 4))
    was, now, seen = (
        cv2.resize(image, size, interpolation=cv2.INTER_AREA) for image in (reference, photo, inside)
    )
    columns, rows = np.meshgrid(np.linspace(-1, 1, size[0]), np.linspace(-1, 1, size[1]))
    is_visible = (seen == 255) & (now.min(axis=2) >= _DARK) & (now.max(axis=2) <= _BRIGHT)
    if np.count_nonzero(is_visible) < _FEWEST:
        return reference
    x, y = columns[is_visible], rows[is_visible]
    channels = []
    for channel in range(3):
        before, after = (image[is_visible][:, channel] / 255.0 for image in (was, now))
        numbers = _fit(before, after, x, y)
        channels.append(_lit(reference[:, :, channel], numbers, columns, rows))
    return np.asarray(cv2.merge(channels), np.uint8)


def _fit(before: Numbers, after: Numbers, x: Numbers, y: Numbers) -> Numbers:
    """The numbers of a channel: gain (1, x, y), square term, offset (1, x, y, xx, xy, yy)."""
    terms = np.stack(
        [before, before * x, before * y, before**2, np.ones_like(x), x, y, x * x, x * y, y * y], axis=1
    )
    # Nothing is added where the cells do not tell: then the reference stays as it is.
    start = np.zeros(10)
    start[0] = 1.0
    numbers, agreeing = start, np.ones(len(x), bool)
    for _ in range(_ROUNDS):
        part = terms[agreeing]
        square = part.T @ part + _RIDGE * len(part) * np.eye(10)
        numbers = start + np.linalg.solve(square, part.T @ (after[agreeing] - part @ start))
        residual = np.abs(terms @ numbers - after)
        agreeing = residual <= max(_AGREEING * float(np.median(residual)), 1 / 255)
    return numbers


def _lit(channel: Bytes, numbers: Numbers, x: Numbers, y: Numbers) -> Bytes:
    """One channel (height, width) in the light of these numbers, whose grid has the places `x` and `y`."""
    size = channel.shape[::-1]
    gain, offset = (
        cv2.resize(np.asarray(grid, np.float32), size, interpolation=cv2.INTER_LINEAR)
        for grid in (
            numbers[0] + numbers[1] * x + numbers[2] * y,
            255
            * (
                numbers[4]
                + numbers[5] * x
                + numbers[6] * y
                + numbers[7] * x * x
                + numbers[8] * x * y
                + numbers[9] * y * y
            ),
        )
    )
    value = channel.astype(np.float32)
    lit = cv2.add(cv2.multiply(value, cv2.add(gain, value * np.float32(numbers[3] / 255))), offset)
    return np.asarray(np.clip(np.rint(lit), 0, 255), np.uint8)
