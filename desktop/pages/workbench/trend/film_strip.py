"""Shows the pictures of one place in a row, and the chosen one large. It is independent of records."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QHBoxLayout, QSizePolicy, QToolTip, QWidget

from desktop.pages.workbench.trend.film_strip_model import (
    STEP,
    FilmStripModel,
    move_view,
    paint_picture,
    zoom_view,
)
from desktop.pages.workbench.trend.pictures import WHOLE
from desktop.theme import LABEL_PX, TEXT_PX, text_font, theme_manager
from desktop.widgets import IconButton, chip_height, escape_tooltip, paint_chip, status_text, status_tone

_GAP = 8
_INNER = 6
_NARROWEST = 132
_FADED_OPACITY = 0.4
"""The opacity of a frame that does not count."""


class FilmStrip(QAbstractScrollArea):
    """The frames side by side. Arrows choose one, Enter or a click opens it, the wheel or + and - zoom."""

    def __init__(self, film: FilmStripModel, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.film = film
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.viewport().setMouseTracking(True)
        film.frames_changed.connect(self._lay_out)
        film.current_changed.connect(self._scroll_to)
        film.view_changed.connect(self._on_changed)
        film.pictures.ready.connect(lambda _key: self.viewport().update())
        theme_manager().theme_changed.connect(self.viewport().update)

    def sizeHint(self) -> QSize:
        return QSize(800, 236)

    def minimumSizeHint(self) -> QSize:
        return QSize(300, 176)

    # Geometry

    def _text_height(self) -> int:
        lines = (
            QFontMetricsF(text_font(TEXT_PX, bold=True)).height()
            + QFontMetricsF(text_font(LABEL_PX)).height()
        )
        return round(lines) + chip_height() + _INNER

    def _picture_size(self) -> tuple[int, int]:
        high = max(self.viewport().height() - self._text_height() - 3 * _INNER, 40)
        return max(min(round(high * self.film.aspect), 2 * high), _NARROWEST), high

    def _pitch(self) -> int:
        return self._picture_size()[0] + 2 * _INNER + _GAP

    def frame_box(self, index: int) -> QRectF:
        """Where a frame is, in px of the viewport."""
        wide, _ = self._picture_size()
        left = index * self._pitch() - self.horizontalScrollBar().value()
        return QRectF(left, 0, wide + 2 * _INNER, self.viewport().height())

    def frame_at(self, where: QPointF) -> int | None:
        """The frame at a place of the viewport."""
        index = int((where.x() + self.horizontalScrollBar().value()) // self._pitch())
        inside = 0 <= index < len(self.film.frames) and self.frame_box(index).contains(where)
        return index if inside else None

    def in_sight(self) -> list[int]:
        """The frames that are visible, at least in part."""
        first = self.horizontalScrollBar().value() // self._pitch()
        last = (self.horizontalScrollBar().value() + self.viewport().width()) // self._pitch()
        return [index for index in range(first, last + 1) if index < len(self.film.frames)]

    def picture_box(self, index: int) -> QRectF:
        """Where the picture of a frame is: with the frame's aspect, centred in its slot."""
        wide, high = self._picture_size()
        slot = QRectF(self.frame_box(index).left() + _INNER, _INNER, wide, high)
        return fit_rect(slot, self.film.aspect)

    def _lay_out(self) -> None:
        bar = self.horizontalScrollBar()
        total = len(self.film.frames) * self._pitch() - _GAP
        bar.setRange(0, max(total - self.viewport().width(), 0))
        bar.setPageStep(self.viewport().width())
        bar.setSingleStep(self._pitch())
        self._on_changed()

    def _scroll_to(self, index: int) -> None:
        box, bar = self.frame_box(index), self.horizontalScrollBar()
        if box.left() < 0:
            bar.setValue(round(bar.value() + box.left()))
        elif box.right() > self.viewport().width():
            bar.setValue(round(bar.value() + box.right() - self.viewport().width()))
        self._on_changed()

    def _on_changed(self) -> None:
        self.setAccessibleDescription(self.film.text())
        self.viewport().update()

    # Events

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()
        self._scroll_to(self.film.current)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for index in self.in_sight():
            self._paint(painter, index)
        painter.end()

    def _paint(self, painter: QPainter, index: int) -> None:
        theme, frame, box = theme_manager().theme, self.film.frames[index], self.frame_box(index)
        chosen = index == self.film.current
        painter.setBrush(theme.colour("accent_ground" if chosen else "raised"))
        edge = theme.colour("accent" if chosen else "line")
        painter.setPen(QPen(edge, 2 if chosen and self.hasFocus() else 1))
        painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 6, 6)
        where = self.picture_box(index)
        picture = self.film.pictures.best(frame.key, self.film.view)
        painter.setOpacity(_FADED_OPACITY if frame.faded else 1.0)
        paint_picture(painter, where, picture, self.film.view, frame, self.film.placeholder(frame), False)
        painter.setOpacity(1.0)
        left, width = box.left() + _INNER + 2, box.width() - 2 * _INNER - 4
        top = _INNER + self._picture_size()[1] + 3.0
        for text, font, tone in (
            (frame.day, text_font(TEXT_PX, bold=True), theme.text),
            (frame.name, text_font(LABEL_PX), theme.dim_text if chosen else theme.dim),
        ):
            metrics = QFontMetricsF(font)
            painter.setFont(font)
            painter.setPen(tone)
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
            painter.drawText(QRectF(left, top, width, metrics.height()), Qt.AlignmentFlag.AlignVCenter, shown)
            top += metrics.height()
        middle = top + chip_height() / 2 + 1
        if frame.status:
            tone = status_tone(frame.status)
            wide = paint_chip(painter, left, middle, tone, mark_of(frame.status) + status_text(frame.status))
            left, width = left + wide + 6, width - wide - 6
        if frame.note and width > 24:
            metrics = QFontMetricsF(text_font(LABEL_PX))
            painter.setFont(text_font(LABEL_PX))
            painter.setPen(theme.dim_text if chosen else theme.dim)
            shown = metrics.elidedText(frame.note, Qt.TextElideMode.ElideRight, width)
            line = QRectF(left, middle - metrics.height() / 2, width, metrics.height())
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, shown)

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        self.viewport().update()
        self.film.view_changed.emit()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            index = self.frame_at(QPointF(event.pos()))
            frame = None if index is None else self.film.frames[index]
            parts = [] if frame is None else [frame.day, frame.name, frame.note]
            QToolTip.showText(
                event.globalPos(), escape_tooltip("\n".join(part for part in parts if part)), self
            )
            return True
        return super().viewportEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = self.frame_at(event.position())
        leads = at is not None and self.film.frames[at].opens
        shape = Qt.CursorShape.PointingHandCursor if leads else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = self.frame_at(event.position())
        if at is not None and event.button() is Qt.MouseButton.LeftButton:
            self.film.play(False)
            self.film.choose(at)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.frame_at(event.position()) is not None and event.button() is Qt.MouseButton.LeftButton:
            self.film.open_current()

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier or event.modifiers() & (
            Qt.KeyboardModifier.ShiftModifier
        ):
            factor = STEP if (turned.y() or turned.x()) > 0 else 1 / STEP
            self.film.set_view(zoom_view(self.film.view, factor))
        else:
            bar = self.horizontalScrollBar()
            bar.setValue(bar.value() - (turned.x() or turned.y()))
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.film.handle_key(event):
            event.ignore()


