"""Reads and writes the segments of JPEG files (ITU-T T.81, annex B)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

_START = b"\xff\xd8"
_EXIF = b"Exif\0\0"
_ICC = b"ICC_PROFILE\0"
_XMP = b"http://ns.adobe.com/xap/1.0/\0"
_MAX_BODY = 65_533
"""Maximum number of bytes of a segment without its length field."""

_APP0, _APP1, _APP2, _COMMENT, _SCAN = 0xE0, 0xE1, 0xE2, 0xFE, 0xDA
_FRAMES = (0xC0, 0xC1, 0xC2)
"""Baseline, extended and progressive. The other types are lossless, like raw pixels, or unused."""
_ALL_FRAMES = (*range(0xC0, 0xC4), *range(0xC5, 0xC8), *range(0xC9, 0xCC), *range(0xCD, 0xD0))
_PRECISION = 8


class _Segment(NamedTuple):
    marker: int
    start: int
    """The offset of its marker."""
    body: bytes

    @property
    def end(self) -> int:
        return self.start + 4 + len(self.body)


def is_jpeg(data: bytes) -> bool:
    """Whether the bytes begin like a JPEG file."""
    return data.startswith(_START + b"\xff")


def picture_size(data: bytes) -> tuple[int, int] | None:
    """Width and height of a JPEG with three colours of 8 bits per pixel; None for another file."""
    if not is_jpeg(data):
        return None
    for segment in _segments(data):
        if segment.marker in _ALL_FRAMES:
            if segment.marker not in _FRAMES or len(segment.body) < 6:
                return None
            precision, height, width, colours = struct.unpack_from(">BHHB", segment.body)
            return (width, height) if precision == _PRECISION and colours == 3 else None
    return None


def has_exif(data: bytes) -> bool:
    """Whether a JPEG has an EXIF block."""
    return any(segment.marker == _APP1 and segment.body.startswith(_EXIF) for segment in _segments(data))


def add_exif(data: bytes, exif: bytes) -> bytes:
    """Add an EXIF block to a JPEG. `exif` is a TIFF file with the tags."""
    return _insert_segments(data, _segment(_APP1, _EXIF + exif))


def add_profile(data: bytes, icc: bytes) -> bytes:
    """Add a colour profile to a JPEG, in as many segments as it needs."""
    capacity = _MAX_BODY - len(_ICC) - 2
    parts = [icc[offset : offset + capacity] for offset in range(0, len(icc), capacity)]
    if len(parts) > 255:
        return data
    bodies = [_ICC + bytes([number, len(parts)]) + part for number, part in enumerate(parts, start=1)]
    return _insert_segments(data, b"".join(_segment(_APP2, body) for body in bodies))


def add_comment(data: bytes, text: str) -> bytes:
    """Add a comment to a JPEG."""
    return _insert_segments(data, _segment(_COMMENT, text.encode(errors="replace")))


def add_xmp(data: bytes, packet: bytes) -> bytes:
    """Add an XMP packet to a JPEG (ISO 16684-3, 1.1.3)."""
    return _insert_segments(data, _segment(_APP1, _XMP + packet))


def _segment(marker: int, body: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body


def _insert_segments(data: bytes, segments: bytes) -> bytes:
    """Insert segments into a JPEG, after the application segments at its start."""
    offset = len(_START)
    for segment in _segments(data):
        if segment.marker not in (_APP0, _APP1, _APP2):
            break
        offset = segment.end
    return data[:offset] + segments + data[offset:]


def _segments(data: bytes) -> Iterator[_Segment]:
    """Yield the segments up to the first scan or the first damaged segment."""
    offset = len(_START)
    while offset + 4 <= len(data) and data[offset] == 0xFF:
        marker = data[offset + 1]
        if marker == 0xFF:
            offset += 1
            continue
        length = int.from_bytes(data[offset + 2 : offset + 4], "big")
        if marker == _SCAN or length < 2 or offset + 2 + length > len(data):
            return
        yield _Segment(marker, offset, data[offset + 4 : offset + 2 + length])
        offset += 2 + length
