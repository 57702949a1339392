"""Paints widgets in later turns of the event loop, so that the window answers in between."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

TURN_MS = 1
"""Interval of a timer that fires in the next turn of the event loop. With 0 it may fire in the same turn."""


def repaint_later(*widgets: QWidget) -> None:
    """Paint the changes that are made to `widgets` now in later turns, one widget a turn.

    Until then each of them looks unchanged. A widget that was marked for painting before would be blank
    instead, so call this before anything changes.
    """
    pending = [widget for widget in widgets if widget.updatesEnabled()]
    for widget in pending:
        widget.setUpdatesEnabled(False)
    if pending:
        _Turns(pending)


class _Turns(QObject):
    """Paints the widgets, one in each turn of the event loop; a child of their window."""

    def __init__(self, pending: list[QWidget]) -> None:
        super().__init__(pending[0].window())
        self._pending = pending
        self._timer = QTimer(self, singleShot=True, interval=TURN_MS)
        self._timer.timeout.connect(self._paint_next)
        self._timer.start()

    def _paint_next(self) -> None:
        widget = self._pending.pop(0)
        if isValid(widget):
            widget.setUpdatesEnabled(True)
        if self._pending:
            self._timer.start()
        else:
            self.deleteLater()
