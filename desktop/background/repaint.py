"""Paints widgets in later turns of the event loop, so that the window answers in between."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

TURN_MS = 1
"""Of a timer for the next turn: one without a time may come in the very turn that starts it."""


def repaint_later(*widgets: QWidget) -> None:
    """Paint what changes in each of `widgets` now in a turn of its own; until then it looks as it did."""
    waiting = [widget for widget in widgets if widget.updatesEnabled()]
    for widget in waiting:
        widget.setUpdatesEnabled(False)
    if waiting:
        _Turns(waiting)


class _Turns(QObject):
    """Lets the widgets be painted, one in each turn; a child of their window."""

    def __init__(self, waiting: list[QWidget]) -> None:
        super().__init__(waiting[0].window())
        self._waiting = waiting
        self._next = QTimer(self, singleShot=True, interval=TURN_MS)
        self._next.timeout.connect(self._paint_next)
        self._next.start()

    def _paint_next(self) -> None:
        widget = self._waiting.pop(0)
        if isValid(widget):
            widget.setUpdatesEnabled(True)
        if self._waiting:
            self._next.start()
        else:
            self.deleteLater()
