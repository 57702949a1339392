"""Paints a widget in a later turn of the event loop, so that the window answers in between."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

TURN_MS = 1
"""Of a timer for the next turn: one without a time may come in the very turn that starts it."""


def repaint_later(widget: QWidget) -> None:
    """Paint what changes in `widget` now in a turn of its own; until then it looks as it did."""
    if widget.updatesEnabled():
        widget.setUpdatesEnabled(False)
        QTimer.singleShot(TURN_MS, widget, lambda: widget.setUpdatesEnabled(True))
