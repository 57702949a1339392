"""Reads image sizes from headers, and creates thumbnails, crops and pixel streams.

Measures what a picture holds besides its pixels, from headers, before a decoder reads it into memory.

Source: WebP Container Specification (RFC 9649, 2.7).
"""

from __future__ import annotations

import io
import struct
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import pyvips

from shared.images.bitmap import HEAD_BYTES, bitmap_size
from shared.images.camera_data import read_camera_data
from shared.images.colours import to_srgb
from shared.images.completeness import is_damaged
from shared.images.formats import IMAGE_TYPES
from shared.images.opening import RareFormError, open_picture
from shared.images.png import MAX_TEXT_BYTES, has_too_much_text
from shared.images.tiff import directories
from shared.images.tiles import MAX_CROP_PIXELS
from shared.images.upright import stored_rect
from shared.record.geometry import Rect
from shared.wire.files import CameraData

_PIXEL_CHUNKS = frozenset({b"VP8 ", b"VP8L", b"ALPH", b"ANMF"})
_TIFF_TYPE_SIZES = {3: 2, 4: 4, 5: 8, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}
"""Bytes of a value by its type; the types that are missing here have one byte."""
_PHOTOSHOP_LAYERS = 37724
"""The tag of the layers, which are pixels (Adobe Photoshop TIFF Technical Notes, 2002)."""


def has_too_much_metadata(file: BinaryIO, mime_type: str) -> bool:
    """Return True if profiles, texts and camera data have more than `MAX_TEXT_BYTES`, else False.

    A JPEG cannot hold a larger colour profile, and a bitmap is not read with one. A file that is cut off or
    not of its type counts as far as it can be read. Raises OSError.
    """
    try:
        match mime_type:
            case "image/png":
                return has_too_much_text(file)
            case "image/webp":
                return _webp_bytes(file) > MAX_TEXT_BYTES
            case "image/tiff":
                return _largest_tiff_value(file) > MAX_TEXT_BYTES
    except struct.error:
        return False
    return False


def _webp_bytes(file: BinaryIO) -> int:
    file.seek(12)
    total = 0
    while len(head := file.read(8)) == 8:
        length = int.from_bytes(head[4:], "little")
        total += length if head[:4] not in _PIXEL_CHUNKS else 0
        file.seek(length + length % 2, io.SEEK_CUR)
    return total


def _largest_tiff_value(file: BinaryIO) -> int:
    """The bytes of the largest value of the first picture's directory, without pixels and layers."""
    sizes = (
        entry.values * _TIFF_TYPE_SIZES.get(entry.kind, 1)
        for _, entries in islice(directories(file), 1)
        for entry in entries
        if entry.tag != _PHOTOSHOP_LAYERS
    )
    return max(sizes, default=0)


MAX_PIXELS = 500_000_000
MAX_WHOLE_PIXELS = 100_000_000
"""Limit for files that cannot be decoded line by line: bitmaps, WebP, interlaced PNG, progressive JPEG."""
MAX_BANDS = 5
"""Cyan, magenta, yellow, black and alpha."""

_EXIF_TYPES = frozenset({"image/jpeg", "image/png", "image/webp"})
"""The types whose EXIF libvips reads; TIFF is not one of them."""

_QUALITY = 85
# EXIF orientations 5 to 8 rotate by 90 degrees (EXIF 2.32, tag 0x0112).
_SIDEWAYS_ORIENTATIONS = {5, 6, 7, 8}

# A cached operation would keep its file open, and Windows cannot rename open files.
pyvips.cache_set_max(0)


class BadImageError(ValueError):
    """Raised if a file that begins like an image cannot be decoded."""


class UnsupportedFormError(BadImageError):
    """Raised if an image is stored in a form that cannot be decoded rightly; the text names it."""


class TooManyPixelsError(ValueError):
    """Raised if an image has more pixels than the limit."""


