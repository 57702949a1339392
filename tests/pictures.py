"""Generates small pictures for the tests."""

from __future__ import annotations

import io
from functools import cache

import numpy as np
import numpy.typing as npt
from PIL import Image, TiffImagePlugin

from shared.samples import View, draw_panel, photograph

Array = npt.NDArray[np.uint8]


@cache
def panel_image(width: int, height: int, seed: int) -> Array:
    """The image of `draw_panel`, which takes 0.1 s; all tests share it, so it is read-only."""
    image: Array = draw_panel(width, height, seed).image
    image.setflags(write=False)
    return image


@cache
def panel_photo(width: int, height: int, seed: int, view: View) -> tuple[Array, npt.NDArray[np.float64]]:
    """The read-only photo of a `panel_image`, and the homography from it to the photo."""
    image, matrix = photograph(panel_image(width, height, seed), view)
    image.setflags(write=False)
    return image, np.asarray(matrix, np.float64)


def gradient_pixels(width: int, height: int) -> Array:
    """RGB pixels, (height, width, 3) uint8, all different: red is x, green is y, blue is the block."""
    y, x = np.mgrid[:height, :width]
    return np.stack([x % 256, y % 256, (x // 256 + 7 * (y // 256)) % 256], axis=-1).astype(np.uint8)


def encode_picture(pixels: Array, file_format: str = "PNG", orientation: int = 1) -> bytes:
    """The bytes of an image file, whose pixels are stored so that EXIF `orientation` makes them upright."""
    image = Image.fromarray(pixels)
    inverse = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }
    if orientation in inverse:
        image = image.transpose(inverse[orientation])
    exif = Image.Exif()
    exif[0x0112] = orientation
    buffer = io.BytesIO()
    options = {"quality": 95, "subsampling": 0} if file_format == "JPEG" else {}
    if file_format == "WEBP":
        options = {"lossless": True}
    image.save(buffer, file_format, exif=exif, **options)
    return buffer.getvalue()


def camera_photo(
    image: dict[int, object],
    photo: dict[int, object] | None = None,
    gps: dict[int, object] | None = None,
    size: tuple[int, int] = (64, 48),
) -> bytes:
    """A JPEG with EXIF tags by number: of the image (IFD 0), the photo (Exif IFD) and the GPS IFD.

    A fraction is a tuple (numerator, denominator).
    """
    exif = Image.Exif()
    for directory, tags in ((exif, image), (exif.get_ifd(0x8769), photo), (exif.get_ifd(0x8825), gps)):
        for tag, value in (tags or {}).items():
            if isinstance(value, tuple) and len(value) == 2:
                directory[tag] = TiffImagePlugin.IFDRational(value[0], value[1])
            else:
                directory[tag] = value
    buffer = io.BytesIO()
    Image.new("RGB", size, (120, 130, 140)).save(buffer, "JPEG", exif=exif)
    return buffer.getvalue()
