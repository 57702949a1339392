"""Tests that deferred painting leaves a widget unchanged until its turn."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from desktop.background.repaint import repaint_later


class _PaintCounter(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.paints = 0

    def paintEvent(self, _event: QPaintEvent) -> None:
        self.paints += 1


def test_widget_is_painted_in_a_later_iteration(qtbot: QtBot) -> None:
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


def test_widgets_are_painted_in_separate_iterations(qtbot: QtBot) -> None:
    whole = QWidget()
    qtbot.addWidget(whole)
    parts = [_PaintCounter(whole), _PaintCounter(whole), _PaintCounter(whole)]
    for place, part in enumerate(parts):
        part.setGeometry(place * 20, 0, 20, 20)
    whole.show()
    qtbot.waitUntil(lambda: all(part.paints for part in parts))
    before = [part.paints for part in parts]
    enabled: list[int] = []
    turns = QTimer(whole, interval=0)
    turns.timeout.connect(lambda: enabled.append(sum(part.updatesEnabled() for part in parts)))
    repaint_later(*parts)
    turns.start()
    qtbot.waitUntil(lambda: all(part.paints > was for part, was in zip(parts, before, strict=True)))
    assert sorted(set(enabled) | {0, 3}) == [0, 1, 2, 3]


def test_part_that_is_deleted_meanwhile_does_not_stop_the_others(qtbot: QtBot) -> None:
    whole = QWidget()
    qtbot.addWidget(whole)
    deleted, remaining = _PaintCounter(whole), _PaintCounter(whole)
    whole.show()
    repaint_later(deleted, remaining)
    delete(deleted)
    qtbot.waitUntil(remaining.updatesEnabled)
