"""Accepts dragged files."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QDropEvent


def accept_copy(event: QDropEvent) -> None:
    """Accept a drag or a drop as a copy: after a move, its source would delete the original."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()
