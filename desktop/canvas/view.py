# ruff: noqa: N815 - Qt signals
"""The canvas: a picture with its regions, to look at and to draw on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace

from PySide6.QtCore import QEvent, QMimeData, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QCursor,
    QEnterEvent,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from desktop.canvas.colours import CanvasColours
from desktop.canvas.draft_layer import paint_draft
from desktop.canvas.editor import RegionEditor
from desktop.canvas.findings import FindingBox, FindingLayer, Matrix
from desktop.canvas.image_layer import ImageLayer
from desktop.canvas.overlays import MARGIN, Minimap, PreparingChip, ZoomChip
from desktop.canvas.region_layer import RegionLayer
from desktop.canvas.regions import RegionStore, StoreEvent
from desktop.canvas.shaping import Handle
from desktop.canvas.tools import Pointer, Tool
from desktop.canvas.viewport import Viewport
from desktop.imaging.loader import TileLoader
from desktop.imaging.source import ImageSource
from desktop.imaging.tone import Tone

REGIONS_MIME = "application/x-walkaround-regions"
"""The clipboard format of copied regions."""

ZOOM_STEP = 1.25
"""Factor of one press of + and of one notch of the wheel."""

_SETTLE_MS = 120
_LEFT = Qt.MouseButton.LeftButton
_KEY = Qt.Key


class CanvasView(QWidget):
    """A picture, its regions and findings. What a person changes comes as `regionsEdited`; who receives it
    journals it and applies it to `store`, as undo does.
    """

    regionsEdited = Signal(object)
    """A RegionsChanged, not yet applied to the store."""
    selectionChanged = Signal(tuple)
    """The ids of the selected regions, in the order of selecting."""
    regionActivated = Signal(str)
    """A region was double-clicked."""
    cursorMoved = Signal(object)
    """(x, y) of the pixel below the pointer as ints, or None outside the picture."""
    viewportChanged = Signal(object)
    """The new Viewport, after each zoom or pan, by whomever."""
    toolChanged = Signal(object)
    """The new Tool."""
    opened = Signal()
    """The first useful picture is on view."""
    prepared = Signal()
    """Full detail is there."""
    failed = Signal(str)
    """The picture cannot be read; the text is for the person (it is shown on the canvas as well)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(self.tr("Picture with regions"))
        self.setMinimumSize(160, 120)
        self.store = RegionStore()
        self.editor = RegionEditor(self.store, self.regionsEdited.emit)
        self.mm_per_pixel: float | None = None
        """Real-world scale of the picture; the ruler and sizes say mm when it is known."""
        self._colours = CanvasColours()
        self._viewport = Viewport(0, 0, 1, 1)
        self._source: ImageSource | None = None
        self._message = ""
        self._loader = TileLoader(self)
        self._image_layer = ImageLayer(self._loader)
        self._region_layer = RegionLayer(self.store)
        self._finding_layer = FindingLayer()
        self._pan_from: QPointF | None = None
        self._space = False
        self._moving = False
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self._settled)
        self._minimap = Minimap(self)
        self._zoom_chip = ZoomChip(self)
        self._preparing = PreparingChip(self)
        self._preparing.hide()
        self._connect()
        self.set_colours(self._colours)
        self._place_overlays()

    # ---- the picture

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
        self.editor.set_picture(size)
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
        self._loader.set_tone(tone)
        self.update()

    def close_picture(self) -> None:
        """Cancel reading and end the threads. Also done when the view is closed or deleted by its owner."""
        self._loader.shutdown()

    # ---- what is seen

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

    def show_region(self, region_id: str) -> None:
        """Bring a region to the middle and zoom to it; nothing when it is not there."""
        region = self.store.get(region_id)
        if region is not None:
            self._set_viewport(self._viewport.showing(region.rect), moving=False)

    def ensure_visible(self, region_id: str) -> None:
        """Bring a region to the middle, without zooming, unless some of it is seen already."""
        region = self.store.get(region_id)
        if region is not None and region.rect.intersection(self._viewport.visible).empty:
            rect = region.rect
            self._set_viewport(self._viewport.centred(rect.x + rect.w / 2, rect.y + rect.h / 2), moving=False)

    @property
    def regions_shown(self) -> bool:
        """Whether regions are painted."""
        return self._region_layer.show_regions

    def show_regions(self, on: bool) -> None:
        """Paint regions, or only the picture."""
        self._region_layer.show_regions = on
        self.update()

    @property
    def labels_shown(self) -> bool:
        """Whether numbers and names are painted."""
        return self._region_layer.show_labels

    def show_labels(self, on: bool) -> None:
        """Paint numbers and names, or only rectangles."""
        self._region_layer.show_labels = self._finding_layer.show_labels = on
        self.update()

    def show_minimap(self, on: bool) -> None:
        """Let the minimap appear when not all of the picture is seen, or never."""
        self._minimap.setProperty("off", not on)
        self._update_overlays()

    def set_findings(self, boxes: Iterable[FindingBox], mapping: Matrix | None = None) -> None:
        """Show these boxes; `mapping` (3 x 3) brings their px to px of this picture."""
        self._finding_layer.boxes = tuple(boxes)
        self._finding_layer.mapping = mapping
        self.update()

    def set_colours(self, colours: CanvasColours) -> None:
        """Take the colours of the theme."""
        self._colours = colours
        for overlay in (self._zoom_chip, self._minimap, self._preparing):
            overlay.set_colours(colours)
        self._place_overlays()
        self.update()

    # ---- tools and commands

    def set_tool(self, tool: Tool) -> None:
        """Take another tool."""
        if tool is not self.editor.tool:
            self.editor.set_tool(tool)
            self._tool_changed()

    def copy(self) -> None:
        """Put the selected regions on the clipboard."""
        text = self.editor.copied()
        if text:
            data = QMimeData()
            data.setData(REGIONS_MIME, text.encode())
            QGuiApplication.clipboard().setMimeData(data)

    def paste(self) -> None:
        """Add the regions from the clipboard, if there are any."""
        data = QGuiApplication.clipboard().mimeData()
        if data is not None and data.hasFormat(REGIONS_MIME):
            self.editor.paste(bytes(data.data(REGIONS_MIME).data()).decode())

    def select_all(self) -> None:
        """Select every region that is not hidden."""
        self.store.select([region.id for region in self.store if not region.hidden])

    # ---- painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the picture, the regions, the findings and what is under way."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._colours.canvas))
        if self._source is not None:
            draft, font, view = self.editor.draft, self.font(), self._viewport
            self._image_layer.paint(
                painter, view, self._source.levels, self.devicePixelRatioF(), smooth=not self._moving
            )
            self._region_layer.paint(painter, view, self._colours, draft.moved, font)
            self._finding_layer.paint(painter, view, self._colours, font)
            paint_draft(painter, view, draft, self._colours, font, self.mm_per_pixel)
        message = self._message or self._waiting()
        if message:
            painter.setPen(QColor(self._colours.dim))
            box = QRectF(self.rect()).adjusted(24, 24, -24, -24)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, message)
        if self.hasFocus():
            painter.setPen(QColor(self._colours.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the picture fitted, or its middle in the middle."""
        size = event.size()
        self._set_viewport(self._viewport.resized(max(size.width(), 1), max(size.height(), 1)), moving=False)
        self._place_overlays()

    # ---- mouse

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

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Start panning, or pass it to the tool."""
        panning = self._space or self.editor.tool is Tool.PAN
        if event.button() is Qt.MouseButton.MiddleButton or (event.button() is _LEFT and panning):
            self._pan_from = event.position()
        elif event.button() is _LEFT and self._source is not None:
            self.editor.press(self._pointer(event))
            self.update()
        self._show_cursor(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan, or pass it to the tool."""
        if self._pan_from is not None:
            way = event.position() - self._pan_from
            self._pan_from = event.position()
            self._set_viewport(self._viewport.panned(way.x(), way.y()))
        elif self._source is not None:
            pressed = bool(event.buttons() & _LEFT)
            self.editor.move(self._pointer(event), pressed)
            if pressed or self.editor.busy:
                self.update()
        self._show_cursor(event)
        self._tell_cursor(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End panning, or pass it to the tool."""
        if self._pan_from is not None:
            if event.button() in (Qt.MouseButton.MiddleButton, _LEFT):
                self._pan_from = None
        elif event.button() is _LEFT and self._source is not None:
            drew = self.editor.tool is Tool.DRAW
            self.editor.release(self._pointer(event))
            if drew and not self.editor.busy and self.store.selected:
                self.set_tool(Tool.SELECT)
            self.update()
        self._show_cursor(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Say which region it was on."""
        x, y = self._viewport.to_image(event.position().x(), event.position().y())
        hits = self.store.hits(x, y)
        if event.button() is _LEFT and self.editor.tool is Tool.SELECT and hits:
            self.regionActivated.emit(hits[0].id)
        else:
            self.mousePressEvent(event)

    def enterEvent(self, _event: QEnterEvent) -> None:
        """Show the cursor of the tool."""
        self.setCursor(self._tool_cursor())

    def leaveEvent(self, _event: QEvent) -> None:
        """The pointer is on no pixel."""
        self.cursorMoved.emit(None)

    # ---- keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The keys of the canvas; all others go on to the window."""
        if event.key() == _KEY.Key_Space:
            if not event.isAutoRepeat():
                self._space = True
                self.setCursor(Qt.CursorShape.OpenHandCursor)
            return
        command = self._command(event)
        if command is None:
            event.ignore()
            return
        command()
        self.update()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Space panned as long as it was held."""
        if event.key() == _KEY.Key_Space and not event.isAutoRepeat():
            self._space = False
            self.setCursor(self._tool_cursor())
        else:
            event.ignore()

    def focusOutEvent(self, event: QEvent) -> None:
        """A key held while the focus leaves is not seen to be released."""
        self._space = False
        self._pan_from = None
        self.update()

    def focusInEvent(self, event: QEvent) -> None:
        """Show where the keys go."""
        self.update()

    def _command(self, event: QKeyEvent) -> Callable[[], None] | None:
        ctrl = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.modifiers() & (Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier):
            return None
        key = event.key()
        arrows = {
            _KEY.Key_Left: (-1, 0),
            _KEY.Key_Right: (1, 0),
            _KEY.Key_Up: (0, -1),
            _KEY.Key_Down: (0, 1),
        }
        if key in arrows and not ctrl:
            dx, dy = arrows[_KEY(key)]
            step = 10 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
            return lambda: self._arrow(dx * step, dy * step)
        with_ctrl: dict[int, Callable[[], None]] = {
            _KEY.Key_A: self.select_all,
            _KEY.Key_C: self.copy,
            _KEY.Key_D: self.editor.duplicate,
            _KEY.Key_V: self.paste,
        }
        plain: dict[int, Callable[[], None]] = {
            _KEY.Key_R: lambda: self.set_tool(Tool.DRAW),
            _KEY.Key_V: lambda: self.set_tool(Tool.SELECT),
            _KEY.Key_Escape: self._escape,
            _KEY.Key_Return: self._enter,
            _KEY.Key_Enter: self._enter,
            _KEY.Key_Delete: self.editor.delete,
            _KEY.Key_Backspace: self.editor.delete,
            _KEY.Key_F: self.fit,
            _KEY.Key_1: self.one_to_one,
            _KEY.Key_Plus: self.zoom_in,
            _KEY.Key_Equal: self.zoom_in,
            _KEY.Key_Minus: self.zoom_out,
            _KEY.Key_H: lambda: self.show_regions(not self.regions_shown),
            _KEY.Key_L: lambda: self.show_labels(not self.labels_shown),
        }
        return (with_ctrl if ctrl else plain).get(key)

    def _arrow(self, dx: int, dy: int) -> None:
        """Nudge what is selected; with nothing selected, move the view."""
        if self.store.selected:
            self.editor.nudge(dx, dy)
        else:
            self._set_viewport(self._viewport.panned(-dx * 40, -dy * 40))

    def _escape(self) -> None:
        self.editor.cancel()
        self._tool_changed()

    def _enter(self) -> None:
        drew = self.editor.tool is Tool.DRAW and self.editor.finish()
        if drew:
            self.set_tool(Tool.SELECT)
        elif self.editor.tool is Tool.SELECT and self.store.selected:
            self.show_region(self.store.selected[-1])
        else:
            self.editor.finish()

    # ---- inside

    def _connect(self) -> None:
        self.store.subscribe(self._store_changed)
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

    def _store_changed(self, event: StoreEvent) -> None:
        if event.selection:
            self.selectionChanged.emit(self.store.selected)
        self.update()

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
            return self.tr("Opening the picture…")
        return ""

    def _set_viewport(self, viewport: Viewport, *, moving: bool = True) -> None:
        if viewport == self._viewport:
            return
        self._viewport = viewport
        self.editor.set_scale(viewport.scale)
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
        shown = self._source is not None and not whole and not self._minimap.property("off")
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

    def _pointer(self, event: QMouseEvent) -> Pointer:
        point = event.position()
        x, y = self._viewport.to_image(point.x(), point.y())
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        ctrl = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        return Pointer(x, y, point.x(), point.y(), shift, ctrl)

    def _tell_cursor(self, point: QPointF) -> None:
        x, y = self._viewport.to_image(point.x(), point.y())
        inside = 0 <= x < self._viewport.image_width and 0 <= y < self._viewport.image_height
        self.cursorMoved.emit((int(x), int(y)) if inside else None)

    def _tool_changed(self) -> None:
        self.setCursor(self._tool_cursor())
        self.toolChanged.emit(self.editor.tool)
        self.update()

    def _tool_cursor(self) -> QCursor:
        shapes = {
            Tool.SELECT: Qt.CursorShape.ArrowCursor,
            Tool.PAN: Qt.CursorShape.OpenHandCursor,
            Tool.DRAW: Qt.CursorShape.CrossCursor,
            Tool.RULER: Qt.CursorShape.CrossCursor,
        }
        return QCursor(shapes[self.editor.tool])

    def _show_cursor(self, event: QMouseEvent) -> None:
        if self._pan_from is not None:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif self._space:
            self.setCursor(Qt.CursorShape.OpenHandCursor)
        elif self.editor.tool is Tool.SELECT and not event.buttons() & _LEFT:
            hover = self.editor.hover(self._pointer(event))
            if hover.handle is not None:
                self.setCursor(_RESIZE_CURSORS[hover.handle])
            else:
                movable = hover.movable and self.editor.editable
                self.setCursor(Qt.CursorShape.SizeAllCursor if movable else Qt.CursorShape.ArrowCursor)


_RESIZE_CURSORS = {
    Handle.TOP_LEFT: Qt.CursorShape.SizeFDiagCursor,
    Handle.BOTTOM_RIGHT: Qt.CursorShape.SizeFDiagCursor,
    Handle.TOP_RIGHT: Qt.CursorShape.SizeBDiagCursor,
    Handle.BOTTOM_LEFT: Qt.CursorShape.SizeBDiagCursor,
    Handle.LEFT: Qt.CursorShape.SizeHorCursor,
    Handle.RIGHT: Qt.CursorShape.SizeHorCursor,
    Handle.TOP: Qt.CursorShape.SizeVerCursor,
    Handle.BOTTOM: Qt.CursorShape.SizeVerCursor,
}
