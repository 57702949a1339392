"""Pictures that would be shown wrongly or not at all: all readers refuse them and name their form."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest
import pyvips

from desktop.imaging.decoding.decoder import read_header
from desktop.imaging.decoding.errors import ImageError
from service.detection.compute.pictures import load
from service.detection.failure import DetectionFailed
from service.files.images import BadImageError, UnsupportedFormError, check_pixels, upright_size
from shared.images.formats import HEAD_BYTES, picture_type

SIDE = 64


def tiff(
    bands: int = 3, bits: int = 8, photometric: int = 2, compression: int = 1, *, is_tiled: bool = False
) -> bytes:
    """A TIFF of `SIDE` x `SIDE` px in one strip or tile (TIFF 6.0, sections 2 and 15). All bytes differ."""
    pixels = bytes(number * 7 % 251 for number in range(SIDE * SIDE * bands * bits // 8))
    fields = {256: SIDE, 257: SIDE, 258: bits, 259: compression, 262: photometric, 277: bands}
    places = (324, 325) if is_tiled else (273, 279)
    fields |= {322: SIDE, 323: SIDE} if is_tiled else {278: SIDE}
    start = 10 + 12 * (len(fields) + 2) + 4
    fields |= {places[0]: start, places[1]: len(pixels)}
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in sorted(fields.items()))
    return struct.pack("<2sHIH", b"II", 42, 8, len(fields)) + entries + bytes(4) + pixels


def check_upload(path: Path) -> None:
    kind = picture_type(path.read_bytes()[:HEAD_BYTES])
    assert kind is not None
    upright_size(path, kind)
    check_pixels(path, kind)


def assert_refused_by_all(path: Path, data: bytes, name: str) -> None:
    path.write_bytes(data)
    with pytest.raises(UnsupportedFormError, match=re.escape(name)):
        check_upload(path)
    with pytest.raises(DetectionFailed) as failure:
        load(path)
    assert failure.value.code == "image_unreadable"
    for source in (path, data):
        with pytest.raises(ImageError, match=re.escape(f"({name})")):
            read_header(source)


@pytest.mark.parametrize("is_tiled", [False, True])
@pytest.mark.parametrize(
    ("compression", "name"), [(6, "JPEG (TIFF 6.0)"), (34925, "LZMA"), (50000, "ZSTD"), (34712, "JPEG 2000")]
)
def test_pixels_that_no_decoder_reads_are_not_black(
    tmp_path: Path, compression: int, name: str, is_tiled: bool
) -> None:
    assert_refused_by_all(tmp_path / "p", tiff(compression=compression, is_tiled=is_tiled), name)


def test_rare_form_of_a_build_with_the_decoder_is_read(tmp_path: Path) -> None:
    """WebP: the libvips of the lock file has it."""
    path = tmp_path / "p"
    picture = pyvips.Image.new_from_memory(bytes(range(192)) * SIDE, SIDE, SIDE, 3, "uchar")
    path.write_bytes(picture.copy(interpretation="srgb").tiffsave_buffer(compression="webp", lossless=True))
    check_upload(path)
    assert load(path)[0][5, 3].tolist() == [11, 10, 9]


@pytest.mark.parametrize("bits", [3, 10, 12, 14, 24])
@pytest.mark.parametrize(("bands", "photometric"), [(1, 1), (3, 2)])
def test_depth_that_is_not_read_is_named(tmp_path: Path, bits: int, bands: int, photometric: int) -> None:
    assert_refused_by_all(tmp_path / "p", tiff(bands, bits, photometric), f"{bits} bit")


def test_colours_of_less_than_a_byte_are_named(tmp_path: Path) -> None:
    assert_refused_by_all(tmp_path / "p", tiff(bits=4), "3 x 4 bit")


@pytest.mark.parametrize("compression", [1, 5])
def test_brightness_and_colour_differences_are_not_shown_as_rgb(tmp_path: Path, compression: int) -> None:
    data = tiff(photometric=6, compression=compression)
    assert_refused_by_all(tmp_path / "p", data, "YCbCr")


def test_ycbcr_in_jpeg_is_read(tmp_path: Path) -> None:
    path = tmp_path / "p"
    red = pyvips.Image.new_from_memory(bytes((220, 30, 30)) * SIDE**2, SIDE, SIDE, 3, "uchar")
    path.write_bytes(red.copy(interpretation="srgb").tiffsave_buffer(compression="jpeg"))
    assert struct.pack("<HHII", 262, 3, 1, 6) in path.read_bytes()
    check_upload(path)
    assert abs(load(path)[0][5, 3].astype(int) - (30, 30, 220)).max() < 6


@pytest.mark.parametrize("photometric", [5, 9, 99])
@pytest.mark.parametrize("bands", [4, 5])
def test_channels_that_are_no_colours_are_named(tmp_path: Path, bands: int, photometric: int) -> None:
    """Of photometric 5 (CMYK) all channels are known."""
    path, data = tmp_path / "p", tiff(bands, photometric=photometric)
    if photometric == 5:
        path.write_bytes(data)
        check_upload(path)
        assert load(path)[0].shape == (SIDE, SIDE, 3)
        return
    assert_refused_by_all(path, data, f"{bands} channels")


_STANDARD = 0xFF0000, 0xFF00, 0xFF
_RGB565, _RGB555 = (0xF800, 0x7E0, 0x1F), (0x7C00, 0x3E0, 0x1F)


def bitmap(header: int, bits: int, masks: tuple[int, ...] = (), compression: int = 3) -> bytes:
    """A bitmap of `SIDE` x `SIDE` px in (200, 100, 40), with `masks` in its header or behind one of 40.

    Without masks the pixel has the usual ones.
    """
    shown = masks or (_RGB555 if bits == 16 else _STANDARD)
    pixel = sum(
        round(value / 255 * (mask // (mask & -mask))) * (mask & -mask)
        for value, mask in zip((200, 100, 40), shown, strict=True)
    )
    fields = struct.pack("<IiiHHIIiiII", header, SIDE, SIDE, 1, bits, compression, 0, 0, 0, 0, 0)
    fields += struct.pack(f"<{len(masks)}I", *masks)
    fields += bytes(max(header - len(fields), 0))
    pixels = pixel.to_bytes(bits // 8, "little") * SIDE * SIDE
    return (
        struct.pack("<2sIHHI", b"BM", 14 + len(fields) + len(pixels), 0, 0, 14 + len(fields))
        + fields
        + pixels
    )


@pytest.mark.parametrize(
    ("header", "bits", "masks"),
    [
        (40, 16, (0xF00, 0xF0, 0xF)),
        (56, 16, _RGB565),
        (108, 16, _RGB555),
        (124, 16, _RGB565),
        (40, 32, (0xFF, 0xFF00, 0xFF0000)),
        (40, 32, (0x3FF << 20, 0x3FF << 10, 0x3FF)),
    ],
)
def test_bitmap_with_masks_that_are_not_read_is_named(
    tmp_path: Path, header: int, bits: int, masks: tuple[int, ...]
) -> None:
    assert_refused_by_all(tmp_path / "p", bitmap(header, bits, masks), f"BMP, {bits} bit, compression 3")


def test_bitmap_with_a_jpeg_inside_is_named(tmp_path: Path) -> None:
    data = bitmap(40, 24, compression=4)
    assert_refused_by_all(tmp_path / "p", data, "BMP, 24 bit, compression 4")


@pytest.mark.parametrize(
    ("header", "bits", "masks"),
    [
        (40, 16, ()),
        (40, 16, _RGB565),
        (40, 16, _RGB555),
        (124, 16, ()),
        (40, 24, ()),
        (40, 32, ()),
        (124, 32, ()),
        (40, 32, _STANDARD),
        (56, 32, (0xFF, 0xFF00, 0xFF0000)),
        (124, 32, (0xFF000000, 0xFF0000, 0xFF00)),
        (108, 32, (0x3FF << 20, 0x3FF << 10, 0x3FF)),
    ],
)
def test_bitmap_of_every_usual_form_has_its_colours(
    tmp_path: Path, header: int, bits: int, masks: tuple[int, ...]
) -> None:
    path = tmp_path / "p"
    path.write_bytes(bitmap(header, bits, masks, compression=3 if masks else 0))
    check_upload(path)
    # A fifth bit is eight steps.
    assert abs(load(path)[0][5, 3].astype(int) - (40, 100, 200)).max() <= 8


def test_bitmap_wider_than_opencv_reads_is_refused(tmp_path: Path) -> None:
    fields = struct.pack("<IiiHHIIiiII", 40, 2**21, 1, 1, 8, 0, 0, 0, 0, 0, 0)
    path = tmp_path / "p"
    path.write_bytes(struct.pack("<2sIHHI", b"BM", 0, 0, 0, 54) + fields + bytes(2**21))
    with pytest.raises(BadImageError):
        check_upload(path)
    with pytest.raises(ImageError):
        read_header(path)


def test_packed_bitmap_that_cannot_be_decoded_is_damaged(tmp_path: Path) -> None:
    """Its only run (BI_RLE8) is longer than the row."""
    fields = struct.pack("<IiiHHIIiiII", 40, SIDE, SIDE, 1, 8, 1, 4, 0, 0, 2, 0)
    path = tmp_path / "p"
    path.write_bytes(struct.pack("<2sIHHI", b"BM", 66, 0, 0, 62) + fields + bytes(8) + b"\xff\x01\0\1")
    with pytest.raises(BadImageError) as damaged:
        check_upload(path)
    assert not isinstance(damaged.value, UnsupportedFormError)
