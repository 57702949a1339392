"""Paints one stop of a tour: a bubble beside a control, and a frame around it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.theme import CARD_RADIUS, RADIUS, theme_manager
from desktop.widgets import Button, ButtonKind, label

_WIDTH = 320
_GAP = 12
"""Between the control and the bubble, px."""
_AROUND = 4
_EDGE = 8
"""What stays free between the bubble and the edge of the window, px."""


class TourFrame(QWidget):
    """A frame around the control that the tour points at; the mouse passes through it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def surround(self, target: QRect, bounds: QRect) -> None:
        """Lie around `target`, both in px of the window."""
        self.setGeometry(target.adjusted(-_AROUND, -_AROUND, _AROUND, _AROUND).intersected(bounds))
        self.show()
        self.raise_()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme_manager().theme.accent), 2))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS, RADIUS)
        painter.end()


class TourBubble(QWidget):
    """What a control is for, with the ways on, back and out."""

    next_wanted = Signal()
    back_wanted = Signal()
    ended = Signal()
    """The person wants no more of the tour."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("tour-bubble")
        self.setFixedWidth(_WIDTH)
        self.title = label("", "item", wrap=True)
        self.text = label("", wrap=True)
        self.count = label("", "small")
        self.skip = Button(self.tr("Skip tour"), kind=ButtonKind.QUIET)
        self.back = Button(self.tr("Back"))
        self.next = Button("", kind=ButtonKind.MAIN)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 14)
        column.setSpacing(8)
        column.addWidget(self.title)
        column.addWidget(self.text)
        column.addSpacing(4)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.count)
        row.addStretch(1)
        for button in (self.skip, self.back, self.next):
            row.addWidget(button)
        column.addLayout(row)
        self.skip.clicked.connect(lambda _checked=False: self.ended.emit())
        self.back.clicked.connect(lambda _checked=False: self.back_wanted.emit())
        self.next.clicked.connect(lambda _checked=False: self.next_wanted.emit())
        self.hide()

    def say(self, title: str, text: str, number: int, total: int) -> None:
        """Show stop `number` (from 1) of `total`."""
        self.title.setText(title)
        self.text.setText(text)
        self.count.setText(self.tr("{n} of {all}").format(n=number, all=total))
        self.back.setVisible(number > 1)
        self.skip.setVisible(number < total)
        self.next.setText(self.tr("Next") if number < total else self.tr("End tour"))
        self.setAccessibleName(title)
        self.setAccessibleDescription(text)

    def place(self, target: QRect, bounds: QRect) -> None:
        """Lie beside `target` where there is room, both in px of the window; never on it if avoidable."""
        self.layout().activate()  # type: ignore[union-attr]
        height = self.heightForWidth(_WIDTH) if self.hasHeightForWidth() else self.sizeHint().height()
        self.resize(_WIDTH, height)
        places = (
            QPoint(target.left(), target.bottom() + _GAP),
            QPoint(target.right() + _GAP, target.top()),
            QPoint(target.left() - _GAP - _WIDTH, target.top()),
            QPoint(target.left(), target.top() - _GAP - height),
        )
        inner = bounds.adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE)
        best = max(places, key=lambda place: _negative_overlap(self._rect_inside(place, inner), target))
        self.move(self._rect_inside(best, inner).topLeft())
        self.show()
        self.raise_()

    def _rect_inside(self, place: QPoint, bounds: QRect) -> QRect:
        x = max(bounds.left(), min(place.x(), bounds.right() - self.width()))
        y = max(bounds.top(), min(place.y(), bounds.bottom() - self.height()))
        return QRect(QPoint(x, y), self.size())

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_manager().theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.accent), 1))
        painter.setBrush(QColor(theme.panel))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), CARD_RADIUS, CARD_RADIUS)
        painter.end()


def _negative_overlap(bubble: QRect, target: QRect) -> int:
    """How much of the target the bubble leaves free, as the negative of what it covers, px²."""
    covered = bubble.intersected(target)
    return -(covered.width() * covered.height()) if covered.isValid() else 0
