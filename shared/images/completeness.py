"""Tells from its structure whether the file of a picture is damaged, without decoding a pixel."""

from __future__ import annotations

import io
import mmap
import struct
import zlib
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

from shared.images.tiff import MAX_PAGES, directories, read_numbers

_PLACES: Final = ((273, 279), (324, 325))
"""The tags with the places and the bytes of the strips, and of the tiles (TIFF 6.0, sections 3 and 15)."""
_PLAIN_BITMAPS: Final = (0, 3, 6)
"""Values of biCompression without compression: BI_RGB, BI_BITFIELDS, BI_ALPHABITFIELDS."""
_STEP: Final = 2**20


def is_damaged(path: Path, mime_type: str) -> bool:
    """Return True if the file ends before its last pixels, or a checksum of a PNG is wrong. Raises OSError.

    Of a WebP, libvips says so when it opens the file. Bytes behind the picture, as cameras write them, are
    allowed.
    """
    with path.open("rb") as file:
        try:
            match mime_type:
                case "image/jpeg":
                    return not _has_jpeg_end(file)
                case "image/png":
                    return not _has_png_end(file)
                case "image/tiff":
                    return _is_cut_tiff(file)
                case "image/bmp":
                    return _is_cut_bitmap(file)
        except struct.error:
            return True
    return False


def _has_jpeg_end(file: BinaryIO) -> bool:
    """Whether an end-of-image marker is behind the first scan (ITU-T T.81, B.1.1.3).

    The preview within the camera data lies before the scan and does not count.
    """
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        at = 2
        while at + 4 <= len(data) and data[at] == 0xFF:
            marker = data[at + 1]
            # 0xFF may fill the space before a marker.
            if marker == 0xFF:
                at += 1
                continue
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
            if marker == 0xDA:
                break
        return data.find(b"\xff\xd9", at) >= 0


def _has_png_end(file: BinaryIO) -> bool:
    """Whether every chunk that decoders need is there as it was written (PNG, third edition, 5.3 and 5.5)."""
    file.seek(8)
    while len(head := file.read(8)) == 8:
        left, kind = int.from_bytes(head[:4], "big"), head[4:]
        if kind == b"IEND":
            return True
        if kind in (b"IHDR", b"PLTE", b"IDAT"):
            checksum = zlib.crc32(kind)
            while left and (data := file.read(min(left, _STEP))):
                checksum, left = zlib.crc32(data, checksum), left - len(data)
            if file.read(4) != checksum.to_bytes(4, "big"):
                return False
        else:
            file.seek(left + 4, io.SEEK_CUR)
    return False


def _is_cut_tiff(file: BinaryIO) -> bool:
    size = file.seek(0, io.SEEK_END)
    for order, entries in islice(directories(file), MAX_PAGES):
        by_tag = {entry.tag: entry for entry in entries}
        for places, lengths in _PLACES:
            if places in by_tag and lengths in by_tag:
                starts = read_numbers(file, order, by_tag[places])
                ends = map(sum, zip(starts, read_numbers(file, order, by_tag[lengths]), strict=False))
                if max(ends, default=0) > size:
                    return True
    return False


def _is_cut_bitmap(file: BinaryIO) -> bool:
    size = file.seek(0, io.SEEK_END)
    file.seek(10)
    start, header = struct.unpack("<II", file.read(8))
    if header == 12:
        width, height, _, bits = struct.unpack("<HHHH", file.read(8))
        compression = length = 0
    else:
        width, height, _, bits, compression, length = struct.unpack("<iiHHII", file.read(20))
    if compression in _PLAIN_BITMAPS:
        # Rows begin at multiples of four bytes.
        length = (abs(width) * bits + 31) // 32 * 4 * abs(height)
    return bool(start + length > size)