class OverloadedImageError(ValueError):
    """Raised if an image needs far more memory than its pixels: large profile or text, too many channels."""


def upright_size(path: Path, mime_type: str) -> tuple[int, int] | None:
    """Read width and height in upright pixels from the header; None for a type that is not an image.

    Raises BadImageError if the header cannot be read, TooManyPixelsError above the limits, and
    OverloadedImageError.
    """
    if mime_type not in IMAGE_TYPES:
        return None
    # libvips copies profiles and texts into memory when it opens the file, and unpacks those of a PNG.
    with path.open("rb") as file:
        if has_too_much_metadata(file, mime_type):
            raise OverloadedImageError("profile or text")
    if mime_type == "image/bmp":
        try:
            with path.open("rb") as file:
                width, height = bitmap_size(file.read(HEAD_BYTES))
        except struct.error as error:
            raise BadImageError("the header is cut off") from error
        is_sideways, is_decoded_whole = False, True
    else:
        image = _open_image(path)
        width, height = int(image.width), int(image.height)
        is_sideways = _read_field(image, "orientation") in _SIDEWAYS_ORIENTATIONS
        is_decoded_whole = mime_type == "image/webp" or bool(_read_field(image, "interlaced"))
        if image.bands > MAX_BANDS:
            raise OverloadedImageError(f"{image.bands} channels")
    pixels = width * height
    if pixels > (MAX_WHOLE_PIXELS if is_decoded_whole else MAX_PIXELS):
        raise TooManyPixelsError(f"{width} x {height}")
    if pixels <= 0:
        raise BadImageError("no pixels")
    return (height, width) if is_sideways else (width, height)


def check_pixels(path: Path, mime_type: str) -> None:
    """Raise BadImageError for a damaged file, and UnsupportedFormError for a TIFF or a bitmap.

    Decodes a bitmap, and the first row of a TIFF.
    """
    if is_damaged(path, mime_type):
        raise BadImageError("the file is damaged")
    if mime_type in ("image/tiff", "image/bmp"):
        image = _open_image(path, fail_on="error")
        try:
            image.crop(0, 0, image.width, 1).copy_memory()
        except pyvips.Error as error:
            raise BadImageError("the pixels cannot be decoded") from error


def camera_data(path: Path, mime_type: str, *, position: bool) -> CameraData:
    """Read the camera data of an image from its header; all fields are None without readable EXIF.

    `position`: also read where the photo was taken.
    """
    if mime_type not in _EXIF_TYPES:
        return CameraData()
    try:
        return read_camera_data(_open_image(path), position=position)
    except BadImageError:
        return CameraData()


def crop(path: Path, rect: Rect) -> bytes:
    """Return a PNG of the pixels in `rect` (whole upright px, inside the image), from the stored bytes.

    Decodes the file down to the last of these rows. Raises BadImageError if these pixels cannot be decoded.
    """
    try:
        image = _open_image(path, fail_on="truncated")
        turn = orientation(image)
        source_rect = stored_rect(rect, int(image.width), int(image.height), turn)
        part = to_srgb(image).crop(
            int(source_rect.x), int(source_rect.y), int(source_rect.w), int(source_rect.h)
        )
        part = part.copy_memory().copy()
        part.set_type(pyvips.GValue.gint_type, "orientation", turn)
        data: bytes = part.autorot().pngsave_buffer(compression=1, keep="none")
    except pyvips.Error as error:
        raise BadImageError("the pixels cannot be decoded") from error
    return data


_SURROUNDINGS = 0.35
"""The shown margin around a region as a share of its longer side, so that people recognize the place."""
_FRAME = (255, 196, 0)


