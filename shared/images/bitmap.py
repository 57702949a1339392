"""Reads the header of a Windows bitmap, and names the forms that OpenCV would not decode rightly.

The header's own size follows the 14 bytes of BITMAPFILEHEADER (Windows GDI, BITMAPINFOHEADER and later).
"""

from __future__ import annotations

import struct
from typing import Final

HEAD_BYTES: Final = 66
"""The header as far as `rare_form` needs it: BITMAPINFOHEADER and the three masks behind it."""

_OLDEST: Final = 12
_INFO: Final = 40
"""The size of BITMAPINFOHEADER. The masks lie behind it, in later headers at the same place within."""
_BITFIELDS: Final = 3
# Depth and biCompression: none, BI_RLE8, BI_RLE4.
_USUAL: Final = frozenset({(1, 0), (4, 0), (8, 0), (16, 0), (24, 0), (32, 0), (8, 1), (4, 2)})
_USUAL_MASKS: Final = {
    16: ((0xF800, 0x7E0, 0x1F), (0x7C00, 0x3E0, 0x1F)),
    32: ((0xFF0000, 0xFF00, 0xFF),),
}


def bitmap_size(head: bytes) -> tuple[int, int]:
    """Read width and height in px. Raises struct.error if the header is cut off.

    A negative height means rows from the top. The oldest header has 16-bit numbers.
    """
    if len(head) < 26:
        raise struct.error("the header is cut off")
    width, height = struct.unpack_from("<HH" if head[14] == _OLDEST else "<ii", head, 18)
    return abs(width), abs(height)


def rare_form(head: bytes) -> str | None:
    """Name the form of a bitmap that OpenCV refuses or shows in wrong colours; None for a usual one.

    Of 16 bits it knows two masks, and only behind the header. Of 32 bits it ignores those behind the header.
    Raises struct.error if the header is cut off.
    """
    (size,) = struct.unpack_from("<I", head, 14)
    if size == _OLDEST:
        bits, compression = struct.unpack_from("<H", head, 24)[0], 0
    else:
        bits, compression = struct.unpack_from("<HI", head, 28)
    if (bits, compression) in _USUAL:
        return None
    if compression == _BITFIELDS:
        masks = struct.unpack_from("<3I", head, 54)
        if (size > _INFO and bits == 32) or (size == _INFO and masks in _USUAL_MASKS.get(bits, ())):
            return None
    return f"BMP, {bits} bit, compression {compression}"
