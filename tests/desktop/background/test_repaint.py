"""Tests that deferred painting leaves a widget unchanged until its turn."""

from __future__ import annotations

from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.background.repaint import repaint_later


class _PaintCounter(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.paints = 0

    def paintEvent(self, _event: QPaintEvent) -> None:
        self.paints += 1


def test_a_widget_is_painted_in_a_later_turn(qtbot: QtBot) -> None:
    widget = _PaintCounter()
    qtbot.addWidget(widget)
    widget.show()
    qtbot.waitUntil(lambda: widget.paints > 0)
    before = widget.paints
    repaint_later(widget)
    widget.repaint()
    assert widget.paints == before
    qtbot.waitUntil(lambda: widget.paints > before)
    assert widget.updatesEnabled()


def test_updates_of_a_parent_stay_disabled(qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    inner = _PaintCounter(widget)
    widget.setUpdatesEnabled(False)
    repaint_later(inner)
    qtbot.wait(20)
    assert not widget.updatesEnabled()
    widget.setUpdatesEnabled(True)
    assert inner.updatesEnabled()
