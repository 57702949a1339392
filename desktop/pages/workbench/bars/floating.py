"""Places a bar over the canvas, centred at its upper edge."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QGraphicsDropShadowEffect, QWidget

from desktop.theme import CARD_RADIUS, theme_manager

_BLUR = 18
_DROP = 4
_SHADE = QColor(0, 0, 0, 70)
_PLACED = {
    QEvent.Type.Move,
    QEvent.Type.Resize,
    QEvent.Type.ShowToParent,
    QEvent.Type.HideToParent,
    QEvent.Type.ZOrderChange,
}


class _Frame(QWidget):
    """A rounded panel."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_manager().theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.line)))
        painter.setBrush(QColor(theme.panel))
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), CARD_RADIUS, CARD_RADIUS)
        painter.end()


class Floating(_Frame):
    """A bar with a shadow, `top` px below the upper edge of what it floats over."""

    def __init__(self, over: QWidget, top: int) -> None:
        super().__init__(over)
        self._over, self._top = over, top
        self.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self._shadow = _Shadow(self)
        over.installEventFilter(self)

    def reposition(self) -> None:
        """Take the size of what is in it, and go to the middle."""
        self.adjustSize()
        self.move(max((self._over.width() - self.width()) // 2, 0), self._top)

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() in _PLACED:
            self._shadow.follow()
        return handled

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.reposition()
        return False


class _Shadow(QWidget):
    """The shadow of a bar: a picture directly below it.

    An effect on the bar itself would blur it again whenever the canvas is painted, and lay out the whole
    window before that, with all pages that are hidden.
    """

    def __init__(self, bar: Floating) -> None:
        super().__init__(bar.parentWidget())
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._bar = bar
        self.follow()

    def follow(self) -> None:
        """Go where the bar is."""
        self.setGeometry(self._bar.geometry().adjusted(-_BLUR, _DROP - _BLUR, _BLUR, _DROP + _BLUR))
        self.stackUnder(self._bar)
        self.setVisible(not self._bar.isHidden())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.drawPixmap(0, 0, _shadow(self._bar.size(), self.devicePixelRatioF()))
        painter.end()


@lru_cache(maxsize=8)
def _shadow(size: QSize, _ratio: float) -> QPixmap:
    """The shadow of a bar of this size, `_BLUR` px larger on each side, at the ratio of the screen."""
    whole = QWidget()
    whole.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
    frame = _Frame(whole)
    frame.setGeometry(_BLUR, _BLUR, size.width(), size.height())
    effect = QGraphicsDropShadowEffect(frame)
    effect.setBlurRadius(_BLUR)
    # So far to the side that the bar itself is cut off.
    aside = size.width() + 2 * _BLUR
    effect.setOffset(aside, 0)
    effect.setColor(_SHADE)
    frame.setGraphicsEffect(effect)
    whole.resize(2 * aside, size.height() + 2 * _BLUR)
    picture = whole.grab()
    left = round(aside * picture.devicePixelRatio())
    return picture.copy(left, 0, picture.width() - left, picture.height())
