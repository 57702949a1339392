"""The faults that the pages are looked at for are seen."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tests.desktop.app.appearance_checks import cut, find_unnamed, find_unreachable, overlapping


def test_checks_find_faults(qtbot: QtBot) -> None:
    """The looks above see the faults that they are there for."""
    root = QWidget()
    qtbot.addWidget(root)
    column = QVBoxLayout(root)
    nameless, stray, line = QPushButton(), QPushButton("Stray"), QLineEdit()
    stray.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    short = QLabel("A sentence that does not fit")
    short.setFixedWidth(20)
    for widget in (nameless, stray, line, short):
        column.addWidget(widget)
    root.show()
    root.activateWindow()
    qtbot.waitUntil(root.isActiveWindow)
    assert [widget.split("(")[0] for widget in find_unnamed(root)] == ["QPushButton", "QLineEdit"]
    assert len(cut(root)) == 1
    assert find_unreachable(root) == ["QPushButton('Stray')"]
    assert overlapping(root) == []
    line.move(short.pos())
    assert len(overlapping(root)) == 1
