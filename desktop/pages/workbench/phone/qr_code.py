"""Paints a QR code, black on white in both themes, so that every phone reads it."""

from __future__ import annotations

import segno
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

SIDE = 264
_BORDER = 4
"""Modules of white around the code (ISO/IEC 18004, 9.1)."""


class QrCode(QWidget):
    """Shows the QR code of a text, or a white area."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedSize(SIDE, SIDE)
        self.setAccessibleName(self.tr("QR code"))
        self.modules: list[list[bool]] = []

    def show_text(self, text: str) -> None:
        """Show the code of `text`; an empty text shows no code."""
        matrix = segno.make(text, error="m", micro=False).matrix if text else ()
        self.modules = [[bool(module) for module in row] for row in matrix]
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor("#ffffff"))
        if self.modules:
            # Whole device pixels for each module: edges that are smoothed are read badly from a screen.
            ratio = self.devicePixelRatioF()
            count = len(self.modules)
            side = max(1, int(SIDE * ratio) // (count + 2 * _BORDER))
            start = (int(SIDE * ratio) - side * count) // 2
            painter.scale(1 / ratio, 1 / ratio)
            for row, modules in enumerate(self.modules):
                for column, dark in enumerate(modules):
                    if dark:
                        place = QRect(start + column * side, start + row * side, side, side)
                        painter.fillRect(place, QColor("#000000"))
        painter.end()
