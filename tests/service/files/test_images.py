"""Tests sizes from headers, limits and thumbnails."""

from __future__ import annotations

import io
import os
import re
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
import pyvips
from PIL import Image, TiffImagePlugin, TiffTags

from service.files import images
from service.files.images import (
    BadImageError,
    OverloadedImageError,
    TooManyPixelsError,
    UnsupportedFormError,
    check_pixels,
    thumbnail,
    upright_size,
)
from service.files.rules import type_by_content
from shared.images.cv import cv2
from tests.shared.images.test_png import png

FORMATS = {
    "jpeg": "image/jpeg",
    "png": "image/png",
    "webp": "image/webp",
    "tiff": "image/tiff",
    "bmp": "image/bmp",
}


def encode_half_red_picture(
    kind: str, size: tuple[int, int] = (60, 40), orientation: int | None = None
) -> bytes:
    """An image file whose stored pixels have a red left half and a blue right half."""
    pixels = np.zeros((size[1], size[0], 3), np.uint8)
    pixels[:, : size[0] // 2] = (255, 0, 0)
    pixels[:, size[0] // 2 :] = (0, 0, 255)
    image = Image.fromarray(pixels)
    out = io.BytesIO()
    if orientation is None:
        image.save(out, kind)
    else:
        exif = Image.Exif()
        exif[0x0112] = orientation
        image.save(out, kind, exif=exif)
    return out.getvalue()


def make_png_header(width: int, height: int, interlace: int = 0) -> bytes:
    """A PNG with this size in its header and almost no pixels."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, interlace)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b""))
        + chunk(b"IEND", b"")
    )


def read_size(folder: Path, data: bytes) -> tuple[int, int] | None:
    path = folder / "图"
    path.write_bytes(data)
    return upright_size(path, type_by_content(data[:64]))


def test_size_of_every_format_is_read(tmp_path: Path) -> None:
    for kind in FORMATS:
        assert read_size(tmp_path, encode_half_red_picture(kind)) == (60, 40)


@pytest.mark.parametrize("kind", ["jpeg", "png", "webp", "tiff"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_size_is_that_of_the_upright_image(tmp_path: Path, kind: str, orientation: int) -> None:
    data = encode_half_red_picture(kind, orientation=orientation)
    assert read_size(tmp_path, data) == ((40, 60) if orientation >= 5 else (60, 40))


def test_file_that_is_not_an_image_has_no_size(tmp_path: Path) -> None:
    assert read_size(tmp_path, b"just words") is None


def test_decompression_bomb_is_refused_by_its_header(tmp_path: Path) -> None:
    with pytest.raises(TooManyPixelsError):
        read_size(tmp_path, make_png_header(30_000, 30_000))
    with pytest.raises(TooManyPixelsError):
        read_size(tmp_path, make_png_header(12_000, 12_000, interlace=1))
    bitmap = b"BM" + bytes(12) + struct.pack("<Iii", 40, 20_000, -20_000) + bytes(28)
    with pytest.raises(TooManyPixelsError):
        read_size(tmp_path, bitmap)


def test_large_image_that_is_decoded_by_lines_is_accepted(tmp_path: Path) -> None:
    assert read_size(tmp_path, make_png_header(20_000, 20_000)) == (20_000, 20_000)


def test_webp_has_the_limit_of_pictures_that_are_decoded_completely(tmp_path: Path) -> None:
    # Decoding a file of 250 bytes needed two gigabytes.
    packed = bytearray(pyvips.Image.black(60, 40, bands=3).webpsave_buffer(lossless=True, keep="none"))
    at = packed.index(b"VP8L") + 9
    (bits,) = struct.unpack_from("<I", packed, at)
    struct.pack_into("<I", packed, at, bits & ~0xFFFFFFF | 16382 | 16382 << 14)
    with pytest.raises(TooManyPixelsError, match="16383 x 16383"):
        read_size(tmp_path, bytes(packed))


def test_tiff_with_many_channels_is_refused(tmp_path: Path) -> None:
    # A strip is small in the file and has gigabytes when it is unpacked.
    many = pyvips.Image.black(64, 64, bands=40).tiffsave_buffer(compression="deflate")
    with pytest.raises(OverloadedImageError):
        read_size(tmp_path, many)
    print_colours = pyvips.Image.black(64, 64, bands=5).copy(interpretation="cmyk")
    assert read_size(tmp_path, print_colours.tiffsave_buffer()) == (64, 64)


def test_png_with_a_large_compressed_text_is_refused(tmp_path: Path) -> None:
    text = zlib.compress(b"a" * (20 * 2**20), 9)
    chunk = b"zTXtComment\0\0" + text
    whole = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
    plain = encode_half_red_picture("png")
    with pytest.raises(OverloadedImageError):
        read_size(tmp_path, plain[:33] + whole + plain[33:])
    # A text behind the pixels is read too.
    with pytest.raises(OverloadedImageError):
        read_size(tmp_path, plain[:-12] + whole + plain[-12:])


@pytest.mark.parametrize("kind", ["jpeg", "png", "webp", "tiff", "bmp"])
def test_incomplete_header_is_refused(tmp_path: Path, kind: str) -> None:
    with pytest.raises(BadImageError):
        read_size(tmp_path, encode_half_red_picture(kind)[:20])


def decode(data: bytes) -> np.ndarray:
    return np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR))


@pytest.mark.parametrize("kind", FORMATS)
def test_thumbnail_fits_and_is_a_jpeg(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "图"
    path.write_bytes(encode_half_red_picture(kind, (600, 400)))
    small = thumbnail(path, 120)
    assert small.startswith(b"\xff\xd8\xff")
    pixels = decode(small)
    assert pixels.shape == (80, 120, 3)
    assert pixels[40, 10, 2] > 200  # red on the left (OpenCV: blue, green, red)
    assert pixels[40, 110, 0] > 200


def test_small_image_is_not_enlarged(tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_bytes(encode_half_red_picture("png"))
    assert decode(thumbnail(path, 512)).shape[:2] == (40, 60)


@pytest.mark.parametrize("kind", ["jpeg", "png", "webp", "tiff"])
def test_thumbnail_is_upright(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "p"
    # Orientation 6 is a quarter turn to the right, so the left half is at the top.
    path.write_bytes(encode_half_red_picture(kind, (600, 400), orientation=6))
    pixels = decode(thumbnail(path, 120))
    assert pixels.shape[:2] == (120, 80)
    assert pixels[10, 40, 2] > 200
    assert pixels[110, 40, 0] > 200


@pytest.mark.parametrize(
    ("mode", "kind"),
    [
        ("L", "jpeg"),
        ("CMYK", "jpeg"),
        ("1", "png"),
        ("P", "png"),
        ("LA", "png"),
        ("RGBA", "png"),
        ("I;16", "png"),
        ("RGBA", "webp"),
        ("1", "tiff"),
        ("F", "tiff"),
        ("I;16", "tiff"),
        ("CMYK", "tiff"),
        ("L", "bmp"),
        ("1", "bmp"),
    ],
)
def test_every_pixel_format_has_a_thumbnail(tmp_path: Path, mode: str, kind: str) -> None:
    path = tmp_path / "p"
    Image.new(mode, (300, 200)).save(path, kind)
    assert upright_size(path, FORMATS[kind]) == (300, 200)
    assert decode(thumbnail(path, 150)).shape == (100, 150, 3)


def test_truncated_photo_has_a_partial_thumbnail(tmp_path: Path) -> None:
    path = tmp_path / "p"
    whole = encode_half_red_picture("jpeg", (600, 400))
    path.write_bytes(whole[: len(whole) // 2])
    assert max(decode(thumbnail(path, 128)).shape) == 128


def test_noise_after_header_gives_no_thumbnail(tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_bytes(b"BM" + bytes(12) + struct.pack("<Iii", 40, 10, 10) + b"\x07\x00\x07\x00" + bytes(24))
    with pytest.raises(BadImageError):
        thumbnail(path, 128)


PROFILE = os.urandom(2**20) * 20
PHOTOSHOP_LAYERS = 37724


@pytest.mark.parametrize("ending", ["tif", "big.tif", "webp", "png"])
@pytest.mark.parametrize("size", [0, len(PROFILE)])
def test_large_profile_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, size: int
) -> None:
    out = io.BytesIO()
    if ending == "png":
        out.write(png((b"iCCP", b"p\0\0" + zlib.compress(bytes(size), 9))))
    elif ending == "webp":
        Image.new("RGB", (1, 1)).save(out, "webp", icc_profile=PROFILE[:size])
    else:
        big = ending == "big.tif"
        Image.new("RGB", (1, 1)).save(out, "tiff", icc_profile=PROFILE[: size or 128], big_tiff=big)
    packed = out.getvalue()
    if size == 0:
        assert read_size(tmp_path, packed) == (1, 1)
        return
    monkeypatch.setattr(images, "_open_image", None)
    with pytest.raises(OverloadedImageError):
        read_size(tmp_path, packed)


def test_layers_of_photoshop_are_not_counted_as_metadata(tmp_path: Path) -> None:
    tags = TiffImagePlugin.ImageFileDirectory_v2()
    tags.tagtype[PHOTOSHOP_LAYERS] = TiffTags.UNDEFINED
    tags[PHOTOSHOP_LAYERS] = bytes(len(PROFILE))
    out = io.BytesIO()
    Image.new("RGB", (3, 2)).save(out, "tiff", tiffinfo=tags)
    assert read_size(tmp_path, out.getvalue()) == (3, 2)


@pytest.mark.parametrize(("compression", "name"), [(6, "JPEG (TIFF 6.0)"), (34925, "LZMA")])
def test_tiles_that_no_decoder_reads_are_refused_and_not_black(
    tmp_path: Path, compression: int, name: str
) -> None:
    """A grey picture of one tile (TIFF 6.0, section 15)."""
    tags = {256: 64, 257: 64, 258: 8, 259: compression, 262: 1, 277: 1, 322: 64, 323: 64, 324: 8, 325: 64}
    fields = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags.items())
    path = tmp_path / "tile.tif"
    path.write_bytes(
        struct.pack("<2sHI", b"II", 42, 72) + bytes(64) + struct.pack("<H", len(tags)) + fields + bytes(4)
    )

    with pytest.raises(UnsupportedFormError, match=re.escape(name)):
        check_pixels(path, "image/tiff")
