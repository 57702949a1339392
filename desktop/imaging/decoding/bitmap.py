"""Decodes Windows bitmaps, which libvips does not read, with OpenCV."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from desktop.imaging.decoding.vips import pyvips
from shared.images.cv import cv2

_MAX_PIXELS: Final = 100_000_000
"""The limit of the service for pictures that are decoded as a whole."""


def load_bitmap(data: Path | bytes) -> Any:
    """Return a vips image in sRGB of a bitmap, or None for another format.

    Raises pyvips.Error for a bitmap that cannot be decoded or has more than 100 MP.
    """
    try:
        head = data[:26] if isinstance(data, bytes) else _read(data, 26)
    except OSError:
        # Opening it as a picture reports the error.
        return None
    if head[:2] != b"BM":
        return None
    width, height = int.from_bytes(head[18:22], "little"), int.from_bytes(head[22:26], "little", signed=True)
    # The oldest header (12 bytes) has 16-bit numbers, which cannot exceed OpenCV's own limit.
    if head[14:15] != b"\x0c" and width * abs(height) > _MAX_PIXELS:
        raise pyvips.Error("the bitmap is too large")
    content = data if isinstance(data, bytes) else _read(data, -1)
    pixels = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR_RGB)
    if pixels is None:
        raise pyvips.Error("the bitmap cannot be decoded")
    image = pyvips.Image.new_from_array(pixels, interpretation="srgb").copy()
    image.set_type(pyvips.GValue.gstr_type, "vips-loader", "bmpload")
    return image


def _read(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        return file.read(size)
