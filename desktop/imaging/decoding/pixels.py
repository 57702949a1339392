"""Converts pixels between libvips, NumPy and Qt, and turns them upright.

An array here is uint32 of shape (height, width), each pixel 0xffRRGGBB: the memory of QImage.Format_RGB32.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage

Pixels = npt.NDArray[np.uint32]


def upright(pixels: Pixels, orientation: int) -> Pixels:
    """The stored pixels turned as the EXIF `orientation` (1..8) says; a view, not a copy.

    Tag 0x0112 of the EXIF standard: where row 0 and column 0 of the stored picture are to be seen.
    """
    match orientation:
        case 2:
            return pixels[:, ::-1]
        case 3:
            return pixels[::-1, ::-1]
        case 4:
            return pixels[::-1]
        case 5:
            return pixels.T
        case 6:
            return pixels.T[:, ::-1]
        case 7:
            return pixels[::-1, ::-1].T
        case 8:
            return pixels.T[::-1]
        case _:
            return pixels


def from_qimage(image: QImage) -> Pixels:
    """The pixels of a QImage.Format_RGB32. The caller keeps `image`: the array does not hold it."""
    return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width())


def to_qimage(pixels: Pixels) -> QImage:
    """A QImage with a copy of the pixels. Other Python threads run while it copies."""
    height, width = pixels.shape
    image = QImage(width, height, QImage.Format.Format_RGB32)
    target = np.frombuffer(image.bits(), np.uint32).reshape(height, width)
    np.copyto(target, pixels)
    return image
