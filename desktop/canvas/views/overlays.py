"""Defines the widgets over the canvas: zoom chip, minimap, loading progress and the tooltip of a box.

Sets which greys of a picture of more than 8 bits are shown as black and as white.
"""

from __future__ import annotations

import html
import math

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
    QSlider,
    QToolButton,
    QToolTip,
    QWidget,
)

from desktop.canvas.layers.colours import CanvasColours
from desktop.canvas.model.viewport import Viewport
from desktop.imaging.sources.grey import GreyLevels

MARGIN = 12
"""View px between an overlay and the edge of the canvas."""
_MIN_MARK_SIDE = 7.0
"""Minimum side of the mark of the visible part in the minimap, in view px."""


def show_reason(view: QWidget, event: QHelpEvent, reason: str) -> None:
    """Show a reason as the tooltip of a view; an empty one hides it. Markup in the text is escaped."""
    text = f"<p style='white-space:pre-wrap'>{html.escape(reason)}</p>" if reason else ""
    QToolTip.showText(event.globalPos(), text, view)


class FloatingPanel(QFrame):
    """A rounded panel over the picture."""

    def set_colours(self, colours: CanvasColours) -> None:
        """Set the colours."""
        self.setStyleSheet(
            f"""
            ZoomChip, PreparingChip, LevelsChip {{ background: {colours.panel};
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


class ZoomChip(FloatingPanel):
    """Shows the zoom, with buttons that zoom out, zoom in, and fit the picture."""

    zoom_out = Signal()
    zoom_in = Signal()
    one_to_one = Signal()
    fit = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("zoom")
        self._scale = make_button("100%", self.tr("Actual size, 100% (1)"))
        self._scale.setObjectName("scale")
        widest = QFontMetrics(_scale_font(self.font())).horizontalAdvance("6400%")
        self._scale.setFixedSize(max(60, widest + 12), _button_side(self.font()))
        smaller, larger = (
            make_button("−", self.tr("Zoom out (−)")),
            make_button("+", self.tr("Zoom in (+)")),
        )
        fit_button = make_button("F", self.tr("Fit to window (F)"))
        fit_button.setObjectName("key")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(6, 3, 6, 3)
        layout.setSpacing(2)
        for button, signal in (
            (smaller, self.zoom_out),
            (self._scale, self.one_to_one),
            (larger, self.zoom_in),
            (fit_button, self.fit),
        ):
            layout.addWidget(button)
            button.clicked.connect(signal)
        self.adjustSize()

    @property
    def text(self) -> str:
        """The displayed scale."""
        return self._scale.text()

    def set_scale(self, scale: float) -> None:
        """Show the scale in device px (px of the screen, not of the window) per picture px."""
        percent = scale * 100
        self._scale.setText(f"{percent:.0f}%" if percent >= 9.95 else f"{percent:.1f}%")


class PreparingChip(FloatingPanel):
    """Shows the progress of loading a large picture, with a button that stops it."""

    stop = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._bar = QProgressBar()
        self._bar.setRange(0, 100)
        self._bar.setTextVisible(False)
        self._bar.setFixedSize(90, 4)
        self._bar.setAccessibleName(self.tr("Loading full resolution"))
        cancel = make_button("×", self.tr("Stop loading full resolution"))
        cancel.clicked.connect(self.stop)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 3, 6, 3)
        layout.setSpacing(8)
        layout.addWidget(QLabel(self.tr("Loading full resolution")))
        layout.addWidget(self._bar)
        layout.addWidget(cancel)
        self.adjustSize()

    def set_progress(self, share: float) -> None:
        """Show the progress, 0..1."""
        # QProgressBar repaints immediately, including the picture below it.
        self._bar.setUpdatesEnabled(False)
        self._bar.setValue(round(share * 100))
        self._bar.setUpdatesEnabled(True)


class Minimap(QWidget):
    """The whole picture in small with a mark for the visible part. A click or drag moves that part."""

    centre_requested = Signal(float, float)
    """The point of the picture (px) to bring to the middle."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("minimap")
        self.setAccessibleName(self.tr("Image overview"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._picture_view = parent
        self._colours = CanvasColours()
        self._viewport: Viewport | None = None
        self._preview: QImage | None = None
        self._preview_pixmap = QPixmap()

    def sizeHint(self) -> QSize:
        """The size of the minimap, with the proportions of the picture; in a small view it is smaller."""
        view = self._viewport
        if view is None or not view.image_width:
            return QSize(168, 104)
        ratio = view.image_height / view.image_width
        width = min(168.0, 150 / ratio, self._picture_view.width() / 4)
        return QSize(max(round(width), 40), max(round(width * ratio), 24))

    def set_colours(self, colours: CanvasColours) -> None:
        """Set the colours."""
        self._colours = colours
        self.update()

    def set_preview(self, preview: QImage | None) -> None:
        """Show this picture."""
        self._preview = preview
        self._preview_pixmap = QPixmap()
        self.update()

    def show_part(self, viewport: Viewport) -> None:
        """Mark the part that `viewport` shows."""
        self._viewport = viewport
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the picture and the mark of the visible part."""
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(QColor(self._colours.line), 1))
        painter.setBrush(QColor(self._colours.panel))
        painter.drawRoundedRect(frame, 6, 6)
        inner = self._inner_rect()
        if self._preview is not None:
            painter.drawPixmap(inner.topLeft(), self._scaled_preview(inner, self._preview))
        view = self._viewport
        if view is not None and view.image_width:
            scale = inner.width() / view.image_width
            part = view.visible
            box = QRectF(
                inner.left() + part.x * scale, inner.top() + part.y * scale, part.w * scale, part.h * scale
            )
            # At high zoom the part is smaller than a px, so the mark has a minimum size.
            extra_x, extra_y = (
                max(_MIN_MARK_SIDE - box.width(), 0) / 2,
                max(_MIN_MARK_SIDE - box.height(), 0) / 2,
            )
            box.adjust(-extra_x, -extra_y, extra_x, extra_y)
            painter.setPen(QPen(QColor(self._colours.accent), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box.adjusted(0.75, 0.75, -0.75, -0.75))
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Request the clicked point as the centre."""
        self._request_centre(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Request the point below the pointer as the centre while the left button is down."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._request_centre(event.position())

    def _request_centre(self, point: QPointF) -> None:
        if self._viewport is None or not self._viewport.image_width:
            return
        inner = self._inner_rect()
        scale = self._viewport.image_width / inner.width()
        self.centre_requested.emit((point.x() - inner.left()) * scale, (point.y() - inner.top()) * scale)

    def _inner_rect(self) -> QRectF:
        return QRectF(self.rect()).adjusted(4, 4, -4, -4)

    def _scaled_preview(self, inner: QRectF, preview: QImage) -> QPixmap:
        ratio = self.devicePixelRatioF()
        size = (inner.size() * ratio).toSize()
        if self._preview_pixmap.size() != size:
            image = preview.scaled(
                size, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
            )
            self._preview_pixmap = QPixmap.fromImage(image)
            self._preview_pixmap.setDevicePixelRatio(ratio)
        return self._preview_pixmap


def _scale_font(font: QFont) -> QFont:
    """The font of the scale, equal to that of the style sheet."""
    strong = QFont(font)
    strong.setPixelSize(12)
    strong.setWeight(QFont.Weight.DemiBold)
    return strong


def _button_side(font: QFont) -> int:
    return max(22, QFontMetrics(_scale_font(font)).height() + 2)


def make_button(text: str, name: str) -> QToolButton:
    """A button of an overlay with a sign as its text, and its name for tooltip and screen readers."""
    button = QToolButton()
    button.setText(text)
    button.setToolTip(name)
    button.setAccessibleName(name)
    side = _button_side(button.font())
    button.setFixedSize(side, side)
    button.setAutoRaise(True)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


_STEPS = 1000
_SLIDER_PX = 80


class LevelsChip(FloatingPanel):
    """Two sliders, for black and for white, with their values in the file and a button that resets them."""

    chosen = Signal(object)
    """The new `GreyLevels`."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("levels")
        self._bounds = self._default = self.levels = GreyLevels(0, 1)
        self.black, self.white = (
            self._slider(self.tr("Darkest grey value")),
            self._slider(self.tr("Brightest grey value")),
        )
        self._text = QLabel()
        reset = make_button("↺", self.tr("Reset grey values"))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 3, 6, 3)
        layout.setSpacing(6)
        for widget in (self.black, self.white, self._text, reset):
            layout.addWidget(widget)
        self.black.valueChanged.connect(lambda value: self._on_moved(self.black, value))
        self.white.valueChanged.connect(lambda value: self._on_moved(self.white, value))
        reset.clicked.connect(lambda: self._choose(self._default))

    def set_range(self, bounds: GreyLevels, default: GreyLevels, shown: GreyLevels) -> None:
        """Set the least and greatest value, those of the reset, and the shown ones."""
        self._bounds, self._default = bounds, default
        self._show(shown)

    def _slider(self, name: str) -> QSlider:
        slider = QSlider(Qt.Orientation.Horizontal)
        slider.setRange(0, _STEPS)
        slider.setPageStep(_STEPS // 20)
        slider.setFixedWidth(_SLIDER_PX)
        slider.setAccessibleName(name)
        slider.setToolTip(name)
        return slider

    def _on_moved(self, slider: QSlider, step: int) -> None:
        """Black stays at least one step below white."""
        black, white = self.black.value(), self.white.value()
        if slider is self.black:
            black = min(step, white - 1)
        else:
            white = max(step, black + 1)
        self._choose(GreyLevels(self._value(black), self._value(white)))

    def _choose(self, levels: GreyLevels) -> None:
        self._show(levels)
        self.chosen.emit(levels)

    def _show(self, levels: GreyLevels) -> None:
        self.levels = levels
        for slider, value in ((self.black, levels.black), (self.white, levels.white)):
            slider.blockSignals(True)
            slider.setValue(round((value - self._bounds.black) / self._span * _STEPS))
            slider.blockSignals(False)
        self._text.setText(f"{self._number(levels.black)} – {self._number(levels.white)}")
        self.adjustSize()

    def _value(self, step: int) -> float:
        return self._bounds.black + self._span * step / _STEPS

    @property
    def _span(self) -> float:
        return max(self._bounds.white - self._bounds.black, 1e-9)

    def _number(self, value: float) -> str:
        """The value with as many decimals as a step of the slider changes."""
        decimals = max(0, -math.floor(math.log10(self._span / _STEPS)))
        return f"{value:.{min(decimals, 6)}f}"
