"""Tests that the canvas shows a deep grey picture in the levels that its sliders choose."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import pyvips
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from desktop.canvas.views.picture_view import PictureView
from desktop.imaging import ImageSource, open_image


def deep_picture() -> ImageSource:
    """12 bits in 16: a step from 2000 to 2020, which is one of 256 greys, between 0 and 4095."""
    greys = np.full((400, 600), 2000, np.uint16)
    greys[:, 300:] = 2020
    greys[0, 0], greys[0, 1] = 0, 4095
    return open_image(bytes(pyvips.Image.new_from_array(greys).tiffsave_buffer()))


def opened(qtbot: QtBot, source: ImageSource) -> PictureView:
    view = PictureView()
    qtbot.addWidget(view)
    view.resize(700, 500)
    with qtbot.waitExposed(view):
        view.show()
    with qtbot.waitSignal(view.prepared, timeout=60_000):
        view.open(source)
    assert view.source is source
    return view


def shown_step(view: PictureView) -> int:
    """By how many of 256 greys the two halves differ on the screen."""
    image = view.grab().toImage()
    y = image.height() // 2
    left, right = (image.pixelColor(x, y).red() for x in (image.width() // 4, image.width() * 3 // 4))
    return abs(right - left)


def test_sliders_stretch_the_levels(qtbot: QtBot) -> None:
    source = deep_picture()
    view = opened(qtbot, source)
    chip = view.levels_chip
    assert chip.isVisible()
    assert (chip.black.value(), chip.white.value()) == (0, 1000)
    qtbot.waitUntil(lambda: 0 < shown_step(view) <= 2, timeout=60_000)
    chip.black.setValue(485)
    chip.white.setValue(496)
    qtbot.waitUntil(lambda: shown_step(view) > 80, timeout=60_000)
    view.open(None)
    assert not chip.isVisible()
    with qtbot.waitSignal(view.prepared, timeout=60_000):
        view.open(source)
    assert chip.black.value() == 485
    qtbot.waitUntil(lambda: shown_step(view) > 80, timeout=60_000)
    reset = chip.findChild(QToolButton)
    assert reset is not None
    reset.click()
    qtbot.waitUntil(lambda: 0 < shown_step(view) <= 2, timeout=60_000)
    view.close_picture()


def test_a_large_picture_has_levels_too(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("desktop.imaging.sources.opening.WHOLE_LIMIT", 1_000)
    view = opened(qtbot, deep_picture())
    view.levels_chip.black.setValue(485)
    view.levels_chip.white.setValue(496)
    qtbot.waitUntil(lambda: shown_step(view) > 80, timeout=60_000)
    view.close_picture()


def test_black_stays_below_white(qtbot: QtBot) -> None:
    view = opened(qtbot, deep_picture())
    chip = view.levels_chip
    chip.white.setValue(300)
    chip.black.setValue(900)
    assert chip.black.value() == 299
    chip.white.setValue(0)
    assert chip.white.value() == 300
    assert chip.levels.black < chip.levels.white
    view.close_picture()


def test_a_colour_picture_has_no_levels(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "p.png"
    (pyvips.Image.black(60, 40, bands=3) + 90).cast("uchar").pngsave(str(path))
    view = opened(qtbot, open_image(path))
    assert not view.levels_chip.isVisible()
    view.close_picture()
