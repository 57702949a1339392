"""Rounds the corners of popups: lists, menus, calendars."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF
from PySide6.QtGui import QPainterPath, QRegion
from PySide6.QtWidgets import QWidget

from desktop.theme import RADIUS


def round_corners(popup: QWidget) -> None:
    """Round the corners of a popup like those of other controls. Call it after each change of the size."""
    shape = QPainterPath()
    shape.addRoundedRect(QRectF(popup.rect()), RADIUS, RADIUS)
    # A mask also works without a compositor; a translucent window does not.
    popup.setMask(QRegion(shape.toFillPolygon().toPolygon()))


class RoundedCorners(QObject):
    """Keeps the corners of a popup round that Qt creates."""

    def __init__(self, popup: QWidget) -> None:
        super().__init__(popup)
        popup.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # The list of a combo box removes the mask when it is resized, before it is shown.
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show) and isinstance(watched, QWidget):
            round_corners(watched)
        return False
