"""Copies a picture file with its pixels upright, for programs that ignore EXIF orientation."""

from __future__ import annotations

from typing import Final

from desktop.imaging.decoding.decoder import failures, read_header
from desktop.imaging.decoding.vips import pyvips

_SAVED_AS: Final = {"jpegload": ".jpg[Q=95]", "webpload": ".webp[Q=95]", "tiffload": ".tif"}


def upright_copy(data: bytes) -> bytes:
    """The very bytes of a picture that is stored upright; else the picture turned and encoded again.

    Raises ImageError when it is not a picture.
    """
    if read_header(data).orientation == 1:
        return data
    with failures(data):
        image = pyvips.Image.new_from_buffer(data, "", fail_on="truncated")
        loader = str(image.get("vips-loader")).removesuffix("_buffer")
        encoded: bytes = image.autorot().write_to_buffer(_SAVED_AS.get(loader, ".png"))
        return encoded
