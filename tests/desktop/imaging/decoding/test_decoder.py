"""The one decoder: every orientation and format lands in the same upright pixels."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from desktop.imaging.decoding.decoder import (
    Cancellation,
    pixel_rect,
    read_crop,
    read_header,
    read_preview,
    read_whole,
)
from desktop.imaging.decoding.errors import CancelledError, ImageError
from desktop.imaging.decoding.pixels import to_qimage, upright
from desktop.imaging.decoding.vips import pyvips
from shared.images.upright import stored_rect, upright_size
from shared.record.geometry import Rect
from tests.desktop.imaging.pictures import rgb
from tests.pictures import encode_picture, gradient_pixels


@pytest.mark.parametrize("file_format", ["PNG", "JPEG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_orientation_is_decoded_upright(file_format: str, orientation: int) -> None:
    picture = gradient_pixels(60, 44)
    data = encode_picture(picture, file_format, orientation)
    header = read_header(data)
    assert (header.width, header.height) == (60, 44)
    pixels = rgb(to_qimage(read_whole(data, header, Cancellation()))).astype(int)
    tolerance = 12 if file_format == "JPEG" else 0
    assert np.abs(pixels - picture).max() <= tolerance
    cut = rgb(to_qimage(read_crop(data, header, Rect(7, 11, 20, 9), Cancellation()))).astype(int)
    assert cut.shape == (9, 20, 3)
    assert np.abs(cut - picture[11:20, 7:27]).max() <= tolerance


@settings(max_examples=60, deadline=None)
@given(
    orientation=st.integers(1, 8),
    size=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    data=st.data(),
)
def test_upright_rectangle_is_read_from_the_stored_pixels(
    orientation: int, size: tuple[int, int], data: st.DataObject
) -> None:
    width, height = size
    stored = np.arange(width * height, dtype=np.uint32).reshape(height, width)
    turned = upright(stored, orientation)
    assert turned.shape[::-1] == upright_size(width, height, orientation)
    x = data.draw(st.integers(0, turned.shape[1] - 1))
    y = data.draw(st.integers(0, turned.shape[0] - 1))
    w = data.draw(st.integers(1, turned.shape[1] - x))
    h = data.draw(st.integers(1, turned.shape[0] - y))
    part = stored_rect(Rect(x, y, w, h), width, height, orientation)
    left, top = int(part.x), int(part.y)
    cut = stored[top : top + int(part.h), left : left + int(part.w)]
    assert np.array_equal(upright(cut, orientation), turned[y : y + h, x : x + w])


@pytest.mark.parametrize("orientation", [0, 9, 65_535])
def test_invalid_orientation_leaves_picture_unchanged(orientation: int) -> None:
    picture = gradient_pixels(60, 40)
    data = encode_picture(picture, "JPEG", orientation)
    header = read_header(data)
    assert (header.width, header.height, header.orientation) == (60, 40, 1)
    cut = read_crop(data, header, Rect(0, 0, 60, 40), Cancellation())
    assert cut.shape == (40, 60)


def test_a_preview_is_scaled_down_and_upright() -> None:
    picture = np.zeros((400, 1200, 3), np.uint8)
    picture[:, 600:] = 200
    data = encode_picture(picture, "JPEG", 6)
    header = read_header(data)
    preview = rgb(to_qimage(read_preview(data, header, 150, Cancellation())))
    assert preview.shape[1] / preview.shape[0] == pytest.approx(3, rel=0.05)
    assert 150 <= preview.shape[1] < 300
    assert preview[:, : preview.shape[1] // 3].max() < 20
    assert preview[:, -preview.shape[1] // 3 :].min() > 180


def test_a_small_picture_is_its_own_preview() -> None:
    picture = gradient_pixels(31, 17)
    data = encode_picture(picture)
    preview = to_qimage(read_preview(data, read_header(data), 2048, Cancellation()))
    assert np.array_equal(rgb(preview), picture)


def test_grey_16_bit_and_transparent_pictures() -> None:
    buffer = io.BytesIO()
    Image.fromarray(np.full((5, 6), 0x8000, np.uint16)).save(buffer, "PNG")
    data = buffer.getvalue()
    grey = rgb(to_qimage(read_whole(data, read_header(data), Cancellation())))
    assert np.abs(grey.astype(int) - 128).max() <= 1
    buffer = io.BytesIO()
    Image.fromarray(np.zeros((5, 6, 4), np.uint8), "RGBA").save(buffer, "PNG")
    data = buffer.getvalue()
    assert rgb(to_qimage(read_whole(data, read_header(data), Cancellation()))).min() == 255


def test_any_path_opens(tmp_path: Path) -> None:
    path = tmp_path / "左翼根部 航后[1].png[2]"
    path.write_bytes(encode_picture(gradient_pixels(20, 10)))
    header = read_header(path)
    assert (header.width, header.height) == (20, 10)
    assert np.array_equal(rgb(to_qimage(read_whole(path, header, Cancellation()))), gradient_pixels(20, 10))


@pytest.mark.parametrize(
    "data", [b"", b"no picture", b"\xff\xd8\xff\xe0 broken", encode_picture(gradient_pixels(9, 9))[:40]]
)
def test_file_that_is_not_a_picture_is_reported(data: bytes) -> None:
    with pytest.raises(ImageError, match="Cannot read the image"):
        read_header(data)


def test_truncated_picture_is_reported() -> None:
    data = encode_picture(gradient_pixels(300, 300), "JPEG")[:-4000]
    with pytest.raises(ImageError, match="damaged"):
        read_whole(data, read_header(data), Cancellation())


def test_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match=r"gone\.jpg no longer exists"):
        read_header(tmp_path / "gone.jpg")


def test_a_picture_of_absurd_size_is_refused_by_its_header() -> None:
    head = encode_picture(gradient_pixels(4, 4))
    claimed = b"IHDR" + struct.pack(">II", 100_000, 100_000) + head[24:29]
    head = head[:12] + claimed + struct.pack(">I", zlib.crc32(claimed)) + head[33:]
    with pytest.raises(ImageError, match="100000 x 100000"):
        read_header(head)


def test_cancelled_work_ends() -> None:
    data = encode_picture(gradient_pixels(64, 64))
    cancellation = Cancellation()
    cancellation.cancel()
    with pytest.raises(CancelledError):
        read_whole(data, read_header(data), cancellation)


def test_pictures_of_one_source_are_computed_at_the_same_time() -> None:
    cancellation = Cancellation()
    first, second, other = (pyvips.Image.black(8, 8, bands=bands) for bands in (3, 3, 4))
    with cancellation.watch(first):
        with cancellation.watch(second), cancellation.watch(other):
            pass
        cancellation.cancel()
        assert second.write_to_memory() == bytes(8 * 8 * 3)
        assert other.write_to_memory() == bytes(8 * 8 * 4)
        with pytest.raises(pyvips.Error):
            first.write_to_memory()


def test_pixels_that_a_rectangle_touches() -> None:
    assert pixel_rect(Rect(1.2, 2.0, 3.0, 1.0), 10, 10) == (1, 2, 4, 1)
    assert pixel_rect(Rect(8, -5, 50, 6), 10, 10) == (8, 0, 2, 1)
    with pytest.raises(ValueError, match="no pixel"):
        pixel_rect(Rect(10, 0, 3, 3), 10, 10)


def test_a_picture_that_unpacks_to_more_than_its_pixels_is_refused(tmp_path: Path) -> None:
    chunk = b"zTXtComment\0\0" + zlib.compress(b"a" * (20 * 2**20), 9)
    whole = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
    plain = encode_picture(gradient_pixels(60, 44), "PNG")
    path = tmp_path / "图.png"
    path.write_bytes(plain[:33] + whole + plain[33:])
    for data in (path, path.read_bytes()):
        with pytest.raises(ImageError, match="too much embedded text"):
            read_header(data)
    with pytest.raises(ImageError, match="colour channels"):
        read_header(pyvips.Image.black(64, 64, bands=40).tiffsave_buffer(compression="deflate"))
