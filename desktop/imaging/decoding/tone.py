"""Adjusts brightness and contrast for display only, by a table of 256 values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtGui import QImage

from desktop.imaging.decoding.pixels import to_qimage
from desktop.imaging.decoding.vips import pyvips


@dataclass(frozen=True, slots=True)
class Tone:
    """`brightness` and `contrast` from -100 to 100. 0 does not change the pixels."""

    brightness: int = 0
    contrast: int = 0

    def apply(self, image: QImage) -> QImage:
        """Apply the tone to a QImage.Format_RGB32. Returns `image` itself for a neutral tone."""
        if self == Tone():
            return image
        # The contrast sets the slope of the curve at mid-grey, from 0 at -100 to 4 at 100.
        slope = 4.0 ** (self.contrast / 100) if self.contrast > 0 else 1 + self.contrast / 100
        values = (np.arange(256) - 127.5) * slope + 127.5 + self.brightness * 1.275
        table = np.clip(np.rint(values), 0, 255).astype(np.uint8)
        size = image.width(), image.height()
        source = pyvips.Image.new_from_memory(image.constBits(), *size, 4, "uchar")
        toned = source.maplut(pyvips.Image.new_from_memory(table.data, 256, 1, 1, "uchar"))
        opaque = toned.extract_band(0, n=3).bandjoin(255).write_to_memory()
        return to_qimage(np.frombuffer(opaque, np.uint32).reshape(size[::-1]))
