"""Opens a picture of every format of `shared.images.formats`, for both processes, by its first bytes.

The content never selects another loader of libvips (SVG, PDF, ...). Windows bitmaps, which libvips does not
read, are decoded by OpenCV.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import pyvips

from shared.images.colours import is_deep_grey
from shared.images.formats import HEAD_BYTES, picture_type
from shared.images.tiff import MAX_PAGES, has_declared_alpha

_LOADERS: Final = {
    "image/jpeg": "jpegload",
    "image/png": "pngload",
    "image/webp": "webpload",
    "image/tiff": "tiffload",
}
_RGB: Final = ("srgb", "rgb16", "scrgb")
_MAX_BITMAP_PIXELS: Final = 100_000_000
"""The limit of the service for pictures that are decoded as a whole."""


def open_picture(data: Path | bytes, **options: Any) -> Any:
    """Open a picture as a vips image in stored orientation: of a TIFF the page with the most pixels.

    `options` are those of the loader, such as `access` and `fail_on`. Greys of more than 8 bits are opened
    for random access, because `to_srgb` reads them twice. Raises pyvips.Error.
    """
    kind = picture_type(_read(data, HEAD_BYTES))
    if kind == "image/bmp":
        return _open_bitmap(data)
    if kind not in _LOADERS:
        raise pyvips.Error("not a picture")
    page = _largest_page(data, options) if kind == "image/tiff" else 0
    if page:
        options["page"] = page
    image = _load(_LOADERS[kind], data, options)
    if is_deep_grey(image):
        image = _load(_LOADERS[kind], data, {**options, "access": "random"})
    # libvips takes the band behind the colours for alpha, the infrared of a multispectral camera too.
    bands = 3 if image.interpretation in _RGB else 1 if image.bands == 2 else image.bands
    has_more = kind == "image/tiff" and bands < image.bands <= 5
    if has_more and not (image.bands == bands + 1 and has_declared_alpha(data, page)):
        return image.extract_band(0, n=bands)
    return image


def _load(loader: str, data: Path | bytes, options: dict[str, Any]) -> Any:
    if isinstance(data, Path):
        source = pyvips.Source.new_from_file(str(data))
    else:
        source = pyvips.Source.new_from_memory(data)
    return getattr(pyvips.Image, f"{loader}_source")(source, **options)


def _largest_page(data: Path | bytes, options: dict[str, Any]) -> int:
    first = _load("tiffload", data, options)
    count = min(first.get("n-pages"), MAX_PAGES) if first.get_typeof("n-pages") else 1
    if count == 1:
        return 0
    pages = [_load("tiffload", data, {**options, "page": page}) for page in range(count)]
    # The first of equal pages wins.
    return max(range(count), key=lambda page: pages[page].width * pages[page].height)


def _open_bitmap(data: Path | bytes) -> Any:
    width, height = bitmap_size(data)
    if width * height > _MAX_BITMAP_PIXELS:
        raise pyvips.Error("the bitmap is too large")
    # The service does without OpenCV, which takes 10 MB.
    from shared.images.cv import cv2

    pixels = cv2.imdecode(np.frombuffer(_read(data, -1), np.uint8), cv2.IMREAD_COLOR_RGB)
    if pixels is None:
        raise pyvips.Error("the bitmap cannot be decoded")
    image = pyvips.Image.new_from_array(pixels, interpretation="srgb").copy()
    image.set_type(pyvips.GValue.gstr_type, "vips-loader", "bmpload")
    return image


def bitmap_size(data: Path | bytes) -> tuple[int, int]:
    """Read width and height in px from the header of a bitmap. Raises pyvips.Error if it is cut off.

    The header's own size follows the 14 bytes of BITMAPFILEHEADER. A negative height means rows from the top.
    The oldest header (12 bytes) has 16-bit numbers.
    """
    head = _read(data, 26)
    if len(head) < 26:
        raise pyvips.Error("the header is cut off")
    if head[14] == 12:
        return int.from_bytes(head[18:20], "little"), int.from_bytes(head[20:22], "little")
    width, height = (int.from_bytes(head[at : at + 4], "little", signed=True) for at in (18, 22))
    return abs(width), abs(height)


def _read(data: Path | bytes, size: int) -> bytes:
    if isinstance(data, bytes):
        return data if size < 0 else data[:size]
    try:
        with data.open("rb") as file:
            return file.read(size)
    except OSError as error:
        raise pyvips.Error(str(error)) from error
