"""Detects PNG files whose text chunks unpack to too much.

Source of the chunks: Portable Network Graphics, third edition, 11.3.3 (tEXt, zTXt, iTXt).
"""

from __future__ import annotations

import io
import zlib
from typing import BinaryIO

MOST_TEXT = 16 * 2**20
"""Bytes of unpacked text that a picture may carry: programs write some kilobytes."""

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_STEP = 2**20


def has_too_much_text(data: bytes | BinaryIO) -> bool:
    """True for a PNG file whose texts unpack to more than `MOST_TEXT`. False for every other file.

    Reads the head of each chunk and the packed texts, never the pixels. Raises OSError.
    """
    file = io.BytesIO(data) if isinstance(data, bytes) else data
    if file.read(8) != _SIGNATURE:
        return False
    text = 0
    while len(head := file.read(8)) == 8:
        length, kind = int.from_bytes(head[:4], "big"), head[4:]
        if kind not in (b"tEXt", b"zTXt", b"iTXt"):
            file.seek(length + 4, io.SEEK_CUR)
            continue
        if length > MOST_TEXT:
            return True
        content = file.read(length)
        file.seek(4, io.SEEK_CUR)
        text += length + _unpacked_size(kind, content, MOST_TEXT - text)
        if text > MOST_TEXT:
            return True
    return False


def _unpacked_size(kind: bytes, content: bytes, most: int) -> int:
    """How many bytes the packed part of a text chunk unpacks to; stops counting above `most`."""
    _, _, rest = content.partition(b"\0")
    if kind == b"zTXt":
        packed = rest[1:]
    elif kind == b"iTXt" and rest[:1] == b"\1":
        # Behind both flags stand the language and the translated keyword.
        packed = rest[2:].split(b"\0", 2)[-1]
    else:
        return 0
    unpack, size = zlib.decompressobj(), 0
    try:
        while packed and size <= most:
            size += len(unpack.decompress(packed, _STEP))
            packed = unpack.unconsumed_tail
    except zlib.error:
        # No decoder unpacks further than this either.
        return size
    return size
