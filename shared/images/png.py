"""Detects PNG files with texts and profiles that decompress to too many bytes.

Source: Portable Network Graphics, third edition, 11.3.2.3 (iCCP), 11.3.3 (tEXt, zTXt, iTXt), 11.3.4.5 (eXIf).
"""

from __future__ import annotations

import io
import zlib
from typing import BinaryIO

MAX_TEXT_BYTES = 16 * 2**20
"""Bytes of decompressed text, profile and camera data that a picture may contain. Programs write a few
kilobytes."""

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_STEP = 2**20


def has_too_much_text(data: bytes | BinaryIO) -> bool:
    """Return True for a PNG file whose texts and profile unpack to more than `MAX_TEXT_BYTES`, else False.

    Reads the header of each chunk and the compressed texts, never the pixels. Raises OSError.
    """
    file = io.BytesIO(data) if isinstance(data, bytes) else data
    if file.read(8) != _SIGNATURE:
        return False
    text = 0
    while len(head := file.read(8)) == 8:
        length, kind = int.from_bytes(head[:4], "big"), head[4:]
        if kind not in (b"tEXt", b"zTXt", b"iTXt", b"iCCP", b"eXIf"):
            file.seek(length + 4, io.SEEK_CUR)
            continue
        if length > MAX_TEXT_BYTES:
            return True
        content = file.read(length)
        file.seek(4, io.SEEK_CUR)
        text += length + _decompressed_size(kind, content, MAX_TEXT_BYTES - text)
        if text > MAX_TEXT_BYTES:
            return True
    return False


def _decompressed_size(kind: bytes, content: bytes, limit: int) -> int:
    """Return the decompressed size in bytes of a text or a profile; stops counting above `limit`."""
    _, _, rest = content.partition(b"\0")
    if kind in (b"zTXt", b"iCCP"):
        compressed = rest[1:]
    elif kind == b"iTXt" and rest[:1] == b"\1":
        # The language and the translated keyword follow the two flags.
        compressed = rest[2:].split(b"\0", 2)[-1]
    else:
        return 0
    decompressor, size = zlib.decompressobj(), 0
    try:
        while compressed and size <= limit:
            size += len(decompressor.decompress(compressed, _STEP))
            compressed = decompressor.unconsumed_tail
    except zlib.error:
        # No decoder can decompress further than this either.
        return size
    return size
