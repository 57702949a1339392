"""Buttons: both themes, focus, names."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.theme import Mode, theme_manager
from desktop.widgets import (
    Button,
    ButtonKind,
    Field,
    IconButton,
)
from tests.desktop.widgets.kit import colours, shown


@pytest.mark.parametrize("kind", list(ButtonKind))
def test_every_button_paints_in_both_themes(qtbot: QtBot, mode: Mode, kind: ButtonKind) -> None:
    button = Button("Finish", kind=kind, icon="check", keys="Y")
    shown(qtbot, button)
    assert button.accessibleName() == "Finish"
    theme = theme_manager().theme
    ground = {
        ButtonKind.MAIN: theme.accent,
        ButtonKind.PLAIN: theme.raised,
        ButtonKind.PASSED: theme.ground("passed"),
    }.get(kind)
    if ground:
        assert ground in colours(button.grab().toImage())


def test_a_verdict_button_is_solid_when_it_is_the_verdict(qtbot: QtBot, mode: Mode) -> None:
    button = Button("Failed", kind=ButtonKind.FAILED, keys="X")
    shown(qtbot, button)
    assert theme_manager().theme.solid("failed") not in colours(button.grab().toImage())
    button.setChecked(True)
    assert theme_manager().theme.solid("failed") in colours(button.grab().toImage())


def test_a_verdict_that_can_no_longer_be_changed_is_still_seen(qtbot: QtBot, mode: Mode) -> None:
    chosen, other = (
        Button("Fail", kind=ButtonKind.FAILED, keys="X"),
        Button("Pass", kind=ButtonKind.PASSED, keys="Y"),
    )
    chosen.setChecked(True)
    for button in (chosen, other):
        button.setEnabled(False)
        shown(qtbot, button)
    assert theme_manager().theme.solid("failed") in colours(chosen.grab().toImage())
    assert theme_manager().theme.raised in colours(other.grab().toImage())


def test_keyboard_focus_is_seen_and_a_click_takes_none(qtbot: QtBot, mode: Mode) -> None:
    holder = QWidget()
    column = QVBoxLayout(holder)
    button, other = Button("Open"), Field("Name")
    column.addWidget(button)
    column.addWidget(other)
    shown(qtbot, holder)
    holder.activateWindow()
    other.setFocus()
    qtbot.waitUntil(other.editor.hasFocus)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert other.editor.hasFocus()
    before = button.grab().toImage()
    button.setFocus(Qt.FocusReason.TabFocusReason)
    assert button.grab().toImage() != before


def test_an_icon_button_has_a_name(qtbot: QtBot) -> None:
    button = IconButton("ruler", "Measure", keys="M")
    qtbot.addWidget(button)
    assert (button.accessibleName(), button.toolTip()) == ("Measure", "Measure  (M)")
    assert button.sizeHint().width() == button.sizeHint().height()


def test_a_text_that_is_too_long_is_cut_and_stands_in_the_tooltip(qtbot: QtBot) -> None:
    parent = QWidget()
    column = QVBoxLayout(parent)
    button = Button("", kind=ButtonKind.LINK, elide=True)
    column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
    qtbot.addWidget(parent)
    parent.resize(200, 60)
    parent.show()
    button.setText("left-wing-root-after-flight-of-today.jpg · shared with 12 other items")
    qtbot.waitUntil(lambda: button.toolTip() == button.text() and button.width() > 100)
    assert parent.width() == 200
    assert button.geometry().right() < 200
    short = Button("short", kind=ButtonKind.LINK, elide=True)
    assert short.sizeHint() == Button("short", kind=ButtonKind.LINK).sizeHint()
