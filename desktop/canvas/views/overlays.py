"""Defines the widgets over the canvas: zoom chip, minimap, preparing progress and the tooltip of a box."""

from __future__ import annotations

import html

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QImage,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QSizePolicy,
    QToolButton,
    QToolTip,
    QWidget,
)

from desktop.canvas.layers.colours import CanvasColours
from desktop.canvas.model.viewport import Viewport

MARGIN = 12
"""View px between an overlay and the edge of the canvas."""
_LEAST_PART = 7.0
"""View px of the minimap's mark for the part that is seen, at least."""


def show_reason(view: QWidget, event: QHelpEvent, reason: str) -> None:
    """Show a reason as the tooltip of a view, an empty one hides it. It is never read as markup."""
    text = f"<p style='white-space:pre-wrap'>{html.escape(reason)}</p>" if reason else ""
    QToolTip.showText(event.globalPos(), text, view)


class _Floating(QFrame):
    """A rounded panel over the picture."""

    def set_colours(self, colours: CanvasColours) -> None:
        """Take the colours of the theme."""
        self.setStyleSheet(
            f"""
            ZoomChip, PreparingChip {{ background: {colours.panel};
                border: 1px solid {colours.line}; border-radius: 6px; }}
            QLabel {{ color: {colours.text}; background: transparent; border: none; font-size: 12px;
                font-weight: 600; }}
            QToolButton {{ color: {colours.dim}; background: transparent; border: 1px solid transparent;
                border-radius: 4px; font-size: 14px; padding: 0; }}
            QToolButton:hover {{ background: {colours.raised}; color: {colours.text}; }}
            QToolButton:focus {{ border-color: {colours.accent}; }}
            QToolButton#scale {{ color: {colours.text}; font-size: 12px; font-weight: 600; }}
            QToolButton#key {{ background: {colours.raised}; border-color: {colours.line}; font-size: 11px; }}
            QProgressBar {{ background: {colours.raised}; border: none; border-radius: 2px; }}
            QProgressBar::chunk {{ background: {colours.accent}; border-radius: 2px; }}
            """
        )


class ZoomChip(_Floating):
    """Smaller, how large, larger, fit."""

    zoomOut = Signal()  # noqa: N815 - a Qt signal
    zoomIn = Signal()  # noqa: N815 - a Qt signal
    oneToOne = Signal()  # noqa: N815 - a Qt signal
    fit = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("zoom")
        self._scale = _button("100 %", self.tr("Actual size, 100 % (1)"))
        self._scale.setObjectName("scale")
        widest = QFontMetrics(_strong(self.font())).horizontalAdvance("6400 %")
        self._scale.setFixedSize(max(60, widest + 12), _button_side(self.font()))
        smaller, larger = _button("−", self.tr("Zoom out (−)")), _button("+", self.tr("Zoom in (+)"))
        whole = _button("F", self.tr("Fit to window (F)"))
        whole.setObjectName("key")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(6, 3, 6, 3)
        layout.setSpacing(2)
        for button, signal in (
            (smaller, self.zoomOut),
            (self._scale, self.oneToOne),
            (larger, self.zoomIn),
            (whole, self.fit),
        ):
            layout.addWidget(button)
            button.clicked.connect(signal)
        self.adjustSize()

    @property
    def text(self) -> str:
        """The scale as it is shown."""
        return self._scale.text()

    def set_scale(self, scale: float) -> None:
        """Show the scale in device px (those of the screen, not of the window) per picture px."""
        percent = scale * 100
        self._scale.setText(f"{percent:.0f} %" if percent >= 9.95 else f"{percent:.1f} %")


