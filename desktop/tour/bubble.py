"""Paints one stop of a tour: a bubble beside a control, and a frame around it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from desktop.theme import CARD_RADIUS, RADIUS, theme_manager
from desktop.widgets import Button, ButtonKind, column_of, label, row_of

_WIDTH = 320
_GAP = 12
"""The distance between the control and the bubble in px."""
_FRAME_MARGIN = 4
_WINDOW_MARGIN = 8
"""The minimum distance between the bubble and the edge of the window in px."""


class TourFrame(QWidget):
    """A frame around the control that the tour points at; the mouse passes through it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def surround(self, target: QRect, bounds: QRect) -> None:
        """Place the frame around `target`; both rectangles are in px of the window."""
        self.setGeometry(
            target.adjusted(-_FRAME_MARGIN, -_FRAME_MARGIN, _FRAME_MARGIN, _FRAME_MARGIN).intersected(bounds)
        )
        self.show()
        self.raise_()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme_manager().theme.accent), 2))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS, RADIUS)
        painter.end()


class TourBubble(QWidget):
    """Explains a control, with buttons for the next and the previous stop and for the end."""

    next_requested = Signal()
    back_requested = Signal()
    ended = Signal()
    """The user wants to end the tour."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("tour-bubble")
        self.setFixedWidth(_WIDTH)
        self.title = label("", "item", wrap=True)
        self.text = label("", wrap=True)
        self.count = label("", "small")
        self.skip_button = Button(self.tr("Skip tour"), kind=ButtonKind.QUIET)
        self.back_button = Button(self.tr("Back"))
        self.next_button = Button("", kind=ButtonKind.MAIN)
        column = column_of(self.title, self.text, parent=self, margins=(18, 16, 18, 14), spacing=8)
        column.addSpacing(4)
        row = row_of(self.count, 1, self.skip_button, self.back_button, self.next_button, spacing=8)
        column.addLayout(row)
        self.skip_button.clicked.connect(lambda _checked=False: self.ended.emit())
        self.back_button.clicked.connect(lambda _checked=False: self.back_requested.emit())
        self.next_button.clicked.connect(lambda _checked=False: self.next_requested.emit())
        self.hide()

    def show_step(self, title: str, text: str, number: int, total: int) -> None:
        """Show stop `number` (from 1) of `total`."""
        self.title.setText(title)
        self.text.setText(text)
        self.count.setText(self.tr("{n} of {all}").format(n=number, all=total))
        self.back_button.setVisible(number > 1)
        self.skip_button.setVisible(number < total)
        self.next_button.setText(self.tr("Next") if number < total else self.tr("End tour"))
        self.setAccessibleName(title)
        self.setAccessibleDescription(text)

    def place(self, target: QRect, bounds: QRect) -> None:
        """Place the bubble beside `target`, covering little of it; both are in px of the window."""
        self.layout().activate()  # type: ignore[union-attr]
        height = self.heightForWidth(_WIDTH) if self.hasHeightForWidth() else self.sizeHint().height()
        self.resize(_WIDTH, height)
        places = (
            QPoint(target.left(), target.bottom() + _GAP),
            QPoint(target.right() + _GAP, target.top()),
            QPoint(target.left() - _GAP - _WIDTH, target.top()),
            QPoint(target.left(), target.top() - _GAP - height),
        )
        inner = bounds.adjusted(_WINDOW_MARGIN, _WINDOW_MARGIN, -_WINDOW_MARGIN, -_WINDOW_MARGIN)
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
    """The negative of the area of the target that the bubble covers, in px²."""
    overlap = bubble.intersected(target)
    return -(overlap.width() * overlap.height()) if overlap.isValid() else 0
