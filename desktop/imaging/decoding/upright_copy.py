"""Copies a picture file with its pixels upright, for programs that ignore EXIF orientation."""

from __future__ import annotations

from typing import Final

from desktop.imaging.decoding.decoder import read_header, translate_errors
from desktop.imaging.decoding.vips import pyvips

_FORMATS: Final = {"jpegload": ".jpg[Q=95]", "webpload": ".webp[Q=95]", "tiffload": ".tif"}


def upright_copy(data: bytes) -> bytes:
    """Rotate and encode a picture whose pixels are not stored upright. Other pictures are not changed.

    Raises ImageError when `data` is not a picture.
    """
    if read_header(data).orientation == 1:
        return data
    with translate_errors(data):
        image = pyvips.Image.new_from_buffer(data, "", fail_on="truncated")
        loader = str(image.get("vips-loader")).removesuffix("_buffer")
        encoded: bytes = image.autorot().write_to_buffer(_FORMATS.get(loader, ".png"))
        return encoded
