"""Places a bar over the canvas, centred at its upper edge."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from desktop.theme import CARD_RADIUS, theme_manager
from desktop.widgets.basic.shadows import soft_shadow

_BLUR = 6
_DROP = 4
_STRENGTH = 0.27
_GEOMETRY_EVENTS = {
    QEvent.Type.Move,
    QEvent.Type.Resize,
    QEvent.Type.ShowToParent,
    QEvent.Type.HideToParent,
    QEvent.Type.ZOrderChange,
}


class FloatingBar(QWidget):
    """A bar with a shadow, `top` px below the upper edge of the widget that it covers."""

    def __init__(self, target: QWidget, top: int) -> None:
        super().__init__(target)
        self._target, self._top = target, top
        self.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self._shadow = _Shadow(self)
        target.installEventFilter(self)

    def reposition(self) -> None:
        """Adjust the size to the content, and centre the bar."""
        self.adjustSize()
        self.move(max((self._target.width() - self.width()) // 2, 0), self._top)

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() in _GEOMETRY_EVENTS:
            self._shadow.follow_bar()
        return handled

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


class _Shadow(QWidget):
    """The shadow of a bar: a picture directly below it.

    An effect on the bar itself would blur it again whenever the canvas is painted, and lay out the whole
    window before that, with all pages that are hidden.
    """

    def __init__(self, bar: FloatingBar) -> None:
        super().__init__(bar.parentWidget())
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._bar = bar
        self._image = QImage()
        self.follow_bar()

    def follow_bar(self) -> None:
        """Move directly below the bar, with its size and visibility."""
        margin = 3 * _BLUR
        self.setGeometry(self._bar.geometry().adjusted(-margin, _DROP - margin, margin, _DROP + margin))
        self.stackUnder(self._bar)
        self.setVisible(not self._bar.isHidden())

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._image.size() != self.size():
            self._image = soft_shadow(self._bar.width(), self._bar.height(), _BLUR, _STRENGTH)
        painter = QPainter(self)
        painter.drawImage(0, 0, self._image)
        painter.end()
