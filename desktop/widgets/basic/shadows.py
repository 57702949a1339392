"""Renders soft shadows as pictures."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage


# A shadow of a card takes 3 MB; while a window is resized, each size is needed once.
@lru_cache(maxsize=1)
def soft_shadow(width: int, height: int, blur: int, strength: float) -> QImage:
    """The shadow of a box of `width` x `height` px that is blurred by a Gaussian with a sigma of `blur` px.

    Black with an alpha of at most `strength` (0..1), `QImage.Format_ARGB32_Premultiplied`. It is 3 x `blur`
    larger than the box on each side, where less than one level of alpha is left.
    """
    # A blurred box is the product of its profiles along x and y, each a difference of two error functions.
    alpha = np.outer(_profile(height, blur), _profile(width, blur)) * (255 * strength)
    pixels = np.rint(alpha).astype(np.uint32) << 24
    rows, columns = pixels.shape
    image = QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_ARGB32_Premultiplied)
    return image.copy()


def _profile(length: int, blur: int) -> npt.NDArray[np.float64]:
    scale = blur * math.sqrt(2)
    centres = np.arange(-3 * blur, length + 3 * blur) + 0.5
    return np.array([(math.erf(x / scale) - math.erf((x - length) / scale)) / 2 for x in centres.tolist()])
