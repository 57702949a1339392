# ruff: noqa: N815 - Qt signals
"""Shows a picture: zoom, pan, minimap, brightness. `CanvasView` adds what is drawn on it."""

from __future__ import annotations

import math
from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFocusEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from desktop.canvas.layers.colours import CanvasColours
from desktop.canvas.layers.image_layer import ImageLayer
from desktop.canvas.layers.marks import FocusRing
from desktop.canvas.model.viewport import ZOOM_STEP, Viewport
from desktop.canvas.views.overlays import MARGIN, Minimap, PreparingChip, ZoomChip
from desktop.imaging.decoding.tone import Tone
from desktop.imaging.loader import TileLoader
from desktop.imaging.sources.source import ImageSource

_SETTLE_MS = 120


class PictureView(QWidget):
    """A picture that is zoomed and panned. Middle button drags it."""

    cursorMoved = Signal(object)
    """(x, y) of the pixel below the pointer as ints, or None outside the picture."""
    viewportChanged = Signal(object)
    """The new Viewport, after each zoom or pan, by whomever."""
    opened = Signal()
    """The first useful picture is on view."""
    prepared = Signal()
    """Full detail is available."""
    failed = Signal(str)
    """The picture cannot be read; the text is for the person (it is shown on the canvas as well)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(self.tr("Image"))
        self.setMinimumSize(160, 120)
        self._colours = CanvasColours()
        self._viewport = Viewport(0, 0, 1, 1)
        self._source: ImageSource | None = None
        self._message = ""
        self._loader = TileLoader(self)
        self.tone = Tone()
        """Brightness and contrast on view."""
        self._image_layer = ImageLayer(self._loader)
        self._pan_from: QPointF | None = None
        self._moving = False
        self._focus_ring = FocusRing()
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self._settled)
        self._minimap = Minimap(self)
        self._with_minimap = True
        self._zoom_chip = ZoomChip(self)
        self._preparing = PreparingChip(self)
        self._preparing.hide()
        self._connect_overlays()
        self.set_colours(self._colours)

    @property
    def source(self) -> ImageSource | None:
        """The picture on view."""
        return self._source

    def open(self, source: ImageSource | None, *, keep_view: bool = False) -> None:
        """Show a picture (None for none), fitted; with `keep_view` where it was, if the sizes are equal."""
        size = source.size if source is not None else (0, 0)
        same = keep_view and size == (self._viewport.image_width, self._viewport.image_height)
        self._source = source
        self._message = ""
        self._loader.open(source)
        self._minimap.set_preview(None)
        self._preparing.hide()
        if not same:
            view = Viewport(*size, max(self.width(), 1), max(self.height(), 1))
            self._set_viewport(view.fit(), moving=False)
        self.update()

    def show_message(self, text: str) -> None:
        """Say something in the middle of the canvas, such as why there is no picture; empty for nothing."""
        self._message = text
        self.update()

    def set_tone(self, tone: Tone) -> None:
        """Brightness and contrast on view; the file stays as it is."""
        self.tone = tone
        self._loader.set_tone(tone)
        self.update()

    def close_picture(self) -> None:
        """Cancel reading and end the threads. Also done when the view is closed or deleted by its owner."""
        self._loader.shutdown()

    @property
    def viewport(self) -> Viewport:
        """Which part of the picture is seen, and how large."""
        return self._viewport

    def set_viewport(self, scale: float, centre_x: float, centre_y: float) -> None:
        """Show the picture at `scale` view px per px with this point of it in the middle."""
        self._set_viewport(replace(self._viewport, scale=scale).centred(centre_x, centre_y))

    def fit(self) -> None:
        """All of the picture."""
        self._set_viewport(self._viewport.fit())

    def one_to_one(self) -> None:
        """One device px for each px of the picture."""
        self._zoom_at_middle(1 / self.devicePixelRatioF())

    def zoom_in(self) -> None:
        """One step larger."""
        self._zoom_at_middle(self._viewport.scale * ZOOM_STEP)

    def zoom_out(self) -> None:
        """One step smaller."""
        self._zoom_at_middle(self._viewport.scale / ZOOM_STEP)

    @property
    def minimap_shown(self) -> bool:
        """True when the minimap appears as soon as not all of the picture is seen."""
        return self._with_minimap

    def show_minimap(self, on: bool) -> None:
        """Let the minimap appear when not all of the picture is seen, or never."""
        self._with_minimap = on
        self._update_overlays()

    def set_colours(self, colours: CanvasColours) -> None:
        """Take the colours of the theme."""
        self._colours = colours
        for overlay in (self._zoom_chip, self._minimap, self._preparing):
            overlay.set_colours(colours)
        self._place_overlays()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the picture, what lies on it, and a message where there is one."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._colours.canvas))
        if self._source is not None:
            self._image_layer.paint(
                painter,
                self._viewport,
                self._source.levels,
                self.devicePixelRatioF(),
                smooth=not self._moving,
            )
            self._paint_over(painter)
        message = self._message or self._waiting()
        if message:
            painter.setPen(QColor(self._colours.dim))
            box = QRectF(self.rect()).adjusted(24, 24, -24, -24)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, message)
        self._focus_ring.paint(painter, self.rect(), self.hasFocus(), QColor(self._colours.accent))
        painter.end()

    def _paint_over(self, painter: QPainter) -> None:
        """What lies on the picture; nothing here."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the picture fitted, or its middle in the middle."""
        size = event.size()
        self._set_viewport(self._viewport.resized(max(size.width(), 1), max(size.height(), 1)), moving=False)
        self._place_overlays()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer; touch pads scroll with two fingers and zoom with Ctrl."""
        point, pixels = event.position(), event.pixelDelta()
        if not pixels.isNull() and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._set_viewport(self._viewport.panned(pixels.x(), pixels.y()))
        else:
            notches = event.angleDelta().y() / 120
            scale = self._viewport.scale * math.pow(ZOOM_STEP, notches)
            self._set_viewport(self._viewport.zoomed(scale, point.x(), point.y()))
        event.accept()

    def leaveEvent(self, _event: QEvent) -> None:
        """The pointer is on no pixel."""
        self.cursorMoved.emit(None)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the keys go."""
        self._focus_ring.came(event)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """The middle button takes hold of the picture."""
        if event.button() is Qt.MouseButton.MiddleButton:
            self._pan_from = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the picture; say where the pointer is."""
        if self._pan_from is not None:
            way = event.position() - self._pan_from
            self._pan_from = event.position()
            self._set_viewport(self._viewport.panned(way.x(), way.y()))
        self._tell_cursor(event.position())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Release the picture."""
        self._pan_from = None

    def _connect_overlays(self) -> None:
        self._loader.previewReady.connect(self._preview_ready)
        self._loader.tileReady.connect(self.update)
        self._loader.prepared.connect(self._prepared)
        self._loader.stopped.connect(self._preparing.hide)
        self._loader.progress.connect(self._progress)
        self._loader.failed.connect(self._failed)
        self._minimap.wanted.connect(self._centre)
        self._zoom_chip.zoomIn.connect(self.zoom_in)
        self._zoom_chip.zoomOut.connect(self.zoom_out)
        self._zoom_chip.oneToOne.connect(self.one_to_one)
        self._zoom_chip.fit.connect(self.fit)
        self._preparing.stop.connect(self._loader.stop_preparing)

    def _preview_ready(self) -> None:
        self._minimap.set_preview(self._loader.overview)
        self.update()
        self.opened.emit()

    def _prepared(self) -> None:
        self._preparing.hide()
        self.update()
        self.prepared.emit()

    def _progress(self, done: float) -> None:
        self._preparing.set_progress(done)
        if not self._preparing.isVisible():
            self._preparing.show()

    def _failed(self, text: str) -> None:
        self._preparing.hide()
        if self._loader.preview is None:
            self._message = text
        self.update()
        self.failed.emit(text)

    def _waiting(self) -> str:
        if self._source is not None and self._loader.preview is None:
            return self.tr("Opening image…")
        return ""

    def _set_viewport(self, viewport: Viewport, *, moving: bool = True) -> None:
        if viewport == self._viewport:
            return
        self._viewport = viewport
        if moving:
            self._moving = True
            self._settle.start()
        self._update_overlays()
        self.update()
        self.viewportChanged.emit(viewport)

    def _settled(self) -> None:
        self._moving = False
        self.update()

    def _zoom_at_middle(self, scale: float) -> None:
        view = self._viewport
        self._set_viewport(view.zoomed(scale, view.width / 2, view.height / 2))

    def _centre(self, x: float, y: float) -> None:
        self._set_viewport(self._viewport.centred(x, y))

    def _update_overlays(self) -> None:
        view = self._viewport
        self._zoom_chip.set_scale(view.scale * self.devicePixelRatioF())
        self._minimap.show_part(view)
        whole = view.visible.area >= view.image_width * view.image_height * 0.999
        shown = self._source is not None and not whole and self._with_minimap
        if self._minimap.isVisibleTo(self) != shown:
            self._minimap.setVisible(shown)
            self._place_overlays()

    def _place_overlays(self) -> None:
        self._zoom_chip.adjustSize()
        self._preparing.adjustSize()
        size = self._minimap.sizeHint()
        bottom = self.height() - MARGIN
        zoom = self._zoom_chip
        zoom.move(MARGIN, bottom - zoom.height())
        preparing = self._preparing
        preparing.move(zoom.x() + zoom.width() + 8, bottom - preparing.height())
        self._minimap.resize(size)
        self._minimap.move(self.width() - MARGIN - size.width(), bottom - size.height())

    def _tell_cursor(self, point: QPointF) -> None:
        x, y = self._viewport.to_image(point.x(), point.y())
        inside = 0 <= x < self._viewport.image_width and 0 <= y < self._viewport.image_height
        self.cursorMoved.emit((int(x), int(y)) if inside else None)
