from __future__ import annotations

import io
import struct
import unicodedata
from typing import Any

import pytest
import pyvips
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image

from shared.images.camera_data import film_frame_packet, read_camera_data
from shared.wire.files import CameraData, CameraPosition, FilmFrame
from tests.narrowing import not_none
from tests.pictures import camera_photo

_PLAIN = camera_photo({})


def read(data: bytes, **options: Any) -> CameraData:
    return read_camera_data(pyvips.Image.new_from_buffer(data, ""), **options)


def jpeg_with_exif(block: bytes) -> bytes:
    """Return a JPEG file with this EXIF block."""
    body = b"Exif\0\0" + block
    return _PLAIN[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + _PLAIN[2:]


PHOTO = camera_photo(
    {0x010F: "Canon", 0x0110: "EOS R5 (mark, II)"},
    {
        0x9003: "2026:05:01 10:00:01",
        0x9011: "+08:00",
        0x9291: "42",
        0xA434: "RF50mm F1.8",
        0x829A: (1, 60),
        0x829D: (28, 10),
        0x8827: 400,
        0x920A: (50, 1),
        0xA405: 50,
    },
    {1: "S", 2: (31.0, 10.0, 20.5), 3: "E", 4: (121.0, 20.0, 3.0)},
)


@pytest.mark.parametrize("file_format", ["JPEG", "PNG", "WEBP"])
def test_camera_data_is_read(file_format: str) -> None:
    data = PHOTO
    if file_format != "JPEG":
        image, buffer = Image.open(io.BytesIO(PHOTO)), io.BytesIO()
        image.save(buffer, file_format, exif=image.getexif())
        data = buffer.getvalue()

    camera = read(data)

    assert camera.model_dump(exclude_none=True) == {
        "taken_at": "2026-05-01T10:00:01.42+08:00",
        "make": "Canon",
        "model": "EOS R5 (mark, II)",
        "lens": "RF50mm F1.8",
        "focal_length": 50.0,
        "focal_length_35": 50,
        "exposure_time": pytest.approx(1 / 60),
        "f_number": 2.8,
        "iso": 400,
    }


def test_position_is_read_only_on_request() -> None:
    assert read(PHOTO).position is None
    assert read(PHOTO, position=True).position == CameraPosition(latitude=-31.1723611, longitude=121.3341667)


@pytest.mark.parametrize(
    "value", ["0000:00:00 00:00:00", "2026:13:01 10:00:00", "    :  :     :  :  ", "yesterday"]
)
def test_camera_clock_that_was_never_set_gives_no_time(value: str) -> None:
    assert read(camera_photo({}, {0x9003: value})).taken_at is None


@pytest.mark.parametrize("offset", ["+8", "+99:00", "UTC"])
def test_invalid_offset_is_left_out(offset: str) -> None:
    photo = camera_photo({}, {0x9003: "2026:05:01 10:00:01", 0x9011: offset})
    assert read(photo).taken_at == "2026-05-01T10:00:01"


def test_texts_are_shortened_and_cleaned() -> None:
    camera = read(camera_photo({0x010F: "a\x1b[31m\nb" + "x" * 5000, 0x0110: "  unknown "}))
    make = not_none(camera.make)
    assert make.startswith("a [31m b")
    assert len(make) <= 100
    assert camera.model is None


def test_implausible_numbers_are_left_out() -> None:
    photo = camera_photo({}, {0x829A: (1, 0), 0x829D: (0, 1), 0x920A: (4_000_000_000, 1)})
    assert read(photo) == CameraData()


def test_picture_without_camera_data_gives_none() -> None:
    assert read(_PLAIN) == CameraData()


_BLOCK = PHOTO[PHOTO.index(b"Exif\0\0") + 6 :][:600]


@settings(max_examples=60)
@given(st.integers(0, 600))
@example(0)
def test_truncated_block_gives_fewer_fields_and_no_error(length: int) -> None:
    read(jpeg_with_exif(_BLOCK[:length]), position=True)


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 599), st.binary(min_size=1, max_size=8)), max_size=12))
def test_a_block_with_wrong_bytes_gives_no_error(changes: list[tuple[int, bytes]]) -> None:
    block = bytearray(_BLOCK)
    for at, data in changes:
        block[at : at + len(data)] = data
    camera = read(jpeg_with_exif(bytes(block)), position=True)
    assert len(camera.model_dump_json()) < 2_000


@settings(max_examples=60)
@given(st.binary(max_size=2_000))
@example(b"II*\0\x08\0\0\0\xff\xff" + b"\x01" * 100)
@example(b"MM\0*\0\0\0\x08\0\x01\x87\x69\0\x04\0\0\0\x01\0\0\0\x08\0\0\0\0")
def test_any_block_gives_no_error(block: bytes) -> None:
    read(jpeg_with_exif(block), position=True)


@settings(max_examples=60)
@given(st.text(min_size=1, max_size=80))
@example("孔探 & <\"2\">, SHA-256 '3'.mp4")
def test_frame_of_any_film_comes_back(film: str) -> None:
    frame = FilmFrame(film=film, sha256="0a" * 32, number=25, at="01:02:03.480")
    back = not_none(read(jpeg_with_xmp(film_frame_packet(frame))).frame)
    name = "".join(" " if unicodedata.category(letter)[0] in "CZ" else letter for letter in film)
    assert back == frame.model_copy(update={"film": " ".join(name.split())})


@settings(max_examples=60)
@given(st.binary(max_size=2_000))
@example(b'dc:source="Frame 1 at 1 of \xff&#0;&quot;, SHA-256 ' + b"a" * 64 + b'"')
def test_any_packet_gives_no_error(packet: bytes) -> None:
    read(jpeg_with_xmp(packet))


def jpeg_with_xmp(packet: bytes) -> bytes:
    body = b"http://ns.adobe.com/xap/1.0/\0" + packet
    return _PLAIN[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + _PLAIN[2:]
