"""Paints a widget in a later turn of the event loop, so that the window answers in between."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

TURN_MS = 1
"""Interval of a timer that fires in the next turn of the event loop. With 0 it may fire in the same turn."""


def repaint_later(widget: QWidget) -> None:
    """Paint the changes that are made to `widget` now in a later turn; until then it looks unchanged."""
    if widget.updatesEnabled():
        widget.setUpdatesEnabled(False)
        QTimer.singleShot(TURN_MS, widget, lambda: widget.setUpdatesEnabled(True))
