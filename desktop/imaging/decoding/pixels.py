"""Converts pixels between libvips, NumPy and Qt, and rotates them upright.

`Pixels` is uint32 of shape (height, width), each pixel 0xffRRGGBB, like QImage.Format_RGB32. `Rgb` is uint8
of shape (height, width, 3), which takes three quarters of that memory, for pictures that are kept.

Adjusts brightness and contrast for display only, by a table of 256 values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage

from desktop.imaging.decoding.vips import pyvips
from shared.images.cv import cv2

Pixels = npt.NDArray[np.uint32]
Rgb = npt.NDArray[np.uint8]
Array = TypeVar("Array", Pixels, Rgb)


def upright(pixels: Array, orientation: int) -> Array:
    """Rotate the stored pixels by the EXIF `orientation` (1..8). Returns a view, not a copy.

    Tag 0x0112 of the EXIF standard defines the places of row 0 and column 0 of the stored picture.
    """
    match orientation:
        case 2:
            return pixels[:, ::-1]
        case 3:
            return pixels[::-1, ::-1]
        case 4:
            return pixels[::-1]
        case 5:
            return pixels.swapaxes(0, 1)
        case 6:
            return pixels.swapaxes(0, 1)[:, ::-1]
        case 7:
            return pixels[::-1, ::-1].swapaxes(0, 1)
        case 8:
            return pixels.swapaxes(0, 1)[::-1]
        case _:
            return pixels


def from_qimage(image: QImage) -> Pixels:
    """The pixels of a QImage.Format_RGB32. The caller must keep `image` alive: the array does not."""
    return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width())


def to_qimage(pixels: Pixels | Rgb) -> QImage:
    """Copy the pixels to a QImage.Format_RGB32. Copying releases Python's interpreter lock."""
    height, width = pixels.shape[:2]
    image = QImage(width, height, QImage.Format.Format_RGB32)
    target = np.frombuffer(image.bits(), np.uint32).reshape(height, width)
    if pixels.ndim == 2:
        np.copyto(target, pixels)
    else:
        # NumPy releases the interpreter lock for copies of single bands, QImage.convertTo does not.
        blue, green, red, padding = np.moveaxis(target.view(np.uint8).reshape(height, width, 4), 2, 0)
        for band, index in ((red, 0), (green, 1), (blue, 2)):
            np.copyto(band, pixels[:, :, index])
        padding.fill(255)
    return image


def decode_tile(data: bytes) -> QImage:
    """Decode a tile as it is stored, without its EXIF orientation, to a QImage.Format_RGB32.

    Releases Python's interpreter lock. Raises ValueError when it is not a picture. QImage.fromData keeps that
    lock, and waits for Qt's lock of connections while the reader of SVG looks at the data; a QObject that is
    deleted meanwhile holds the latter and waits for the interpreter (PySide6 6.11.3), and both stand still.
    """
    stored = np.frombuffer(data, np.uint8)
    pixels = cv2.imdecode(stored, cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION) if len(data) else None
    if pixels is None:
        raise ValueError("not a picture")
    height, width = pixels.shape[:2]
    image = QImage(width, height, QImage.Format.Format_RGB32)
    target = np.frombuffer(image.bits(), np.uint8).reshape(height, width, 4)
    cv2.cvtColor(pixels, cv2.COLOR_BGR2BGRA, dst=target)
    return image


def decode_thumbnail(data: bytes) -> QImage:
    """Decode a thumbnail of the service like `decode_tile`; a null image when it is not a picture."""
    try:
        return decode_tile(data)
    except ValueError:
        return QImage()


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
