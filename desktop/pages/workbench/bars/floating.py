"""Places a bar over the canvas, centred at its upper edge."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGraphicsDropShadowEffect, QWidget

from desktop.theme import CARD_RADIUS, theme_manager


class FloatingBar(QWidget):
    """A bar with a shadow, `top` px below the upper edge of the widget that it covers."""

    def __init__(self, target: QWidget, top: int) -> None:
        super().__init__(target)
        self._target, self._top = target, top
        self.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        shadow = QGraphicsDropShadowEffect(self)
        shadow.setBlurRadius(18)
        shadow.setOffset(0, 4)
        shadow.setColor(QColor(0, 0, 0, 70))
        self.setGraphicsEffect(shadow)
        target.installEventFilter(self)

    def reposition(self) -> None:
        """Adjust the size to the content, and centre the bar."""
        self.adjustSize()
        self.move(max((self._target.width() - self.width()) // 2, 0), self._top)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.reposition()
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_manager().theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.line)))
        painter.setBrush(QColor(theme.panel))
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), CARD_RADIUS, CARD_RADIUS)
        painter.end()
