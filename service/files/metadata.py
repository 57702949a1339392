"""Measures what a picture holds besides its pixels, from headers, before a decoder reads it into memory.

Source: WebP Container Specification (RFC 9649, 2.7).
"""

from __future__ import annotations

import io
import struct
from itertools import islice
from typing import BinaryIO

from shared.images.png import MAX_TEXT_BYTES, has_too_much_text
from shared.images.tiff import directories

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
