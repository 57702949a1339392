"""What the file store does with images: read the upright size from the header, make thumbnails."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pyvips

from service.files.rules import IMAGE_TYPES
from shared.cv import cv2

MAX_PIXELS = 500_000_000
MAX_WHOLE_PIXELS = 100_000_000
"""Limit for files that no decoder reads line by line: bitmaps, interlaced PNG, progressive JPEG."""

_QUALITY = 85
# EXIF orientations 5 to 8 turn by a quarter (EXIF 2.32, tag 0x0112).
_TURNED = {5, 6, 7, 8}

# A cached operation would keep its file open, and Windows renames no open file.
pyvips.cache_set_max(0)


class BadImage(ValueError):  # noqa: N818 - says what the file is
    """The file begins like an image and can not be read as one."""


class TooManyPixels(ValueError):  # noqa: N818 - says what the file is
    """The image would unpack to more pixels than are decoded here."""


def upright_size(path: Path, mime_type: str) -> tuple[int, int] | None:
    """Width and height in upright pixels, from the header alone; None for a type that is no image.

    Raises BadImage when the header can not be read and TooManyPixels above the limits.
    """
    if mime_type not in IMAGE_TYPES:
        return None
    if mime_type == "image/bmp":
        width, height, turned, whole = *_bitmap_size(path), False, True
    else:
        image = _open(path, mime_type)
        width, height = int(image.width), int(image.height)
        turned = _field(image, "orientation") in _TURNED
        whole = bool(_field(image, "interlaced"))
    pixels = width * height
    if pixels > (MAX_WHOLE_PIXELS if whole else MAX_PIXELS):
        raise TooManyPixels(f"{width} x {height}")
    if pixels <= 0:
        raise BadImage("no pixels")
    return (height, width) if turned else (width, height)


def thumbnail(path: Path, mime_type: str, size: int) -> bytes:
    """A JPEG of the upright image that fits into `size` x `size` pixels, never larger than the image.

    An image that is cut off is shown as far as it goes. Raises BadImage when nothing can be decoded.
    """
    if mime_type == "image/bmp":
        return _bitmap_thumbnail(path, size)
    try:
        image = _open(path, mime_type, size)
        image = image.thumbnail_image(size, height=size, size="down")
        if image.hasalpha():
            image = image.flatten(background=255)
        image = image.colourspace("srgb")
        data: bytes = image.jpegsave_buffer(Q=_QUALITY, keep="none")
    except pyvips.Error as error:
        raise BadImage("the pixels can not be decoded") from error
    return data


def _open(path: Path, mime_type: str, size: int | None = None) -> Any:
    # The loader is named, so that the content can not choose another one (SVG, PDF, ...).
    options: dict[str, Any] = {"access": "sequential", "fail_on": "none"}
    try:
        if mime_type == "image/jpeg":
            image = pyvips.Image.jpegload(str(path), **options)
            if size is None:
                return image
            shrink = max(
                (s for s in (1, 2, 4, 8) if max(image.width, image.height) // s >= 2 * size), default=1
            )
            return pyvips.Image.jpegload(str(path), shrink=shrink, **options)
        load = {"image/png": "pngload", "image/webp": "webpload", "image/tiff": "tiffload"}[mime_type]
        return getattr(pyvips.Image, load)(str(path), **options)
    except pyvips.Error as error:
        raise BadImage("the header can not be read") from error


def _field(image: Any, name: str) -> Any:
    return image.get(name) if image.get_typeof(name) else None


def _bitmap_size(path: Path) -> tuple[int, int]:
    # BITMAPFILEHEADER has 14 bytes; then the header's own size, then width and height. A negative height
    # means rows from the top. The oldest header (12 bytes) has 16-bit numbers.
    with path.open("rb") as file:
        head = file.read(26)
    try:
        (length,) = struct.unpack_from("<I", head, 14)
        width, height = struct.unpack_from("<HH" if length == 12 else "<ii", head, 18)
    except struct.error as error:
        raise BadImage("the header is cut off") from error
    return int(width), abs(int(height))


def _bitmap_thumbnail(path: Path, size: int) -> bytes:
    pixels = cv2.imdecode(np.fromfile(path, dtype=np.uint8), cv2.IMREAD_COLOR)
    if pixels is None:
        raise BadImage("the pixels can not be decoded")
    height, width = pixels.shape[:2]
    scale = min(size / max(height, width), 1.0)
    new_size = (max(round(width * scale), 1), max(round(height * scale), 1))
    pixels = cv2.resize(pixels, new_size, interpolation=cv2.INTER_AREA)
    return bytes(cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1])
