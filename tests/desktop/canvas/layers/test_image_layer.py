"""Which level and tiles are asked for; what is shown while they are not here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from desktop.canvas.layers.image_layer import ImageLayer, level_for, tiles_in_view
from desktop.canvas.model.viewport import Viewport
from desktop.imaging import Level, TileLoader
from desktop.imaging.loader import TileKey
from tests.desktop.imaging.test_loader import Picture

LEVELS = (Level(2000, 1500, 1), Level(1000, 750, 2), Level(500, 375, 4))


def test_the_level_is_at_least_as_fine_as_the_screen() -> None:
    assert [level_for(LEVELS, scale) for scale in (8, 1, 0.6, 0.5, 0.3, 0.25, 0.01)] == [0, 0, 0, 1, 1, 2, 2]


def test_visible_tiles_are_listed_from_the_middle() -> None:
    view = replace(Viewport(2000, 1500, 600, 600), scale=1.0).centred(1000, 700)
    keys = tiles_in_view(LEVELS, 0, view)
    assert set(keys) == {TileKey(0, column, row) for column in (1, 2) for row in (0, 1)}
    assert keys[0] == TileKey(0, 1, 1)
    assert tiles_in_view(LEVELS, 2, view) == [TileKey(2, 0, 0)]
    assert tiles_in_view(LEVELS, 0, Viewport(0, 0, 600, 600)) == []


@pytest.fixture
def tiles(qapp: object, qtbot: QtBot) -> Iterator[TileLoader]:
    loader = TileLoader()
    with qtbot.waitSignal(loader.prepared):
        loader.open(Picture(side=512))
    yield loader
    loader.shutdown()


def painted_pixels(tiles: TileLoader, view: Viewport, levels: tuple[Level, ...]) -> int:
    """The grey in the middle of what is painted."""
    image = QImage(int(view.width), int(view.height), QImage.Format.Format_RGB32)
    image.fill(0xFFFFFFFF)
    with QPainter(image) as painter:
        ImageLayer(tiles).paint(painter, view, levels, 1.0, smooth=True)
    return image.pixelColor(image.rect().center()).red()


def test_coarser_tile_is_painted_until_the_finer_one_is_loaded(tiles: TileLoader, qtbot: QtBot) -> None:
    levels = (Level(1024, 1024, 1), Level(512, 512, 2))
    view = replace(Viewport(1024, 1024, 200, 200), scale=1.0).centred(700, 100)
    preview, coarse, fine = 100, 0, 10
    assert painted_pixels(tiles, view, ()) == preview
    tiles.request([TileKey(1, 0, 0)])
    qtbot.waitUntil(lambda: tiles.tile(TileKey(1, 0, 0)) is not None)
    assert painted_pixels(tiles, view, levels) == coarse
    qtbot.waitUntil(lambda: painted_pixels(tiles, view, levels) == fine)
