"""Decodes HEIC photos with the libheif of the system.

The library is not part of the program, so that it and its decoder get security updates with the system.
Source: libheif/heif.h. Its functions do not change within `libheif.so.1`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

import numpy as np
from PySide6.QtCore import QCoreApplication

from desktop.imaging.conversion.jpeg import add_exif, add_profile
from desktop.imaging.conversion.tiff import Metadata, Tiff, TiffError
from desktop.imaging.decoding.errors import ImageError, damaged_file_error
from desktop.imaging.decoding.vips import pyvips

LIBRARY: Final = "libheif.so.1"
IOS_18_VERSION = (1, 18)
"""The first version that opens photos of phones with iOS 18 (libheif, issue 1190)."""
MAX_PIXELS = 200_000_000
"""Maximum number of pixels, equal to that of the largest sensors of phones."""
QUALITY = 95

_HEVC = 1
_RGB = 1
_INTERLEAVED_RGB, _INTERLEAVED_RGBA = 10, 11
_INTERLEAVED = 10
_UNSUPPORTED = (3, 4)
"""Codes of errors: a file of an unsupported kind, an unsupported feature."""
_ICC_PROFILES = (int.from_bytes(b"prof", "big"), int.from_bytes(b"rICC", "big"))
_MAX_METADATA = 2**20


class _Error(ctypes.Structure):
    _fields_ = (("code", ctypes.c_int), ("subcode", ctypes.c_int), ("message", ctypes.c_char_p))


class _Options(ctypes.Structure):
    """The first fields of heif_decoding_options, in every version from 2 on."""

    _fields_ = (
        ("version", ctypes.c_uint8),
        ("ignore_transformations", ctypes.c_uint8),
        ("start_progress", ctypes.c_void_p),
        ("on_progress", ctypes.c_void_p),
        ("end_progress", ctypes.c_void_p),
        ("progress_user_data", ctypes.c_void_p),
        ("convert_hdr_to_8bit", ctypes.c_uint8),
    )


_POINTER, _SIZE, _INT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
_CALLS: Final[dict[str, tuple[Any, tuple[Any, ...]]]] = {
    "heif_get_version_number": (ctypes.c_uint32, ()),
    "heif_have_decoder_for_format": (_INT, (_INT,)),
    "heif_context_alloc": (_POINTER, ()),
    "heif_context_free": (None, (_POINTER,)),
    "heif_context_read_from_memory_without_copy": (_Error, (_POINTER, ctypes.c_char_p, _SIZE, _POINTER)),
    "heif_context_get_primary_image_handle": (_Error, (_POINTER, ctypes.POINTER(_POINTER))),
    "heif_image_handle_release": (None, (_POINTER,)),
    "heif_image_handle_get_width": (_INT, (_POINTER,)),
    "heif_image_handle_get_height": (_INT, (_POINTER,)),
    "heif_image_handle_has_alpha_channel": (_INT, (_POINTER,)),
    "heif_image_handle_get_list_of_metadata_block_IDs": (
        _INT,
        (_POINTER, ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint32), _INT),
    ),
    "heif_image_handle_get_metadata_size": (_SIZE, (_POINTER, ctypes.c_uint32)),
    "heif_image_handle_get_metadata": (_Error, (_POINTER, ctypes.c_uint32, _POINTER)),
    "heif_image_handle_get_color_profile_type": (_INT, (_POINTER,)),
    "heif_image_handle_get_raw_color_profile_size": (_SIZE, (_POINTER,)),
    "heif_image_handle_get_raw_color_profile": (_Error, (_POINTER, _POINTER)),
    "heif_decoding_options_alloc": (ctypes.POINTER(_Options), ()),
    "heif_decoding_options_free": (None, (ctypes.POINTER(_Options),)),
    "heif_decode_image": (
        _Error,
        (_POINTER, ctypes.POINTER(_POINTER), _INT, _INT, ctypes.POINTER(_Options)),
    ),
    "heif_image_release": (None, (_POINTER,)),
    "heif_image_get_width": (_INT, (_POINTER, _INT)),
    "heif_image_get_height": (_INT, (_POINTER, _INT)),
    "heif_image_get_plane_readonly": (_POINTER, (_POINTER, _INT, ctypes.POINTER(_INT))),
}


def to_jpeg(data: bytes) -> bytes:
    """Convert a HEIC file to an upright JPEG with its EXIF block and colour profile, alpha over white.

    Raises ImageError when the file is damaged or too large, or when libheif is missing.
    """
    library = _require_library()
    with _handle(library, data) as handle:
        width = library.heif_image_handle_get_width(handle)
        height = library.heif_image_handle_get_height(handle)
        if width * height > MAX_PIXELS:
            raise ImageError(
                QCoreApplication.translate(
                    "imaging", "Cannot open an image with {0} x {1} pixels. Scale it down first."
                ).format(width, height)
            )
        jpeg = _encode_jpeg(library, handle)
        exif, profile = _exif(library, handle), _profile(library, handle)
    return add_profile(add_exif(jpeg, exif) if exif else jpeg, profile)


def _encode_jpeg(library: Any, handle: Any) -> bytes:
    image, options = _POINTER(), library.heif_decoding_options_alloc()
    has_alpha = bool(library.heif_image_handle_has_alpha_channel(handle))
    bands, chroma = (4, _INTERLEAVED_RGBA) if has_alpha else (3, _INTERLEAVED_RGB)
    try:
        options.contents.convert_hdr_to_8bit = 1
        _check(library.heif_decode_image(handle, ctypes.byref(image), _RGB, chroma, options))
    finally:
        library.heif_decoding_options_free(options)
    try:
        width = library.heif_image_get_width(image, _INTERLEAVED)
        height = library.heif_image_get_height(image, _INTERLEAVED)
        stride = _INT()
        plane = library.heif_image_get_plane_readonly(image, _INTERLEAVED, ctypes.byref(stride))
        if not plane or width <= 0 or height <= 0 or stride.value < bands * width:
            raise damaged_file_error()
        rows = np.frombuffer((ctypes.c_uint8 * (stride.value * height)).from_address(plane), np.uint8)
        # Without padding between the rows these are the pixels of libheif, which `heif_image_release` frees.
        pixels = np.ascontiguousarray(rows.reshape(height, stride.value)[:, : bands * width])
        picture = pyvips.Image.new_from_memory(pixels.data, width, height, bands, "uchar")
        if has_alpha:
            picture = picture.flatten(background=255)
        encoded: bytes = picture.jpegsave_buffer(Q=QUALITY, keep="none")
        return encoded
    finally:
        library.heif_image_release(image)


def _exif(library: Any, handle: Any) -> bytes:
    """The EXIF block, empty if there is none. Its orientation is 1, because libheif rotates the pixels."""
    block = ctypes.c_uint32()
    if not library.heif_image_handle_get_list_of_metadata_block_IDs(handle, b"Exif", ctypes.byref(block), 1):
        return b""
    size = library.heif_image_handle_get_metadata_size(handle, block)
    if not 4 < size <= _MAX_METADATA:
        return b""
    buffer = ctypes.create_string_buffer(size)
    _check(library.heif_image_handle_get_metadata(handle, block, buffer))
    # The block begins with the offset of the TIFF file.
    start = 4 + int.from_bytes(buffer.raw[:4], "big")
    try:
        return Metadata.from_tiff(Tiff(buffer.raw[start:])).to_exif(orientation=1)
    except TiffError:
        return b""


def _profile(library: Any, handle: Any) -> bytes:
    if library.heif_image_handle_get_color_profile_type(handle) not in _ICC_PROFILES:
        return b""
    size = library.heif_image_handle_get_raw_color_profile_size(handle)
    if not 0 < size <= _MAX_METADATA:
        return b""
    buffer = ctypes.create_string_buffer(size)
    _check(library.heif_image_handle_get_raw_color_profile(handle, buffer))
    return buffer.raw


@contextmanager
def _handle(library: Any, data: bytes) -> Iterator[Any]:
    """Open the primary image of the file."""
    context, handle = library.heif_context_alloc(), _POINTER()
    try:
        _check(library.heif_context_read_from_memory_without_copy(context, data, len(data), None))
        _check(library.heif_context_get_primary_image_handle(context, ctypes.byref(handle)))
        try:
            yield handle
        finally:
            library.heif_image_handle_release(handle)
    finally:
        library.heif_context_free(context)


def _check(error: _Error) -> None:
    if error.code and version() < IOS_18_VERSION:
        raise ImageError(
            QCoreApplication.translate(
                "imaging",
                "The file is damaged or too new for libheif {version} on this computer. Photos from "
                "newer phones require version 1.18. Update libheif, or save the photo as JPEG and "
                "add that file.",
            ).format(version=".".join(str(part) for part in version()))
        )
    if error.code in _UNSUPPORTED:
        raise ImageError(
            QCoreApplication.translate(
                "imaging",
                "Cannot open this type of HEIC file on this computer. Save the photo as JPEG and add "
                "that file.",
            )
        )
    if error.code:
        raise damaged_file_error()


def version() -> tuple[int, int]:
    """The version of the library; (0, 0) if it is missing."""
    library = _load_library()
    number = 0 if library is None else library.heif_get_version_number()
    return number >> 24, number >> 16 & 0xFF


def missing_package() -> str:
    """The missing package of Debian and Ubuntu that HEIC photos need; empty if none is missing."""
    library = _load_library()
    if library is None:
        return "libheif1"
    return "" if library.heif_have_decoder_for_format(_HEVC) else "libheif-plugin-libde265"


def _require_library() -> Any:
    """Load the library. Raises ImageError when it or its decoder is not installed."""
    package = missing_package()
    if package:
        raise ImageError(
            QCoreApplication.translate(
                "imaging",
                "HEIC photos require the libheif library with an HEVC decoder. Install it (package "
                "{package} on Debian and Ubuntu), or save the photo as JPEG and add that file.",
            ).format(package=package)
        )
    return _load_library()


@cache
def _load_library() -> Any:
    try:
        library = ctypes.CDLL(LIBRARY)
    except OSError:
        return None
    for name, (result, parameters) in _CALLS.items():
        call = getattr(library, name)
        call.restype, call.argtypes = result, parameters
    return library
