"""Draws small pictures for tests."""

from __future__ import annotations

import io

import numpy as np
import numpy.typing as npt
from PIL import Image, TiffImagePlugin

Array = npt.NDArray[np.uint8]


def draw_gradient(width: int, height: int) -> Array:
    """Draw an RGB gradient: red is x, green is y, and blue numbers the blocks of 256 x 256 px."""
    y, x = np.mgrid[:height, :width]
    return np.stack([x % 256, y % 256, (x // 256 + 7 * (y // 256)) % 256], axis=-1).astype(np.uint8)


def encode_picture(pixels: Array, file_format: str = "PNG", orientation: int = 1) -> bytes:
    """Encode an upright picture as a file that is stored rotated and has this EXIF `orientation`."""
    image = Image.fromarray(pixels)
    undo = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }
    if orientation in undo:
        image = image.transpose(undo[orientation])
    exif = Image.Exif()
    exif[0x0112] = orientation
    buffer = io.BytesIO()
    options = {"quality": 95, "subsampling": 0} if file_format == "JPEG" else {}
    if file_format == "WEBP":
        options = {"lossless": True}
    image.save(buffer, file_format, exif=exif, **options)
    return buffer.getvalue()


def create_camera_photo(
    image: dict[int, object],
    photo: dict[int, object] | None = None,
    place: dict[int, object] | None = None,
    size: tuple[int, int] = (64, 48),
) -> bytes:
    """Return a JPEG with EXIF tags of the image, the photo and the place, by their numbers.

    A fraction is (numerator, denominator).
    """
    exif = Image.Exif()
    for directory, tags in ((exif, image), (exif.get_ifd(0x8769), photo), (exif.get_ifd(0x8825), place)):
        for tag, value in (tags or {}).items():
            if isinstance(value, tuple) and len(value) == 2:
                directory[tag] = TiffImagePlugin.IFDRational(value[0], value[1])
            else:
                directory[tag] = value
    buffer = io.BytesIO()
    Image.new("RGB", size, (120, 130, 140)).save(buffer, "JPEG", exif=exif)
    return buffer.getvalue()
