"""Corrects a photo for a lens that bends straight lines.

A wide lens shifts each point towards the middle of the photo or away from it, by the cube of its distance:
the first term of Brown's radial model (Brown 1971). `bend` is the shift at the corners, in parts of half the
diagonal.
"""

from __future__ import annotations

import numpy as np

from service.detection.reference_difference.data import Bytes, Floats, Matrix, Pyramid, inside_mask, inverse
from shared.images.cv import cv2

# px of a frame between the places where the smooth shift of a lens is computed.
_STEP = 16


def view(
    photo: Pyramid,
    to_photo: Matrix,
    size: tuple[int, int],
    bend: float,
    flags: int = cv2.INTER_LINEAR,
    sharp: float = 1.5,
) -> tuple[Bytes, Bytes]:
    """The photo in a frame of `size` (width, height), and a mask: 255 where the photo covers the frame.

    to_photo: frame px -> px of the photo without the bend. flags, sharp: as in `Pyramid.warped`.
    """
    if not bend:
        return photo.warped(to_photo, size, flags, sharp), inside_mask(to_photo, size, photo.size)
    level, down = photo.level(to_photo, size, sharp)
    x, y = _places(to_photo, size, photo.size, bend, 1)
    valid = ((x >= 0) & (x < photo.size[0]) & (y >= 0) & (y < photo.size[1])).astype(np.uint8) * np.uint8(255)
    x, y = (
        np.asarray(v * np.float32(scale) - np.float32(0.5), np.float32)
        for v, scale in zip((x, y), down, strict=True)
    )
    return np.asarray(cv2.remap(level, x, y, flags, None, cv2.BORDER_REPLICATE), np.uint8), valid


def shift(to_photo: Matrix, size: tuple[int, int], photo_size: tuple[int, int], bend: float) -> Floats:
    """The shift of the photo by the lens at each px of the frame, in its px, float32 (height, width, 2)."""
    x, y = _places(to_photo, size, photo_size, bend, _STEP)
    there = cv2.perspectiveTransform(np.stack([x, y], axis=-1).astype(np.float64), inverse(to_photo))
    columns, rows = _grid(size, _STEP)
    off = there - np.stack(np.broadcast_arrays(columns, rows), axis=-1)
    return np.asarray(cv2.resize(off.astype(np.float32), size, interpolation=cv2.INTER_LINEAR), np.float32)


def _places(
    to_photo: Matrix, size: tuple[int, int], photo_size: tuple[int, int], bend: float, step: int
) -> tuple[Floats, Floats]:
    """The places in the photo of every `step`-th px of a frame: x and y."""
    columns, rows = _grid(size, step)
    matrix = (to_photo / to_photo[2, 2]).astype(np.float32)
    across, down, depth = (line[0] * columns + line[1] * rows + line[2] for line in matrix)
    middle = np.array(photo_size, np.float32) / 2
    x, y = across / depth - middle[0], down / depth - middle[1]
    away = 1 + (x * x + y * y) * np.float32(bend / float(middle @ middle))
    return np.asarray(x * away + middle[0], np.float32), np.asarray(y * away + middle[1], np.float32)


def _grid(size: tuple[int, int], step: int) -> tuple[Floats, Floats]:
    """The middles of the cells of a frame of `size`: columns (1, n) and rows (m, 1)."""
    x, y = ((np.arange(max(length // step, 1)) + 0.5) * (length / max(length // step, 1)) for length in size)
    return x.astype(np.float32)[None], y.astype(np.float32)[:, None]
