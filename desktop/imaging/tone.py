"""Brightness and contrast for the eye only: a table of 256 values, laid over pixels on their way there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtGui import QImage

from shared.cv import cv2


@dataclass(frozen=True, slots=True)
class Tone:
    """`brightness` and `contrast` from -100 to 100; 0 and 0 show the pixels as they are."""

    brightness: int = 0
    contrast: int = 0

    def apply(self, image: QImage) -> QImage:
        """The picture (QImage.Format_RGB32) as it is to be shown; `image` itself for a neutral tone."""
        if self == Tone():
            return image
        # contrast turns the line about mid-grey from flat (-100) to four times as steep (100)
        slope = 4.0 ** (self.contrast / 100) if self.contrast > 0 else 1 + self.contrast / 100
        values = (np.arange(256) - 127.5) * slope + 127.5 + self.brightness * 1.275
        table = np.clip(np.rint(values), 0, 255).astype(np.uint8)
        result = QImage(image.size(), QImage.Format.Format_RGB32)
        shape = (image.height(), image.width(), 4)
        source = np.frombuffer(image.constBits(), np.uint8).reshape(shape)
        target = np.frombuffer(result.bits(), np.uint8).reshape(shape)
        cv2.LUT(source, table, dst=target)
        target[:, :, 3] = 255
        return result
