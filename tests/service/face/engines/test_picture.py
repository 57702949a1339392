from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.face.engines.picture import (
    MAX_BYTES,
    BadPicture,
    PictureFault,
    decode,
    picture_bytes,
    read_header,
)
from shared.images.cv import cv2
from shared.samples.faces import encode_picture

PICTURE = np.random.default_rng(1).integers(0, 255, (90, 120, 3), np.uint8)
SUFFIXES = [".jpg", ".png", ".webp"]


def decode_fault(data: bytes) -> PictureFault:
    with pytest.raises(BadPicture) as caught:
        decode(data)
    return caught.value.fault


def make_png(width: int, height: int) -> bytes:
    """A tiny PNG file whose header claims `width` x `height`."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(bytes(1000)))
        + chunk(b"IEND", b"")
    )


def with_orientation(data: bytes, suffix: str, orientation: int, order: str = "<") -> bytes:
    """The file with an EXIF block that gives `orientation`."""
    mark = b"II*\0" if order == "<" else b"MM\0*"
    tiff = mark + struct.pack(order + "IHHHIHHI", 8, 1, 0x0112, 3, 1, orientation, 0, 0)
    if suffix == ".jpg":
        block = b"Exif\0\0" + tiff
        return data[:2] + b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block + data[2:]
    if suffix == ".png":
        block = b"eXIf" + tiff
        return (
            data[:33]
            + struct.pack(">I", len(tiff))
            + block
            + struct.pack(">I", zlib.crc32(block))
            + data[33:]
        )
    # WebP: the simple form becomes the extended one, with the flag for EXIF (bit 3).
    height, width = PICTURE.shape[:2]
    extended = b"VP8X" + struct.pack("<IB3x", 10, 0x08)
    extended += (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    body: bytes = b"WEBP" + extended + data[12:] + b"EXIF" + struct.pack("<I", len(tiff)) + tiff
    return b"RIFF" + struct.pack("<I", len(body)) + body


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_reads_each_format_by_its_content(suffix: str) -> None:
    data = encode_picture(PICTURE, suffix)
    header = read_header(data)
    assert (header.width, header.height, header.orientation) == (120, 90, 1)
    assert decode(data).shape == PICTURE.shape


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("orientation", range(1, 9))
def test_turns_the_picture_upright(suffix: str, orientation: int, order: str) -> None:
    # The upright picture is dark but for its top left corner.
    upright = np.zeros((120, 90, 3) if orientation > 4 else (90, 120, 3), np.uint8)
    upright[:30, :30] = 255
    # How a camera in that orientation stores it: the inverse of the turn.
    stored = {
        1: upright,
        2: upright[:, ::-1],
        3: upright[::-1, ::-1],
        4: upright[::-1],
        5: upright.transpose(1, 0, 2),
        6: upright[:, ::-1].transpose(1, 0, 2),
        7: upright[::-1, ::-1].transpose(1, 0, 2),
        8: upright[::-1].transpose(1, 0, 2),
    }[orientation]
    data = with_orientation(encode_picture(np.ascontiguousarray(stored), suffix), suffix, orientation, order)
    image = decode(data)
    assert image.shape == upright.shape
    assert image[10:20, 10:20].mean() > 240
    assert image[40:, 40:].mean() < 15


@pytest.mark.parametrize("prefix", ["", "data:image/jpeg;base64,", "data:image/png;name=a.png;base64,"])
def test_takes_base64_and_data_urls(prefix: str) -> None:
    data = encode_picture(PICTURE)
    text = base64.b64encode(data).decode()
    assert picture_bytes(prefix + text) == data
    assert picture_bytes(prefix + text[:40] + "\r\n" + text[40:]) == data
    assert picture_bytes(prefix + text.rstrip("=")) == data


@pytest.mark.parametrize(
    "text",
    [
        "../../etc/passwd.jpg",
        "C:\\photos\\me.jpg",
        "http://example.com/me.jpg",
        "data:text/html;base64,AAAA",
        "data:image/jpeg,AAAA",
        "人脸",
        "AAAAA",
    ],
)
def test_other_text_is_not_base64(text: str) -> None:
    with pytest.raises(BadPicture) as caught:
        picture_bytes(text)
    assert caught.value.fault is PictureFault.NOT_BASE64


def test_size_is_checked_before_decoding() -> None:
    for length in (MAX_BYTES + 1, MAX_BYTES * 2):
        with pytest.raises(BadPicture) as caught:
            picture_bytes(base64.b64encode(bytes(length)).decode())
        assert caught.value.fault is PictureFault.TOO_LARGE
    assert decode_fault(bytes(MAX_BYTES + 1)) is PictureFault.TOO_LARGE


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", PictureFault.FORMAT),
        (b"GIF89a" + bytes(100), PictureFault.FORMAT),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", PictureFault.FORMAT),
        (b"BM" + bytes(100), PictureFault.FORMAT),
        (b"II*\0" + bytes(100), PictureFault.FORMAT),
        (b"/etc/passwd", PictureFault.FORMAT),
        (b"\xff\xd8\xff", PictureFault.DAMAGED),
        (make_png(1, 1), PictureFault.TOO_SMALL),
        (make_png(63, 4000), PictureFault.TOO_SMALL),
        (make_png(10_000, 5_001), PictureFault.TOO_MANY_PIXELS),
        (make_png(2**31 - 1, 2**31 - 1), PictureFault.TOO_MANY_PIXELS),
        (make_png(0, 100), PictureFault.DAMAGED),
    ],
)
def test_refuses_with_the_reason(data: bytes, fault: PictureFault) -> None:
    assert decode_fault(data) is fault


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.99])
def test_a_cut_off_picture_is_damaged(suffix: str, part: float) -> None:
    data = encode_picture(PICTURE, suffix)
    assert decode_fault(data[: int(len(data) * part)]) is PictureFault.DAMAGED


def test_an_embedded_thumbnail_does_not_hide_a_cut() -> None:
    data = encode_picture(PICTURE)
    thumbnail = b"Exif\0\0" + data[:500] + b"\xff\xd9"
    whole = data[:2] + b"\xff\xe1" + struct.pack(">H", len(thumbnail) + 2) + thumbnail + data[2:]
    assert decode(whole).shape == PICTURE.shape
    assert decode_fault(whole[:-2]) is PictureFault.DAMAGED


def test_a_jpeg_of_many_scans_is_refused() -> None:
    data = encode_picture(PICTURE)
    assert decode_fault(data[:-2] + b"\xff\xda\x00\x02" * 100 + b"\xff\xd9") is PictureFault.DAMAGED


@pytest.mark.parametrize(
    ("suffix", "shape"), [(".jpg", (300, 1600)), (".png", (600, 3200)), (".webp", (600, 3200))]
)
def test_a_large_picture_comes_reduced_in_the_same_colours(suffix: str, shape: tuple[int, int]) -> None:
    image = np.full((1200, 6400, 3), (30, 90, 200), np.uint8)
    small = decode(encode_picture(image, suffix))
    assert small.shape == (*shape, 3)
    assert small.mean(axis=(0, 1)) == pytest.approx((30, 90, 200), abs=3)


@pytest.mark.parametrize("channels", [1, 4])
def test_a_large_png_of_other_channels_has_three(channels: int) -> None:
    image = np.full((100, 3300, channels), 200, np.uint16) * 256
    assert decode(bytes(cv2.imencode(".png", image)[1])).shape == (97, 3200, 3)


FILES = [encode_picture(PICTURE, suffix) for suffix in SUFFIXES]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(FILES), st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=6))
def test_damaged_headers_never_escape(data: bytes, edits: list[tuple[int, int]]) -> None:
    bad = bytearray(data)
    for place, value in edits:
        bad[place] = value
    try:
        header = read_header(bytes(bad))
    except BadPicture:
        return
    assert header.width > 0
    assert header.height > 0
