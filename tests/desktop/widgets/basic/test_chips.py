"""Tests chips and filters."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from desktop.theme import Mode, theme_manager
from desktop.widgets import (
    Chip,
    FilterChips,
    chip_width,
    paint_chip,
    status_text,
)
from shared.record.codes import Status, Verdict
from tests.desktop.widgets.kit import find_colours


@pytest.mark.parametrize("status", [*Status, *Verdict])
def test_chip_always_has_a_text(qtbot: QtBot, status: str) -> None:
    chip = Chip()
    qtbot.addWidget(chip)
    chip.show_status(status)
    assert chip.text == chip.accessibleName() == status_text(status) != ""
    assert "_" not in chip.text
    assert chip.sizeHint().width() == chip_width(chip.text)


def test_an_unknown_status_shows_itself(qtbot: QtBot) -> None:
    assert status_text("postponed") == "postponed"


def test_delegate_paints_the_same_chip(qtbot: QtBot, mode: Mode) -> None:
    image = QImage(120, 30, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor(theme_manager().theme.panel))
    painter = QPainter(image)
    assert paint_chip(painter, 4, 15, "passed", "Passed") == chip_width("Passed")
    painter.end()
    assert theme_manager().theme.ground("passed") in find_colours(image)


def test_active_filter_stays_and_a_choice_is_emitted(qtbot: QtBot) -> None:
    chips = FilterChips("Filter")
    qtbot.addWidget(chips)
    chips.set_choices([("all", "All 6"), ("failed", "Failed 2")])
    assert chips.value() == "all"
    keys: list[str] = []
    chips.chosen.connect(keys.append)
    chips.set_value("failed")
    assert keys == []
    chips.set_choices([("all", "All 7"), ("failed", "Failed 3")])
    assert chips.value() == "failed"
    chips._buttons()[0].click()
    assert (keys, chips.value()) == (["all"], "all")
    chips.set_choices([("x", "X"), ("all", "All 7")])
    assert chips.value() == "all"
    chips.set_choices([("y", "Y")])
    assert chips.value() == "y"
