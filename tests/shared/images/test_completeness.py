"""Cuts pictures of every form, and leaves whole ones alone."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import pytest
import pyvips
from PIL import Image

from shared.images.completeness import is_damaged
from tests.pictures import encode_picture, gradient_pixels

PIXELS = gradient_pixels(300, 200)


def vips_tiff(**options: object) -> bytes:
    return bytes(pyvips.Image.new_from_array(PIXELS).tiffsave_buffer(**options))


def pillow(kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    Image.fromarray(PIXELS).save(out, kind, **options)
    return out.getvalue()


def packed_bitmap() -> bytes:
    """A BMP of 4 x 4 px with run-length encoding (BI_RLE8): four rows of one run, and the end."""
    runs = b"\x04\x01\0\0" * 4 + b"\0\x01"
    info = b"".join(
        number.to_bytes(size, "little")
        for number, size in (
            (40, 4), (4, 4), (4, 4), (1, 2), (8, 2), (1, 4), (len(runs), 4), (0, 4), (0, 4), (2, 4), (0, 4)
        )
    )  # fmt: skip
    start = 14 + len(info) + 8
    head = b"BM" + (start + len(runs)).to_bytes(4, "little") + bytes(4) + start.to_bytes(4, "little")
    return head + info + b"\0\0\0\0\xff\xff\xff\0" + runs


WHOLE = {
    "JPEG": ("image/jpeg", encode_picture(PIXELS, "JPEG", 6)),
    "PNG": ("image/png", pillow("PNG")),
    "TIFF": ("image/tiff", vips_tiff()),
    "TIFF, directory first": ("image/tiff", pillow("TIFF")),
    "TIFF, tiles": ("image/tiff", vips_tiff(tile=True, tile_width=64, tile_height=64, compression="lzw")),
    "BigTIFF, pages": ("image/tiff", vips_tiff(tile=True, pyramid=True, bigtiff=True)),
    "BMP": ("image/bmp", pillow("BMP")),
    "BMP, packed": ("image/bmp", packed_bitmap()),
    "WebP": ("image/webp", pillow("WEBP")),
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole_picture_is_not_damaged(tmp_path: Path, name: str) -> None:
    kind, data = WHOLE[name]
    path = tmp_path / "p"
    for end in (b"", b"film of the camera"):
        path.write_bytes(data + end)
        assert not is_damaged(path, kind)


@pytest.mark.parametrize("name", [name for name in WHOLE if name != "WebP"])
@pytest.mark.parametrize("missing", [40, 0.1, 0.5])
def test_cut_picture_is_damaged(tmp_path: Path, name: str, missing: float) -> None:
    kind, data = WHOLE[name]
    path = tmp_path / "p"
    path.write_bytes(data[: -(missing if isinstance(missing, int) else int(len(data) * missing))])
    assert is_damaged(path, kind)


def test_preview_in_the_camera_data_is_not_the_end(tmp_path: Path) -> None:
    data = WHOLE["JPEG"][1]
    path = tmp_path / "p"
    preview = b"\xff\xe1\x00\x08Exif\xff\xd9"
    path.write_bytes(data[:2] + preview + data[2:-2])
    assert is_damaged(path, "image/jpeg")


def test_pages_in_a_circle_end(tmp_path: Path) -> None:
    data = bytearray(pillow("TIFF"))
    start = int.from_bytes(data[4:8], "little")
    count = int.from_bytes(data[start : start + 2], "little")
    at = start + 2 + 12 * count
    data[at : at + 4] = start.to_bytes(4, "little")
    path = tmp_path / "p"
    path.write_bytes(data)
    assert not is_damaged(path, "image/tiff")


def test_png_with_a_wrong_checksum_is_damaged(tmp_path: Path) -> None:
    data = bytearray(WHOLE["PNG"][1])
    data[data.index(b"IDAT") + 40] ^= 1
    path = tmp_path / "p"
    path.write_bytes(data)
    assert is_damaged(path, "image/png")


@pytest.mark.parametrize("offset", [2**31, 2**62, 2**64 - 1])
def test_tiff_with_an_offset_beyond_the_file_is_damaged(tmp_path: Path, offset: int) -> None:
    """A BigTIFF whose first directory, and then whose list of strips, is where no file reaches."""
    path = tmp_path / "p"
    path.write_bytes(struct.pack("<2sHHHQ", b"II", 43, 8, 0, offset))
    assert is_damaged(path, "image/tiff")
    path.write_bytes(
        struct.pack("<2sHHHQQ", b"II", 43, 8, 0, 16, 2)
        + struct.pack("<HHQQ", 273, 16, 2, offset)
        + struct.pack("<HHQQ", 279, 16, 1, 1)
        + bytes(8)
    )
    assert is_damaged(path, "image/tiff")
