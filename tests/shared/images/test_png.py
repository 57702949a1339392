"""Tests PNG files with too much text."""

from __future__ import annotations

import io
import struct
import zlib

import pytest

from shared.images.png import MAX_TEXT_BYTES, has_too_much_text

PACKED = zlib.compress(b"a" * (MAX_TEXT_BYTES // 4 + 1), 9)


def png(*chunks: tuple[bytes, bytes]) -> bytes:
    head = (b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    pixels = (b"IDAT", zlib.compress(b"\0\0"))
    every = (head, *chunks, pixels, (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in every
    )


TEXT = {
    "packed": (b"zTXt", b"Comment\0\0" + PACKED),
    "packed, international": (b"iTXt", b"Comment\0\1\0zh\0\0" + PACKED),
    "profile": (b"iCCP", b"name\0\0" + PACKED),
    "plain": (b"tEXt", b"Comment\0" + b"a" * (MAX_TEXT_BYTES // 4)),
}


@pytest.mark.parametrize("kind", TEXT)
def test_the_texts_are_counted_together(kind: str) -> None:
    assert not has_too_much_text(png(*[TEXT[kind]] * 3))
    assert has_too_much_text(png(*[TEXT[kind]] * 4))
    assert has_too_much_text(io.BytesIO(png(*TEXT.values(), TEXT[kind])))


def test_large_text_is_not_decompressed_to_its_end() -> None:
    assert has_too_much_text(png((b"zTXt", b"k\0\0" + zlib.compress(b"a" * (20 * MAX_TEXT_BYTES), 9))))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x89PNG\r\n\x1a\n",
        png(),
        png((b"zTXt", b"")),
        png((b"zTXt", b"k\0\0no zlib")),
        png((b"iTXt", b"k\0\1\0")),
        png((b"iTXt", b"k\0\0\0\0\0plain")),
        png((b"zTXt", b"k\0\0" + PACKED))[:-60],
        b"\xff\xd8\xff" + b"zTXt" * 10,
    ],
)
def test_pictures_with_little_text_pass(data: bytes) -> None:
    assert not has_too_much_text(data)


def test_chunk_longer_than_the_file_ends_the_scan() -> None:
    assert not has_too_much_text(png()[:33] + b"\x7f\xff\xff\xffIDAT")
    assert has_too_much_text(png()[:33] + b"\x7f\xff\xff\xfftEXt")