class FrameView(QWidget):
    """The chosen frame, large. The wheel zooms about the pointer, a drag moves the view."""

    def __init__(self, film: FilmStripModel, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.film = film
        self._drag_position: QPointF | None = None
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        for changed in (film.frames_changed, film.current_changed, film.view_changed):
            changed.connect(self._on_changed)
        film.pictures.ready.connect(lambda _key: self.update())
        theme_manager().theme_changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(560, 400)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, 160)

    def picture_box(self) -> QRectF:
        """Where the picture is, px of the widget."""
        return fit_rect(QRectF(self.rect()).adjusted(2, 2, -2, -2), self.film.aspect)

    def _on_changed(self) -> None:
        self.setAccessibleDescription(self.film.text())
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_manager().theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme.colour("canvas"))
        if self.film.frames:
            frame = self.film.frames[self.film.current]
            picture = self.film.pictures.best(frame.key, self.film.view)
            placeholder = self.film.placeholder(frame)
            paint_picture(painter, self.picture_box(), picture, self.film.view, frame, placeholder, True)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))
        painter.end()

    def wheelEvent(self, event: QWheelEvent) -> None:
        box, at = self.picture_box(), event.position()
        x, y = (at.x() - box.left()) / box.width(), (at.y() - box.top()) / box.height()
        factor = STEP if event.angleDelta().y() > 0 else 1 / STEP
        self.film.set_view(zoom_view(self.film.view, factor, min(max(x, 0.0), 1.0), min(max(y, 0.0), 1.0)))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._drag_position = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag_position is not None:
            box, by = self.picture_box(), event.position() - self._drag_position
            self._drag_position = event.position()
            self.film.set_view(move_view(self.film.view, -by.x() / box.width(), -by.y() / box.height()))

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._drag_position = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.film.handle_key(event):
            event.ignore()


class ZoomButtons(QHBoxLayout):
    """Zoom all pictures of a film, or show the whole region in each."""

    def __init__(self, film: FilmStripModel) -> None:
        super().__init__()
        self.setSpacing(6)
        for icon, text, factor in (
            ("minus", self.tr("Zoom all photos out"), 1 / STEP),
            ("plus", self.tr("Zoom all photos in"), STEP),
        ):
            button = IconButton(icon, text, side=28)
            button.clicked.connect(lambda _checked=False, by=factor: film.set_view(zoom_view(film.view, by)))
            self.addWidget(button)
        whole = IconButton("fit", self.tr("Show the whole region"), side=28)
        whole.clicked.connect(lambda _checked=False: film.set_view(WHOLE))
        self.addWidget(whole)


def fit_rect(bounds: QRectF, aspect: float) -> QRectF:
    """The largest rectangle with an aspect, centred in `bounds`."""
    wide = min(bounds.width(), bounds.height() * aspect)
    high = wide / aspect
    return QRectF(bounds.center().x() - wide / 2, bounds.center().y() - high / 2, wide, high)


def mark_of(status: str) -> str:
    """The sign of a verdict, so that colour is not the only mark."""
    return {"passed": "✓ ", "failed": "✕ ", "undecided": "? "}.get(status, "")
