"""Tests that one rule gives the colours and levels of every kind of picture."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips
from PIL import Image

from service.detection.compute.pictures import load
from service.files.images import crop, thumbnail
from shared.record.geometry import Rect

_GREYS = np.repeat(np.array([52, 87, 130, 235], np.uint8), 16)[None, :].repeat(32, axis=0)


def _with_gaps(values: Any) -> Any:
    values[0, :3] = np.nan, np.inf, -np.inf
    return values


def grey(kind: str) -> Any:
    values: dict[str, Any] = {
        "float": (_GREYS / 255).astype(np.float32),
        "float beyond 1": (_GREYS.astype(np.float32) - 52) * 70 - 3000,
        "float with gaps": _with_gaps((_GREYS / 255).astype(np.float32)),
        "uint32": _GREYS.astype(np.uint32) * 16843009,
        "16 bits": _GREYS.astype(np.uint16) * 257,
        "12 bits in 16": _GREYS.astype(np.uint16) * 16,
    }
    return pyvips.Image.new_from_array(values[kind])


def read(path: Path, image: Any, ending: str = ".tif", **options: Any) -> list[np.ndarray]:
    """The picture as detection, a crop and a thumbnail show it, in red, green, blue."""
    path.write_bytes(image.write_to_buffer(ending, **options))
    detected = load(path)[0]
    height, width = detected.shape[:2]
    part = pyvips.Image.new_from_buffer(crop(path, Rect(0, 0, width, height)), "")
    small = pyvips.Image.new_from_buffer(thumbnail(path, 512), "")
    return [detected[..., ::-1], part.numpy(), small.numpy()]


@pytest.mark.parametrize(
    "kind", ["float", "float beyond 1", "float with gaps", "uint32", "16 bits", "12 bits in 16"]
)
def test_deep_greys_have_the_levels_of_their_depth(tmp_path: Path, kind: str) -> None:
    right = [0, 49, 109, 255] if kind == "float beyond 1" else [52, 87, 130, 235]
    for shown in read(tmp_path / "p", grey(kind)):
        assert np.abs(shown[16, 8::16].astype(int) - np.array(right)[:, None]).max() <= 3


def test_colours_of_32_bits_span_the_whole_range(tmp_path: Path) -> None:
    values = np.dstack([_GREYS, _GREYS[:, ::-1], _GREYS]).astype(np.uint32) * 16843009
    image = pyvips.Image.new_from_array(values).copy(interpretation="srgb")
    for shown in read(tmp_path / "p", image):
        assert np.abs(shown[16, 8].astype(int) - (52, 235, 52)).max() <= 3


def test_second_band_of_a_grey_is_alpha_only_where_the_file_says_so(tmp_path: Path) -> None:
    image = pyvips.Image.new_from_array(np.dstack([_GREYS, np.zeros_like(_GREYS)])).copy(interpretation="b-w")
    data = bytearray(image.tiffsave_buffer())
    at = data.index(struct.pack("<HHI", 338, 3, 1)) + 8
    for declared, right in ((2, 255), (0, 52)):
        data[at : at + 2] = struct.pack("<H", declared)
        (tmp_path / "p").write_bytes(data)
        assert np.abs(load(tmp_path / "p")[0][16, 8].astype(int) - right).max() <= 3


def test_embedded_profile_is_applied(tmp_path: Path) -> None:
    red = (
        pyvips.Image.black(64, 64, bands=3).linear(1, [220, 60, 40]).cast("uchar").copy(interpretation="srgb")
    )
    wide = red.icc_transform("p3", input_profile="srgb")
    assert abs(wide(8, 8)[0] - 220) > 12
    for ending in (".png", ".tif"):
        for shown in read(tmp_path / "p", wide, ending):
            assert np.abs(shown[32, 32].astype(int) - (220, 60, 40)).max() <= 4


@pytest.mark.parametrize("kind", ["uchar", "ushort"])
def test_alpha_is_white(tmp_path: Path, kind: str) -> None:
    interpretation = "srgb" if kind == "uchar" else "rgb16"
    clear = pyvips.Image.black(64, 64, bands=4).cast(kind).copy(interpretation=interpretation)
    for shown in read(tmp_path / "p", clear, ".png"):
        assert (shown >= 254).all()


def test_largest_page_is_shown(tmp_path: Path) -> None:
    small, large = (pyvips.Image.black(side, side, bands=3) + 90 for side in (20, 80))
    joined = []
    for image in (small, large):
        image.cast("uchar").copy(interpretation="srgb").tiffsave(str(tmp_path / f"{image.width}.tif"))
        joined.append((tmp_path / f"{image.width}.tif").read_bytes())
    path = tmp_path / "p"
    path.write_bytes(join_pages(*joined))
    assert load(path)[0].shape == (80, 80, 3)
    assert pyvips.Image.new_from_buffer(thumbnail(path, 512), "").width == 80


def join_pages(first: bytes, second: bytes) -> bytes:
    """A TIFF with the pages of two, made by Pillow."""
    out = io.BytesIO()
    pages = [Image.open(io.BytesIO(data)) for data in (first, second)]
    pages[0].save(out, "TIFF", save_all=True, append_images=pages[1:])
    return out.getvalue()


@pytest.mark.parametrize("bands", [4, 5])
def test_a_band_that_is_not_alpha_changes_no_colour(tmp_path: Path, bands: int) -> None:
    pixels = np.zeros((32, 48, bands), np.uint8)
    pixels[..., :3] = 200, 60, 30
    path = tmp_path / "p"
    tifffile(path, pixels, extra=0)
    assert (np.abs(load(path)[0][16, 16, ::-1].astype(int) - (200, 60, 30)) <= 2).all()
    # The same bands with the fourth declared as alpha: it is transparent.
    if bands == 4:
        tifffile(path, pixels, extra=2)
        assert (load(path)[0] >= 254).all()


def tifffile(path: Path, pixels: np.ndarray, extra: int) -> None:
    """Write an uncompressed TIFF whose bands beyond RGB have the ExtraSamples `extra`."""
    height, width, bands = pixels.shape
    samples = struct.pack(f"<{bands}H", *[8] * bands)
    fields = [
        (256, 3, 1, width),
        (257, 3, 1, height),
        (258, 3, bands, 8),
        (259, 3, 1, 1),
        (262, 3, 1, 2),
        (273, 4, 1, 8 + len(samples)),
        (277, 3, 1, bands),
        (278, 3, 1, height),
        (279, 4, 1, pixels.size),
        (338, 3, bands - 3, extra if bands == 4 else extra * 65537),
    ]
    start = 8 + len(samples) + pixels.size
    directory = struct.pack("<H", len(fields))
    directory += b"".join(struct.pack("<HHII", *field) for field in fields) + bytes(4)
    path.write_bytes(b"II*\0" + struct.pack("<I", start) + samples + pixels.tobytes() + directory)
