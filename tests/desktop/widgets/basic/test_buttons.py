"""Tests buttons: themes, focus, names."""

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
from tests.desktop.widgets.kit import find_colours, show_widget


@pytest.mark.parametrize("kind", list(ButtonKind))
def test_every_button_paints_in_both_themes(qtbot: QtBot, mode: Mode, kind: ButtonKind) -> None:
    button = Button("Finish", kind=kind, icon="check", keys="Y")
    show_widget(qtbot, button)
    assert button.accessibleName() == "Finish"
    theme = theme_manager().theme
    ground = {
        ButtonKind.MAIN: theme.accent,
        ButtonKind.PLAIN: theme.raised,
        ButtonKind.PASSED: theme.ground("passed"),
    }.get(kind)
    if ground:
        assert ground in find_colours(button.grab().toImage())


def test_button_of_the_current_verdict_is_solid(qtbot: QtBot, mode: Mode) -> None:
    button = Button("Failed", kind=ButtonKind.FAILED, keys="X")
    show_widget(qtbot, button)
    assert theme_manager().theme.solid("failed") not in find_colours(button.grab().toImage())
    button.setChecked(True)
    assert theme_manager().theme.solid("failed") in find_colours(button.grab().toImage())


def test_verdict_is_visible_on_a_disabled_button(qtbot: QtBot, mode: Mode) -> None:
    chosen, other = (
        Button("Fail", kind=ButtonKind.FAILED, keys="X"),
        Button("Pass", kind=ButtonKind.PASSED, keys="Y"),
    )
    chosen.setChecked(True)
    for button in (chosen, other):
        button.setEnabled(False)
        show_widget(qtbot, button)
    assert theme_manager().theme.solid("failed") in find_colours(chosen.grab().toImage())
    assert theme_manager().theme.raised in find_colours(other.grab().toImage())


def test_keyboard_focus_is_visible_and_a_click_does_not_take_the_focus(qtbot: QtBot, mode: Mode) -> None:
    holder = QWidget()
    column = QVBoxLayout(holder)
    button, other = Button("Open"), Field("Name")
    column.addWidget(button)
    column.addWidget(other)
    show_widget(qtbot, holder)
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


def test_long_text_is_elided_and_shown_in_the_tooltip(qtbot: QtBot) -> None:
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