class PreparingChip(_Floating):
    """How far the preparing of a large picture is, and a way to stop it."""

    stop = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._bar = QProgressBar()
        self._bar.setRange(0, 100)
        self._bar.setTextVisible(False)
        self._bar.setFixedSize(90, 4)
        self._bar.setAccessibleName(self.tr("Loading full resolution"))
        cancel = _button("×", self.tr("Stop loading full resolution"))
        cancel.clicked.connect(self.stop)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 3, 6, 3)
        layout.setSpacing(8)
        layout.addWidget(QLabel(self.tr("Loading full resolution")))
        layout.addWidget(self._bar)
        layout.addWidget(cancel)
        self.adjustSize()

    def set_progress(self, done: float) -> None:
        """Show how far it is, 0..1."""
        # Qt's bar paints at once, and with it the picture below.
        self._bar.setUpdatesEnabled(False)
        self._bar.setValue(round(done * 100))
        self._bar.setUpdatesEnabled(True)


class Minimap(QWidget):
    """The whole picture, small, with the part that is seen; a click or drag goes there."""

    wanted = Signal(float, float)
    """The point of the picture (px) to bring to the middle."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("minimap")
        self.setAccessibleName(self.tr("Image overview"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._colours = CanvasColours()
        self._viewport: Viewport | None = None
        self._preview: QImage | None = None
        self._small = QPixmap()

    def sizeHint(self) -> QSize:
        """As wide as the look draws it, the height by the picture."""
        view = self._viewport
        if view is None or not view.image_width:
            return QSize(168, 104)
        ratio = view.image_height / view.image_width
        width = min(168.0, 150 / ratio)
        return QSize(max(round(width), 40), max(round(width * ratio), 24))

    def set_colours(self, colours: CanvasColours) -> None:
        """Take the colours of the theme."""
        self._colours = colours
        self.update()

    def set_preview(self, preview: QImage | None) -> None:
        """Show this picture."""
        self._preview = preview
        self._small = QPixmap()
        self.update()

    def show_part(self, viewport: Viewport) -> None:
        """Mark what `viewport` shows."""
        self._viewport = viewport
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the picture and the part."""
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(QColor(self._colours.line), 1))
        painter.setBrush(QColor(self._colours.panel))
        painter.drawRoundedRect(frame, 6, 6)
        inner = self._inner()
        if self._preview is not None:
            painter.drawPixmap(inner.topLeft(), self._scaled(inner, self._preview))
        view = self._viewport
        if view is not None and view.image_width:
            scale = inner.width() / view.image_width
            part = view.visible
            box = QRectF(
                inner.left() + part.x * scale, inner.top() + part.y * scale, part.w * scale, part.h * scale
            )
            # At high zoom the part is less than a px here: it is marked all the same.
            less_x, less_y = max(_LEAST_PART - box.width(), 0) / 2, max(_LEAST_PART - box.height(), 0) / 2
            box.adjust(-less_x, -less_y, less_x, less_y)
            painter.setPen(QPen(QColor(self._colours.accent), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box.adjusted(0.75, 0.75, -0.75, -0.75))
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go there."""
        self._go(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go along."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event.position())

    def _go(self, point: QPointF) -> None:
        if self._viewport is None or not self._viewport.image_width:
            return
        inner = self._inner()
        scale = self._viewport.image_width / inner.width()
        self.wanted.emit((point.x() - inner.left()) * scale, (point.y() - inner.top()) * scale)

    def _inner(self) -> QRectF:
        return QRectF(self.rect()).adjusted(4, 4, -4, -4)

    def _scaled(self, inner: QRectF, preview: QImage) -> QPixmap:
        ratio = self.devicePixelRatioF()
        size = (inner.size() * ratio).toSize()
        if self._small.size() != size:
            image = preview.scaled(
                size, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
            )
            self._small = QPixmap.fromImage(image)
            self._small.setDevicePixelRatio(ratio)
        return self._small


def _strong(font: QFont) -> QFont:
    """The font of the scale, from the stylesheet."""
    strong = QFont(font)
    strong.setPixelSize(12)
    strong.setWeight(QFont.Weight.DemiBold)
    return strong


def _button_side(font: QFont) -> int:
    return max(22, QFontMetrics(_strong(font)).height() + 2)


def _button(text: str, name: str) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setToolTip(name)
    button.setAccessibleName(name)
    side = _button_side(button.font())
    button.setFixedSize(side, side)
    button.setAutoRaise(True)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button