def region_picture(path: Path, size: tuple[int, int], rect: Rect, side: int) -> bytes:
    """Return a JPEG of `rect` (upright px of an image of `size`) and a margin, within `side` x `side` px.

    A thin frame marks the region. Raises BadImageError if these pixels cannot be decoded.
    """
    width, height = size
    margin = max(rect.w, rect.h) * _SURROUNDINGS
    left, top = max(0, int(rect.x - margin)), max(0, int(rect.y - margin))
    right = min(width, max(left + 1, int(rect.right + margin)))
    bottom = min(height, max(top + 1, int(rect.bottom + margin)))
    left, top = min(left, right - 1), min(top, bottom - 1)
    part = Rect(left, top, right - left, bottom - top)
    try:
        if part.area <= MAX_CROP_PIXELS:
            image = pyvips.Image.thumbnail_buffer(crop(path, part), side, height=side, size="down")
        else:
            # The part is so large that a thumbnail of the whole picture has enough detail.
            preview = pyvips.Image.jpegload_buffer(thumbnail(path, 4 * side))
            scale = preview.width / width
            image = preview.crop(
                min(int(left * scale), preview.width - 1),
                min(int(top * scale), preview.height - 1),
                max(1, min(int(part.w * scale), preview.width - int(left * scale))),
                max(1, min(int(part.h * scale), preview.height - int(top * scale))),
            ).thumbnail_image(side, height=side, size="down")
        scale = image.width / part.w
        frame = (
            *(round((rect.x - left) * scale), round((rect.y - top) * scale)),
            *(max(2, round(rect.w * scale)), max(2, round(rect.h * scale))),
        )
        image = to_srgb(image).copy_memory().draw_rect(list(_FRAME), *frame)
        inner = (frame[0] + 1, frame[1] + 1, max(1, frame[2] - 2), max(1, frame[3] - 2))
        data: bytes = image.draw_rect(list(_FRAME), *inner).jpegsave_buffer(Q=_QUALITY, keep="none")
    except pyvips.Error as error:
        raise BadImageError("the pixels cannot be decoded") from error
    return data


def open_upright(path: Path) -> Any:
    """Open a vips image in upright px with three bytes a pixel, to be read once from top to bottom.

    A rotated picture is unpacked first, into the temporary folder if it is large. Raises BadImageError; a
    truncated file raises pyvips.Error while it is read.
    """
    image = _open_image(path, fail_on="truncated")
    if orientation(image) != 1:
        # Rotating needs access to all pixels.
        image = _open_image(path, fail_on="truncated", access="random").autorot()
    return to_srgb(image)


def orientation(image: Any) -> int:
    """Return the EXIF orientation of a vips image, 1..8."""
    number = _read_field(image, "orientation")
    return number if number in range(1, 9) else 1


def thumbnail(path: Path, size: int) -> bytes:
    """Return a JPEG of the upright image within `size` x `size` pixels, never larger than the image.

    A truncated image is shown as far as it can be decoded. Raises BadImageError if nothing can be decoded.
    """
    try:
        image = _open_image(path, size)
        image = to_srgb(image).thumbnail_image(size, height=size, size="down")
        data: bytes = image.jpegsave_buffer(Q=_QUALITY, keep="none")
    except pyvips.Error as error:
        raise BadImageError("the pixels cannot be decoded") from error
    return data


def _open_image(
    path: Path, size: int | None = None, *, fail_on: str = "none", access: str = "sequential"
) -> Any:
    """Open a picture; a JPEG reduced by the decoder, but not below twice `size` px if that is given."""
    options: dict[str, Any] = {"access": access, "fail_on": fail_on}
    try:
        image = open_picture(path, **options)
        if size is None or not image.get("vips-loader").startswith("jpegload"):
            return image
        shrink = max((s for s in (1, 2, 4, 8) if max(image.width, image.height) // s >= 2 * size), default=1)
        return open_picture(path, shrink=shrink, **options)
    except RareFormError as error:
        raise UnsupportedFormError(error.form) from error
    except pyvips.Error as error:
        raise BadImageError("the header cannot be read") from error


def _read_field(image: Any, name: str) -> Any:
    return image.get(name) if image.get_typeof(name) else None
