"""Shows a picture with zoom, pan, minimap, brightness and levels. `CanvasView` adds regions and findings."""

from __future__ import annotations

import math
from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHideEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QRegion,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from desktop.canvas.layers.chips import FocusRing
from desktop.canvas.layers.colours import CanvasColours
from desktop.canvas.layers.image_layer import ImageLayer
from desktop.canvas.model.viewport import ZOOM_STEP, Viewport
from desktop.canvas.views.overlays import MARGIN, LevelsChip, Minimap, PreparingChip, ZoomChip
from desktop.imaging.decoding.pixels import Tone
from desktop.imaging.loader import TileLoader
from desktop.imaging.sources.grey import GreyImage, GreyLevels, GreyView
from desktop.imaging.sources.source import ImageSource
from shared.record.geometry import Rect

_SETTLE_MS = 120


class PictureView(QWidget):
    """A picture that can be zoomed and panned. The middle button drags it."""

    cursor_moved = Signal(object)
    """(x, y) of the pixel below the pointer as ints, or None outside the picture."""
    viewport_changed = Signal(object)
    """The new Viewport after each zoom or pan, by the user or by the program."""
    opened = Signal()
    """A preview or the picture is visible."""
    prepared = Signal()
    """The full resolution is available."""
    failed = Signal(str)
    """The picture cannot be read. The text is for the user and is also shown on the canvas."""

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
        """Brightness and contrast of the view."""
        self._image_layer = ImageLayer(self._loader)
        self._pan_position: QPointF | None = None
        self._is_moving = False
        self._focus_ring = FocusRing()
        self._settle_timer = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle_timer.timeout.connect(self._on_settled)
        self._minimap = Minimap(self)
        self._minimap_enabled = True
        self._zoom_chip = ZoomChip(self)
        self._preparing_chip = PreparingChip(self)
        self._preparing_chip.hide()
        self.levels_chip = LevelsChip(self)
        """Shown for a grey picture of more than 8 bits."""
        self.levels_chip.hide()
        self._connect_overlays()
        self.set_colours(self._colours)

    @property
    def source(self) -> ImageSource | None:
        """The displayed picture; None if there is none."""
        return self._source

    def open(self, source: ImageSource | None, *, keep_view: bool = False) -> None:
        """Show a picture, fitted to the view; None shows no picture.

        `keep_view` keeps the viewport if the new picture has the same size.
        """
        size = source.size if source is not None else (0, 0)
        keeps_view = keep_view and size == (self._viewport.image_width, self._viewport.image_height)
        self._source = source
        self._message = ""
        self._loader.open(source)
        self._minimap.set_preview(None)
        self._preparing_chip.hide()
        self.levels_chip.hide()
        if not keeps_view:
            covered = self._viewport.covered
            view = Viewport(*size, max(self.width(), 1), max(self.height(), 1), covered=covered)
            self._set_viewport(view.fit(), is_moving=False)
        self.update()

    def show_message(self, text: str) -> None:
        """Show a message in the middle, such as why there is no picture; an empty one hides it."""
        self._message = text
        self.update()

    def set_tone(self, tone: Tone) -> None:
        """Set brightness and contrast of the view. The file is not changed."""
        self.tone = tone
        self._loader.set_tone(tone)
        self.update()

    def close_picture(self) -> None:
        """Cancel reading and end the threads. Also called when the view is closed or deleted by its owner."""
        self._loader.shutdown()

    @property
    def viewport(self) -> Viewport:
        """The visible part of the picture and its scale."""
        return self._viewport

    def set_viewport(self, scale: float, centre_x: float, centre_y: float) -> None:
        """Show the picture at `scale` view px per px, centred at this point of the picture."""
        self._set_viewport(replace(self._viewport, scale=scale).centred(centre_x, centre_y))

    def set_covered(self, height: int) -> None:
        """Keep a fitted picture below the upper `height` view px, over which something lies."""
        if height != self._viewport.covered:
            is_fitted = self._viewport.is_fitted
            view = replace(self._viewport, covered=float(height))
            self._set_viewport(view.fit() if is_fitted else view.bounded(), is_moving=False)

    def fit(self) -> None:
        """Fit the whole picture into the view."""
        self._set_viewport(self._viewport.fit())

    def one_to_one(self) -> None:
        """Show one px of the picture as one device px."""
        self._zoom_at_middle(1 / self.devicePixelRatioF())

    def zoom_in(self) -> None:
        """Zoom in by one step."""
        self._zoom_at_middle(self._viewport.scale * ZOOM_STEP)

    def zoom_out(self) -> None:
        """Zoom out by one step."""
        self._zoom_at_middle(self._viewport.scale / ZOOM_STEP)

    @property
    def minimap_shown(self) -> bool:
        """True when the minimap appears while the picture exceeds the view."""
        return self._minimap_enabled

    @property
    def room(self) -> Rect:
        """The part of the view beside the minimap and above the zoom, in view px."""
        at_right = self._minimap.sizeHint().width() + MARGIN if self._minimap_enabled else 0
        below = self._zoom_chip.height() + MARGIN
        return Rect(0, 0, max(self.width() - at_right, 1), max(self.height() - below, 1))

    def show_minimap(self, visible: bool) -> None:
        """Let the minimap appear while the picture exceeds the view, or never."""
        self._minimap_enabled = visible
        self._update_overlays()

    def set_colours(self, colours: CanvasColours) -> None:
        """Set the colours."""
        self._colours = colours
        for overlay in (self._zoom_chip, self._minimap, self._preparing_chip, self.levels_chip):
            overlay.set_colours(colours)
        self._place_overlays()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the picture, the overlay of the subclass, and a message if there is one."""
        painter = QPainter(self)
        painter.setClipRegion(QRegion(self.rect()).subtracted(QRegion(self._covered_rect())))
        painter.fillRect(self.rect(), QColor(self._colours.canvas))
        painter.setClipping(False)
        if self._source is not None:
            self._image_layer.paint(
                painter,
                self._viewport,
                self._source.levels,
                self.devicePixelRatioF(),
                smooth=not self._is_moving,
            )
            self._paint_overlay(painter)
        message = self._message or self._opening_text()
        if message:
            painter.setPen(QColor(self._colours.dim))
            box = QRectF(self.rect()).adjusted(24, 24, -24, -24)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, message)
        self._focus_ring.paint(painter, self.rect(), self.hasFocus(), QColor(self._colours.accent))
        painter.end()

    def _covered_rect(self) -> QRect:
        """The whole px of the view that the picture will cover; empty while there is no preview."""
        if self._source is None or self._loader.preview is None:
            return QRect()
        view = self._viewport
        picture = view.rect_to_view(Rect(0, 0, view.image_width, view.image_height))
        # The picture is clipped at whole device px, which may differ by one.
        left, top = math.ceil(picture.x) + 1, math.ceil(picture.y) + 1
        return QRect(left, top, math.floor(picture.right) - 1 - left, math.floor(picture.bottom) - 1 - top)

    def _paint_overlay(self, painter: QPainter) -> None:
        """Paint over the picture. A subclass overrides it."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the picture fitted, or keep the point in the middle."""
        size = event.size()
        self._set_viewport(
            self._viewport.resized(max(size.width(), 1), max(size.height(), 1)), is_moving=False
        )
        self._place_overlays()

    def release_picture(self) -> None:
        """Release the pixels of the picture, which are read again when it is painted."""
        self._loader.release_pixels()

    def hideEvent(self, _event: QHideEvent) -> None:
        """Release the tiles that the view would not show when it returns."""
        self._loader.release_unseen()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer. Touch pads scroll with two fingers and zoom with Ctrl."""
        point, pixels = event.position(), event.pixelDelta()
        if not pixels.isNull() and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._set_viewport(self._viewport.panned(pixels.x(), pixels.y()))
        else:
            notches = event.angleDelta().y() / 120
            scale = self._viewport.scale * math.pow(ZOOM_STEP, notches)
            self._set_viewport(self._viewport.zoomed(scale, point.x(), point.y()))
        event.accept()

    def leaveEvent(self, _event: QEvent) -> None:
        """Report that the pointer is on no pixel."""
        self.cursor_moved.emit(None)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Paint the focus ring if the focus came by keyboard."""
        self._focus_ring.on_focus_in(event)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to drag the picture with the middle button."""
        if event.button() is Qt.MouseButton.MiddleButton:
            self._pan_position = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the picture and report the position of the pointer."""
        if self._pan_position is not None:
            delta = event.position() - self._pan_position
            self._pan_position = event.position()
            self._set_viewport(self._viewport.panned(delta.x(), delta.y()))
        self._emit_cursor(event.position())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """End dragging the picture."""
        self._pan_position = None

    def _connect_overlays(self) -> None:
        self._loader.preview_ready.connect(self._on_preview_ready)
        self._loader.tile_ready.connect(self.update)
        self._loader.prepared.connect(self._on_prepared)
        self._loader.stopped.connect(self._preparing_chip.hide)
        self._loader.progress.connect(self._on_progress)
        self._loader.failed.connect(self._on_failed)
        self._minimap.centre_requested.connect(self._centre_on)
        self._zoom_chip.zoom_in.connect(self.zoom_in)
        self._zoom_chip.zoom_out.connect(self.zoom_out)
        self._zoom_chip.one_to_one.connect(self.one_to_one)
        self._zoom_chip.fit.connect(self.fit)
        self.levels_chip.chosen.connect(self._show_levels)
        self._preparing_chip.stop.connect(self._loader.stop_preparing)

    def _on_preview_ready(self) -> None:
        self._minimap.set_preview(self._loader.overview)
        self.update()
        self.opened.emit()

    def _on_prepared(self) -> None:
        self._preparing_chip.hide()
        if isinstance(image := self._source, GreyImage):
            self.levels_chip.set_range(image.bounds, image.default, image.chosen or image.default)
            if image.chosen is not None:
                self._loader.show_as(GreyView(image, image.chosen))
            self.levels_chip.show()
            self._place_overlays()
        self.update()
        self.prepared.emit()

    def _show_levels(self, levels: GreyLevels) -> None:
        if isinstance(image := self._source, GreyImage):
            image.chosen = levels
            self._loader.show_as(GreyView(image, levels))
            self._place_overlays()

    def _on_progress(self, share: float) -> None:
        self._preparing_chip.set_progress(share)
        if not self._preparing_chip.isVisible():
            self._preparing_chip.show()

    def _on_failed(self, text: str) -> None:
        self._preparing_chip.hide()
        if self._loader.preview is None:
            self._message = text
        self.update()
        self.failed.emit(text)

    def _opening_text(self) -> str:
        if self._source is not None and self._loader.preview is None:
            return self.tr("Opening image…")
        return ""

    def _set_viewport(self, viewport: Viewport, *, is_moving: bool = True) -> None:
        if viewport == self._viewport:
            return
        self._viewport = viewport
        if is_moving:
            self._is_moving = True
            self._settle_timer.start()
        self._update_overlays()
        self.update()
        self.viewport_changed.emit(viewport)

    def _on_settled(self) -> None:
        self._is_moving = False
        self.update()

    def _zoom_at_middle(self, scale: float) -> None:
        view = self._viewport
        self._set_viewport(view.zoomed(scale, view.width / 2, view.height / 2))

    def _centre_on(self, x: float, y: float) -> None:
        self._set_viewport(self._viewport.centred(x, y))

    def _update_overlays(self) -> None:
        view = self._viewport
        self._zoom_chip.set_scale(view.scale * self.devicePixelRatioF())
        self._minimap.show_part(view)
        shows_all = view.visible.area >= view.image_width * view.image_height * 0.999
        shown = self._source is not None and not shows_all and self._minimap_enabled
        if self._minimap.isVisibleTo(self) != shown:
            self._minimap.setVisible(shown)
            self._place_overlays()

    def _place_overlays(self) -> None:
        self._zoom_chip.adjustSize()
        self._preparing_chip.adjustSize()
        size = self._minimap.sizeHint()
        bottom = self.height() - MARGIN
        zoom = self._zoom_chip
        zoom.move(MARGIN, bottom - zoom.height())
        preparing = self._preparing_chip
        preparing.move(zoom.x() + zoom.width() + 8, bottom - preparing.height())
        levels = self.levels_chip
        levels.move(zoom.x() + zoom.width() + 8, bottom - levels.height())
        self._minimap.resize(size)
        self._minimap.move(self.width() - MARGIN - size.width(), bottom - size.height())

    def _emit_cursor(self, point: QPointF) -> None:
        x, y = self._viewport.to_image(point.x(), point.y())
        inside = 0 <= x < self._viewport.image_width and 0 <= y < self._viewport.image_height
        self.cursor_moved.emit((int(x), int(y)) if inside else None)
