"""Clicks and writes in real windows as a person does."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from desktop.widgets import Field

Found = TypeVar("Found", bound=QWidget)


def click(qtbot: QtBot, widget: QWidget) -> None:
    """Press and release the mouse on a widget once it can be seen and used."""
    qtbot.waitUntil(lambda: widget.isVisible() and widget.isEnabled())
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def write(qtbot: QtBot, field: Field, text: str) -> None:
    """Put the cursor into a field and replace what is in it by typing."""
    qtbot.waitUntil(lambda: field.isVisible() and field.isEnabled())
    assert isinstance(field.editor, QLineEdit)
    field.setFocus()
    field.editor.selectAll()
    qtbot.keyClicks(field.editor, text)


def dialog(qtbot: QtBot, kind: type[Found]) -> Found:
    """The visible window of `kind`, once it is there."""

    def visible() -> list[Found]:
        every = QApplication.topLevelWidgets()
        return [widget for widget in every if isinstance(widget, kind) and widget.isVisible()]

    qtbot.waitUntil(lambda: bool(visible()))
    return visible()[0]
