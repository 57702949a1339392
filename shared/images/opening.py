"""Opens a picture of every format of `shared.images.formats`, for both processes, by its first bytes.

The content never selects another loader of libvips (SVG, PDF, ...). Windows bitmaps, which libvips does not
read, are decoded by OpenCV.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyvips

from shared.images import bitmap
from shared.images.colours import is_deep_grey
from shared.images.formats import HEAD_BYTES, picture_type
from shared.images.tiff import MAX_PAGES, RareForm, has_declared_alpha, rare_forms

_LOADERS: Final = {
    "image/jpeg": "jpegload",
    "image/png": "pngload",
    "image/webp": "webpload",
    "image/tiff": "tiffload",
}
_RGB: Final = ("srgb", "rgb16", "scrgb")
_RGB_BANDS: Final = 3
_GREY: Final = ("b-w", "grey16")
_MAX_BANDS: Final = 5
"""Cyan, magenta, yellow, black and alpha."""
_MAX_TRIED_PIXELS: Final = 500_000_000
"""A strip of a TIFF can be as large as the picture, and is unpacked as a whole."""
_MAX_BITMAP_PIXELS: Final = 100_000_000
"""The limit of the service for pictures that are decoded as a whole."""


class RareFormError(pyvips.Error):  # type: ignore[misc]
    """Raised if a picture is stored in a form that would be shown wrongly or not at all; `form` names it."""

    def __init__(self, form: str) -> None:
        super().__init__(f"unsupported form: {form}")
        self.form = form


def open_picture(data: Path | bytes, **options: Any) -> Any:
    """Open a picture as a vips image in stored orientation: of a TIFF the page with the most pixels.

    `options` are those of the loader, such as `access` and `fail_on`. Greys of more than 8 bits are opened
    for random access, because `to_srgb` reads them twice. Raises pyvips.Error, and of it RareFormError.
    """
    kind = picture_type(_read(data, HEAD_BYTES))
    if kind == "image/bmp":
        return _open_bitmap(data)
    if kind not in _LOADERS:
        raise pyvips.Error("not a picture")
    if kind == "image/tiff":
        return _open_tiff(data, options)
    image = _load(_LOADERS[kind], data, options)
    if is_deep_grey(image):
        image = _load(_LOADERS[kind], data, {**options, "access": "random"})
    return image


def _open_tiff(data: Path | bytes, options: dict[str, Any]) -> Any:
    try:
        forms = rare_forms(data)
    except OSError as error:
        raise pyvips.Error(str(error)) from error
    try:
        page = _largest_page(data, options)
    except pyvips.Error as error:
        if form := next(filter(None, forms), None):
            raise RareFormError(form.name) from error
        raise
    options = {**options, "page": page}
    form = forms[page] if page < len(forms) else None
    if form is not None:
        _refuse_form(form, data, options)
    image = _keep_colours(_load("tiffload", data, options), data, page)
    if is_deep_grey(image):
        image = _keep_colours(_load("tiffload", data, {**options, "access": "random"}), data, page)
    return image


def _keep_colours(image: Any, data: Path | bytes, page: int) -> Any:
    """Leave out the bands behind the colours, which can be anything, but not an alpha that is declared.

    libvips takes the first of them for alpha, the infrared of a multispectral camera too.
    """
    if image.bands > _MAX_BANDS:
        # Every reader refuses it by their number.
        return image
    if image.interpretation == "multiband" and image.bands > _RGB_BANDS:
        raise RareFormError(f"{image.bands} channels")
    is_grey = image.interpretation in _GREY or image.bands == 2
    bands = _RGB_BANDS if image.interpretation in _RGB else 1 if is_grey else image.bands
    if image.bands <= bands or (image.bands == bands + 1 and has_declared_alpha(data, page)):
        return image
    return image.extract_band(0, n=bands)


def _refuse_form(form: RareForm, data: Path | bytes, options: dict[str, Any]) -> None:
    """Raise RareFormError, unless libvips was built with the decoder."""
    if not form.may_decode:
        raise RareFormError(form.name)
    try:
        # libvips only warns of pixels that it has no decoder for, and leaves them black.
        image = _load("tiffload", data, {**options, "fail_on": "warning"})
        if image.width * image.height > _MAX_TRIED_PIXELS or image.bands > _MAX_BANDS:
            raise RareFormError(form.name)
        image.crop(0, 0, image.width, 1).copy_memory()
    except pyvips.Error as error:
        raise RareFormError(form.name) from error


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
    try:
        head = _read(data, bitmap.HEAD_BYTES)
        width, height = bitmap.bitmap_size(head)
        form = bitmap.rare_form(head)
    except struct.error as error:
        raise pyvips.Error("the header is cut off") from error
    if form is not None:
        raise RareFormError(form)
    if width * height > _MAX_BITMAP_PIXELS:
        raise pyvips.Error("the bitmap is too large")
    # The service does without OpenCV, which takes 10 MB.
    from shared.images.cv import cv2

    try:
        pixels = cv2.imdecode(np.frombuffer(_read(data, -1), np.uint8), cv2.IMREAD_COLOR_RGB)
    except cv2.error as error:
        # A side is longer than 2**20 px.
        raise pyvips.Error("the bitmap cannot be decoded") from error
    if pixels is None:
        raise pyvips.Error("the bitmap cannot be decoded")
    image = pyvips.Image.new_from_array(pixels, interpretation="srgb").copy()
    image.set_type(pyvips.GValue.gstr_type, "vips-loader", "bmpload")
    return image


def _read(data: Path | bytes, size: int) -> bytes:
    if isinstance(data, bytes):
        return data if size < 0 else data[:size]
    try:
        with data.open("rb") as file:
            return file.read(size)
    except OSError as error:
        raise pyvips.Error(str(error)) from error
