"""Renders soft shadows as images."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage


# The shadow of a card has 3 MB, and while a window is resized, each size is needed only once.
@lru_cache(maxsize=1)
def soft_shadow(width: int, height: int, blur: int, strength: float) -> QImage:
    """Render the shadow of a box of `width` x `height` px, blurred by a Gaussian with a sigma of `blur` px.

    Returns a black image with an alpha of at most `strength` (0..1) in `QImage.Format_ARGB32_Premultiplied`.
    It is 3 x `blur` larger than the box on each side, where the alpha falls below one level.
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
