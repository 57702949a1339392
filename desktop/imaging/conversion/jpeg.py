"""Reads and writes the segments of JPEG files (ITU-T T.81, annex B)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

_START = b"\xff\xd8"
_EXIF = b"Exif\0\0"
_ICC = b"ICC_PROFILE\0"
_LARGEST = 65_533
"""Bytes that fit into a segment beside its length."""

_APP0, _APP1, _APP2, _COMMENT, _SCAN = 0xE0, 0xE1, 0xE2, 0xFE, 0xDA
_FRAMES = (0xC0, 0xC1, 0xC2)
"""Baseline, extended and progressive. The others are lossless, as raw pixels are, or nowhere in use."""
_ALL_FRAMES = (*range(0xC0, 0xC4), *range(0xC5, 0xC8), *range(0xC9, 0xCC), *range(0xCD, 0xD0))
_PRECISION = 8


class _Segment(NamedTuple):
    marker: int
    start: int
    """Where its marker is."""
    body: bytes

    @property
    def end(self) -> int:
        return self.start + 4 + len(self.body)


def is_jpeg(data: bytes) -> bool:
    """Whether the bytes begin as a JPEG file does."""
    return data.startswith(_START + b"\xff")


def picture_size(data: bytes) -> tuple[int, int] | None:
    """Width and height of a JPEG with 8 bits of 3 colours a pixel; None for anything else."""
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
    return any(each.marker == _APP1 and each.body.startswith(_EXIF) for each in _segments(data))


def with_exif(data: bytes, exif: bytes) -> bytes:
    """The JPEG with an EXIF block: `exif` is a TIFF file with the tags."""
    return _inserted(data, _segment(_APP1, _EXIF + exif))


def with_profile(data: bytes, icc: bytes) -> bytes:
    """The JPEG with a colour profile, in as many segments as it needs."""
    room = _LARGEST - len(_ICC) - 2
    parts = [icc[at : at + room] for at in range(0, len(icc), room)]
    if len(parts) > 255:
        return data
    bodies = [_ICC + bytes([number, len(parts)]) + part for number, part in enumerate(parts, start=1)]
    return _inserted(data, b"".join(_segment(_APP2, body) for body in bodies))


def with_comment(data: bytes, text: str) -> bytes:
    """The JPEG with a comment."""
    return _inserted(data, _segment(_COMMENT, text.encode(errors="replace")))


def _segment(marker: int, body: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body


def _inserted(data: bytes, segments: bytes) -> bytes:
    """The JPEG with more segments, after the application segments at its start."""
    at = len(_START)
    for segment in _segments(data):
        if segment.marker not in (_APP0, _APP1, _APP2):
            break
        at = segment.end
    return data[:at] + segments + data[at:]


def _segments(data: bytes) -> Iterator[_Segment]:
    """The segments up to the first scan, or as far as they can be read."""
    at = len(_START)
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        length = int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == _SCAN or length < 2 or at + 2 + length > len(data):
            return
        yield _Segment(marker, at, data[at + 4 : at + 2 + length])
        at += 2 + length
