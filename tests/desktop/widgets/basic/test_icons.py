"""Tests that icons have the given colour and are sharp at every scale."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from pytestqt.qtbot import QtBot

from desktop.widgets import (
    icon,
)
from desktop.widgets.basic.icons import render_icon
from shared.system.paths import resource_path

ICONS = sorted(path.stem for path in Path(resource_path("icons")).glob("*.svg") if path.stem != "walkaround")


@pytest.mark.parametrize("name", ICONS)
def test_every_icon_is_drawn_in_the_given_colour(qtbot: QtBot, name: str) -> None:
    source = resource_path("icons", f"{name}.svg").read_text(encoding="utf-8")
    assert 'stroke="currentColor"' in source
    assert 'stroke-width="1.7"' in source
    image = render_icon(name, "#ff0000", 72)
    inked = [
        image.pixelColor(x, y) for x in range(72) for y in range(72) if image.pixelColor(x, y).alpha() == 255
    ]
    assert inked
    assert {colour.name() for colour in inked} == {"#ff0000"}


def test_icons_are_crisp_at_every_scale(qtbot: QtBot) -> None:
    plus = icon("plus")
    for ratio in (1.0, 1.25, 1.5, 2.0, 3.0):
        pixmap = plus.pixmap(QSize(18, 18), ratio)
        assert pixmap.width() == round(18 * ratio)


def test_an_unknown_icon_is_an_error(qtbot: QtBot) -> None:
    with pytest.raises(FileNotFoundError):
        icon("unicorn")
