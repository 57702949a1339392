"""Reads the pixels of a QImage, for the tests of pictures."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QImage

from tests.pictures import Array


def rgb(image: QImage) -> Array:
    """The pixels of a QImage as (height, width, 3) RGB."""
    assert image.format() == QImage.Format.Format_RGB32
    data = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)
    return data[:, :, 2::-1].copy()
