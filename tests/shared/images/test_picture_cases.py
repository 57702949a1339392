"""Tests awkward pictures in all four readers: detection, crops, thumbnails, the canvas."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pytest
import pyvips
from PIL import Image

from desktop.imaging.decoding.decoder import Cancellation, read_header, read_whole
from service.detection.compute.pictures import load
from service.files.images import BadImageError, check_pixels, crop, thumbnail, upright_size
from shared.images.formats import HEAD_BYTES, picture_type
from shared.record.geometry import Rect

_SIZE: Final = 320, 240
_TOLERANCE: Final = 6
_COLOURS: Final = ((220, 30, 30), (30, 200, 30), (30, 30, 220), (240, 240, 200))
_GREYS: Final = tuple((value,) * 3 for value in (87, 130, 52, 235))
# A step of 8 bits in Display P3 is up to five steps in the darkest colours of sRGB.
_MUTED: Final = ((220, 60, 40), (60, 190, 80), (70, 80, 200), (240, 240, 200))
_REFUSED: Final = "refused at upload"


class Case(NamedTuple):
    """A kind of picture, and the colours of its quarters; None if it is refused."""

    name: str
    colours: tuple[tuple[int, ...], ...] | None
    make: Callable[[], bytes]


def quarters(colours: tuple[tuple[int, ...], ...] = _COLOURS, bands: int = 3) -> Any:
    """Four areas, uint8 (240, 320, bands): top left, top right, bottom left, bottom right."""
    pixels = np.zeros((_SIZE[1], _SIZE[0], bands), np.uint8)
    for index, colour in enumerate(colours):
        y, x = divmod(index, 2)
        pixels[120 * y : 120 * y + 120, 160 * x : 160 * x + 160, :3] = colour[: min(bands, 3)]
    return pixels


def vips(pixels: Any, interpretation: str = "srgb") -> Any:
    return pyvips.Image.new_from_array(pixels).copy(interpretation=interpretation)


def grey(scale: Callable[[Any], Any], interpretation: str = "b-w") -> Any:
    return vips(scale(quarters(_GREYS, 1)[..., 0]), interpretation)


def pillow(pixels: Any, file_format: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, file_format, **options)
    return buffer.getvalue()


def turned(pixels: Any, orientation: int) -> bytes:
    stored = np.rot90(pixels, -1) if orientation == 8 else pixels
    exif = Image.Exif()
    exif[0x0112] = orientation
    return pillow(np.ascontiguousarray(stored), "TIFF", exif=exif)


def with_compression(code: int) -> bytes:
    """A TIFF whose field Compression (259) has another code."""
    data = pillow(quarters(), "TIFF")
    at = data.index(struct.pack("<HHI", 259, 3, 1)) + 8
    return data[:at] + struct.pack("<H", code) + data[at + 2 :]


def palette() -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(quarters()).convert("P", palette=Image.Palette.ADAPTIVE).save(buffer, "BMP")
    return buffer.getvalue()


def thumbnail_first() -> bytes:
    buffer = io.BytesIO()
    whole = Image.fromarray(quarters())
    whole.resize((40, 30)).save(buffer, "TIFF", save_all=True, append_images=[whole])
    return buffer.getvalue()


def clear_16_bits() -> bytes:
    pixels = np.zeros((_SIZE[1], _SIZE[0], 4), np.uint16)
    return bytes(vips(pixels, "rgb16").pngsave_buffer())


def display_p3() -> bytes:
    return bytes(vips(quarters(_MUTED)).icc_transform("p3", input_profile="srgb").jpegsave_buffer(Q=98))


def infrared() -> bytes:
    """RGB and infrared: libvips declares the fourth band as alpha, and the case says that it is none."""
    data = bytes(vips(quarters(bands=4)).tiffsave_buffer())
    at = data.index(struct.pack("<HHI", 338, 3, 1)) + 8
    return data[:at] + b"\0\0" + data[at + 2 :]


def multispectral(bands: int, kind: type, scale: int) -> bytes:
    """A grey and more samples, without a word what they are (TIFF 6.0, section 18: the grey comes first)."""
    pixels: Any = np.zeros((_SIZE[1], _SIZE[0], bands), kind)
    pixels[..., 0] = quarters(_GREYS, 1)[..., 0].astype(kind) * scale
    pixels[..., 1:] = 99 * scale
    data = bytes(vips(pixels, "b-w" if scale == 1 else "grey16").tiffsave_buffer())
    at = data.index(struct.pack("<HHI", 338, 3, bands - 1))
    assert data.count(struct.pack("<HHI", 262, 3, 1) + b"\1\0") == 1
    return data[:at] + struct.pack("<H", 65000) + data[at + 2 :]


CASES: Final = (
    Case("TIFF", _COLOURS, lambda: turned(quarters(), 1)),
    Case("TIFF, EXIF orientation 8", _COLOURS, lambda: turned(quarters(), 8)),
    Case("BMP with a palette", _COLOURS, palette),
    Case("JPEG in Display P3", _MUTED, display_p3),
    Case("TIFF, ZSTD", None, lambda: with_compression(50000)),
    Case("TIFF, LZMA", None, lambda: with_compression(34925)),
    Case(
        "TIFF, float 0 to 1",
        _GREYS,
        lambda: bytes(grey(lambda values: (values / 255).astype(np.float32)).tiffsave_buffer()),
    ),
    Case(
        "TIFF, uint32",
        _GREYS,
        lambda: bytes(grey(lambda values: values.astype(np.uint32) * 16843009).tiffsave_buffer()),
    ),
    Case(
        "PNG, 12 bits in 16",
        _GREYS,
        lambda: bytes(grey(lambda values: values.astype(np.uint16) * 16, "grey16").pngsave_buffer()),
    ),
    Case("TIFF, thumbnail as first page", _COLOURS, thumbnail_first),
    Case("PNG, 16 bits, alpha 0", ((255, 255, 255),) * 4, clear_16_bits),
    Case("TIFF, RGB and infrared", _COLOURS, infrared),
    *(
        Case(
            f"TIFF, {bands} bands of {8 * kind().itemsize} bits",
            _GREYS,
            partial(multispectral, bands, kind, scale),
        )
        for bands in (2, 3, 4, 5)
        for kind, scale in ((np.uint8, 1), (np.uint16, 16))
    ),
    Case("JPEG without its end", None, lambda: pillow(quarters(), "JPEG")[:-2]),
    Case("JPEG cut in half", None, lambda: halved(pillow(quarters(), "JPEG"))),
    Case("PNG cut in half", None, lambda: halved(pillow(quarters(), "PNG"))),
    Case("TIFF cut in half", None, lambda: halved(pillow(quarters(), "TIFF"))),
    Case("BMP cut in half", None, lambda: halved(pillow(quarters(), "BMP"))),
)


def halved(data: bytes) -> bytes:
    return data[: len(data) // 2]


def readings(path: Path) -> list[Any]:
    """The picture as detection, a crop, a thumbnail and the canvas show it, uint8 (height, width, 3)."""
    width, height = _SIZE
    return [
        load(path)[0][..., ::-1],
        pyvips.Image.new_from_buffer(crop(path, Rect(0, 0, width, height)), "").numpy(),
        pyvips.Image.new_from_buffer(thumbnail(path, 512), "").numpy(),
        read_whole(path, read_header(path), Cancellation()),
    ]


def result(case: Case, path: Path) -> str:
    """What all readers show of a case, or how they differ from what is right."""
    path.write_bytes(case.make())
    kind = picture_type(path.read_bytes()[:HEAD_BYTES])
    assert kind is not None
    try:
        size = upright_size(path, kind)
        check_pixels(path, kind)
    except BadImageError:
        return _REFUSED
    right = np.array(case.colours)
    for image in readings(path):
        shown = np.array([image[y, x] for y in (60, 180) for x in (80, 240)], int)
        if image.shape[:2] != (_SIZE[1], _SIZE[0]) or np.abs(shown - right).max() > _TOLERANCE:
            return f"wrong: {image.shape}, {shown.tolist()}"
    return f"{size[0] if size else 0} x {size[1] if size else 0}, right colours in all four"


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_every_reader_shows_the_right_colours(tmp_path: Path, case: Case) -> None:
    right = _REFUSED if case.colours is None else "320 x 240, right colours in all four"
    assert result(case, tmp_path / "picture") == right
