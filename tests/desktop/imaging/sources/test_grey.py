"""Tests that greys of more than 8 bits keep their depth and are shown in chosen levels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips
from PySide6.QtGui import QImage

from desktop.imaging import open_image
from desktop.imaging.decoding.decoder import Cancellation, read_header, read_whole
from desktop.imaging.decoding.errors import CancelledError, ImageError
from desktop.imaging.decoding.pixels import from_qimage
from desktop.imaging.sources import opening
from desktop.imaging.sources.grey import GreyImage, GreyLevels, GreyView
from desktop.imaging.sources.local import WholeImage
from shared.record.geometry import Rect

_RAMP = np.arange(2048, dtype=np.float32)[None, :].repeat(700, axis=0)
"""A crack of 4 of 4096 greys would be one of 256 in 8 bits."""


def tiff(kind: str, **options: Any) -> bytes:
    return bytes(pyvips.Image.new_from_array(_RAMP.astype(kind)).tiffsave_buffer(**options))


def shown(image: QImage) -> Any:
    """The greys on the screen, int of shape (height, width)."""
    return (from_qimage(image) & 255).astype(int)


def opened(data: bytes) -> GreyImage:
    image = open_image(data)
    assert isinstance(image, GreyImage)
    image.prepare(lambda _share: True)
    return image


@pytest.mark.parametrize("kind", ["uint16", "uint32", "int16", "float32"])
def test_levels_separate_greys_that_8_bits_join(kind: str) -> None:
    image = opened(tiff(kind))
    view = GreyView(image, GreyLevels(1000, 1016))
    tile = shown(view.tile(0, 1, 0))
    # Tiles have 512 px: column 1 begins at grey 512.
    assert (np.diff(tile[5, 1000 - 512 : 1017 - 512]) > 10).all()
    assert tile[0, 0] == 0
    assert view.preview().width() == 2048


def test_without_a_choice_it_is_what_detection_compares() -> None:
    data = tiff("uint16")
    image = opened(data)
    right = read_whole(data, read_header(data), Cancellation())[..., 0]
    assert image.default == GreyLevels(0, 4095)
    assert np.abs(shown(image.tile(0, 2, 1)) - right[512:700, 1024:1536]).max() <= 1
    # A crop is evidence: it never has the chosen levels.
    image.chosen = GreyLevels(1000, 1016)
    crop = GreyView(image, image.chosen).crop(Rect(1000, 0, 100, 10))
    assert np.abs(shown(crop) - right[:10, 1000:1100]).max() <= 1


def test_orientation_applies_to_deep_greys() -> None:
    image = pyvips.Image.new_from_array(_RAMP.astype(np.uint16)).copy()
    image.set_type(pyvips.GValue.gint_type, "orientation", 6)
    turned = opened(bytes(image.tiffsave_buffer()))
    assert turned.size == (700, 2048)
    assert shown(turned.tile(0, 0, 3))[511, 0] == round(2047 / 4095 * 255)


def test_values_that_are_not_numbers_do_not_hide_the_others() -> None:
    values = _RAMP.copy()
    values[:, :3] = np.nan
    image = opened(bytes(pyvips.Image.new_from_array(values).tiffsave_buffer()))
    assert image.default == GreyLevels(3, 2047)
    assert shown(image.tile(0, 3, 0))[0, 511] == 255


def test_8_bits_have_no_levels() -> None:
    data = pyvips.Image.new_from_array(_RAMP.astype(np.uint8)).pngsave_buffer()
    assert isinstance(open_image(bytes(data)), WholeImage)


@pytest.mark.parametrize("kind", ["uint16", "float32"])
@pytest.mark.parametrize("orientation", [1, 6])
def test_a_large_picture_is_read_from_the_disk_as_from_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str, orientation: int
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    values = pyvips.Image.new_from_array(_RAMP[:, :1501].astype(kind)).copy()
    values.set_type(pyvips.GValue.gint_type, "orientation", orientation)
    data = bytes(values.tiffsave_buffer())
    small = opened(data)
    monkeypatch.setattr(opening, "WHOLE_LIMIT", 1_000)
    unprepared = open_image(data).preview()
    large = opened(data)
    assert (large.levels, large.bounds, large.default) == (small.levels, small.bounds, small.default)
    assert unprepared.width() <= large.size[0]
    levels = GreyLevels(1000, 1016)
    for level, column, row in ((0, 0, 1), (0, 1, 1), (1, 0, 0), (2, 0, 0)):
        tile = GreyView(large, levels).tile(level, column, row)
        assert (shown(tile) == shown(small.tile_in(levels, level, column, row))).all()
    rect = Rect(600, 300, 90, 80)
    assert (shown(large.crop(rect)) == shown(small.crop(rect))).all()
    # The files have no name, so nothing is left of them, even after a crash.
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_preparing_a_large_picture_can_be_stopped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(opening, "WHOLE_LIMIT", 1_000)
    image = open_image(tiff("uint16"))
    shares: list[float] = []
    goes_on = False

    def progress(share: float) -> bool:
        shares.append(share)
        return goes_on

    with pytest.raises(CancelledError):
        image.prepare(progress)
    assert len(shares) == 1
    assert image.levels == ()
    goes_on = True
    image.prepare(progress)
    assert shares == sorted(shares)
    assert image.levels


def test_a_full_disk_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(opening, "WHOLE_LIMIT", 1_000)
    monkeypatch.setattr("desktop.imaging.sources.grey.tempfile.TemporaryFile", full)
    with pytest.raises(ImageError, match="Free disk space"):
        open_image(tiff("uint16")).prepare(lambda _share: True)
