"""Shows a picture with its regions, and lets the user draw on it."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCursor,
    QEnterEvent,
    QFocusEvent,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
)
from PySide6.QtWidgets import QWidget

from desktop.background.repaint import TURN_MS
from desktop.canvas.layers.draft_layer import AreaLayer, paint_draft
from desktop.canvas.layers.finding_layer import FindingBox, FindingLayer, Matrix
from desktop.canvas.layers.region_layer import BATCH_THRESHOLD, RegionLayer
from desktop.canvas.model.regions import RegionStore, StoreEvent
from desktop.canvas.model.shaping import Handle
from desktop.canvas.model.viewport import Viewport
from desktop.canvas.tools.editor import RegionEditor
from desktop.canvas.tools.tool_machine import Pointer, Tool
from desktop.canvas.views.overlays import show_reason
from desktop.canvas.views.picture_view import PictureView
from desktop.imaging.sources.source import ImageSource
from shared.record.geometry import Rect

_LEFT = Qt.MouseButton.LeftButton
_PAN_STEP = 40
"""View px by which one step moves the picture."""


class CanvasView(PictureView):
    """A picture with its regions and findings.

    It emits the user's changes as `regions_edited`. The receiver writes them to the journal and applies them
    to `store`, as undo does.
    """

    regions_edited = Signal(object)
    """A RegionChange that is not yet applied to the store."""
    selection_changed = Signal(tuple)
    """The ids of the selected regions, in the order of selecting."""
    regions_changed = Signal()
    """The selection or anything but the states of regions changed in the store."""
    region_activated = Signal(str)
    """A region was double-clicked."""
    edit_refused = Signal()
    """The user tried to change a region while changes are not allowed."""
    area_drawn = Signal(object)
    """The Rect that was drawn with `Tool.AREA`."""
    tool_changed = Signal(object)
    """The new Tool."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Image with regions"))
        self.store = RegionStore()
        self.editor = RegionEditor(
            self.store, self.regions_edited.emit, self.area_drawn.emit, self.edit_refused.emit
        )
        self.mm_per_pixel: float | None = None
        """Scale of the picture. If it is known, the ruler and sizes also show mm."""
        self.keeps_tool = False
        """Whether the tool for drawing stays after a region was drawn."""
        self._region_layer = RegionLayer(self.store)
        self._finding_layer = FindingLayer()
        self._area_layer = AreaLayer()
        self._space_held = False
        self._update_timer = QTimer(self, singleShot=True, interval=TURN_MS)
        self._update_timer.timeout.connect(self.update)
        self.store.subscribe(self._on_store_changed)
        self.viewport_changed.connect(self._on_viewport_changed)

    # ---- content

    def open(self, source: ImageSource | None, *, keep_view: bool = False) -> None:
        """Show a picture, fitted to the view; None shows no picture. See `PictureView.open`."""
        self.editor.set_picture(source.size if source is not None else (0, 0))
        super().open(source, keep_view=keep_view)

    def show_region(self, region_id: str) -> None:
        """Zoom to a region. An unknown id is ignored."""
        region = self.store.get(region_id)
        if region is not None:
            self._set_viewport(self._viewport.zoomed_to(region.rect), is_moving=False)

    def ensure_visible(self, region_id: str) -> None:
        """Centre a region without zooming, unless a part of it is visible."""
        region = self.store.get(region_id)
        if region is not None and region.rect.intersection(self._viewport.visible).is_empty:
            rect = region.rect
            self._set_viewport(
                self._viewport.centred(rect.x + rect.w / 2, rect.y + rect.h / 2), is_moving=False
            )

    @property
    def regions_shown(self) -> bool:
        """Whether regions are painted."""
        return self._region_layer.show_regions

    def show_regions(self, visible: bool) -> None:
        """Show or hide all regions."""
        self._region_layer.show_regions = visible
        self.update()

    @property
    def labels_shown(self) -> bool:
        """Whether numbers and names are painted."""
        return self._region_layer.show_labels

    def show_labels(self, visible: bool) -> None:
        """Show or hide numbers and names."""
        self._region_layer.show_labels = self._finding_layer.show_labels = visible
        self.update()

    def set_findings(self, boxes: Iterable[FindingBox], mapping: Matrix | None = None) -> None:
        """Show these boxes. `mapping` (3 x 3) maps their px to px of this picture."""
        self._finding_layer.boxes = tuple(boxes)
        self._finding_layer.mapping = mapping
        self._update_soon()

    def set_areas(self, areas: Iterable[Rect], selected_index: int = -1) -> None:
        """Show these ignored areas (px) hatched and mark the one at `selected_index`; -1 marks none."""
        self._area_layer.areas, self._area_layer.selected_index = tuple(areas), selected_index
        self._update_soon()

    # ---- tools and commands

    def set_tool(self, tool: Tool) -> None:
        """Switch to another tool."""
        if tool is not self.editor.tool:
            self.editor.set_tool(tool)
            self._on_tool_changed()

    @property
    def _is_done_drawing(self) -> bool:
        """Whether the tool goes back to selecting after what it drew."""
        return self.editor.tool is Tool.AREA or (self.editor.tool is Tool.DRAW and not self.keeps_tool)

    def paste(self) -> None:
        """Add the regions from the clipboard, if there are any."""
        self.editor.paste(QGuiApplication.clipboard().text())

    def select_all(self) -> None:
        """Select every region that is not hidden."""
        self.store.select([region.id for region in self.store if not region.hidden])

    def move_by(self, dx: int, dy: int) -> None:
        """Move the selected regions by px. If none is selected, move the picture by that number of steps."""
        if self.store.selected_ids:
            self.editor.nudge(dx, dy)
        else:
            self._set_viewport(self._viewport.panned(-dx * _PAN_STEP, -dy * _PAN_STEP))

    def finish(self) -> None:
        """Complete what is being drawn. If there is nothing, zoom to the region that was selected last."""
        drew = self.editor.finish()
        if drew and self._is_done_drawing:
            self.set_tool(Tool.SELECT)
        elif not drew and self.editor.tool is Tool.SELECT and self.store.selected_ids:
            self.show_region(self.store.selected_ids[-1])
        self.update()

    def cancel(self) -> None:
        """Cancel an unfinished action and switch to the select tool. If there is none, clear the
        selection."""
        if self.editor.busy or self.editor.tool is Tool.SELECT:
            self.editor.cancel()
        self.set_tool(Tool.SELECT)
        self.update()

    # ---- painting

    def _paint_overlay(self, painter: QPainter) -> None:
        """Paint regions, ignored areas, findings and the unfinished action."""
        draft, font, view = self.editor.draft, self.font(), self._viewport
        self._region_layer.paint(
            painter, view, self._colours, draft.moved_rects, font, handles=self.editor.editable
        )
        if self._region_layer.show_regions:
            self._area_layer.paint(painter, view, self._colours)
        self._finding_layer.paint(painter, view, self._colours, font, self._region_layer.chips)
        paint_draft(painter, view, draft, self._colours, font, self.mm_per_pixel)

    # ---- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Start panning, or pass the event to the tool."""
        super().mousePressEvent(event)
        if event.button() is _LEFT and (self._space_held or self.editor.tool is Tool.PAN):
            self._pan_position = event.position()
        elif event.button() is _LEFT and self._source is not None:
            self.editor.press(self._pointer_at(event))
            self.update()
        self._show_cursor(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan, or pass the event to the tool."""
        if self._pan_position is None and self._source is not None:
            pressed = bool(event.buttons() & _LEFT)
            self.editor.move(self._pointer_at(event), pressed)
            if pressed or self.editor.busy:
                self.update()
        super().mouseMoveEvent(event)
        self._show_cursor(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End panning, or pass the event to the tool."""
        if self._pan_position is None and event.button() is _LEFT and self._source is not None:
            if self.editor.release(self._pointer_at(event)) and self._is_done_drawing:
                self.set_tool(Tool.SELECT)
            self.update()
        super().mouseReleaseEvent(event)
        self._show_cursor(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Emit `region_activated` for a region below the pointer."""
        x, y = self._viewport.to_image(event.position().x(), event.position().y())
        hits = self.store.hits(x, y)
        if event.button() is _LEFT and self.editor.tool is Tool.SELECT and hits:
            self.region_activated.emit(hits[0].id)
        else:
            self.mousePressEvent(event)

    def enterEvent(self, _event: QEnterEvent) -> None:
        """Show the cursor of the tool."""
        self.setCursor(self._tool_cursor())

    def event(self, event: QEvent) -> bool:
        """Show as a tooltip why a box is not a finding."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            position = event.pos()
            show_reason(
                self, event, self._finding_layer.reason_at(position.x(), position.y(), self._viewport)
            )
            return True
        return super().event(event)

    # ---- keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pan while Space is held. All other keys belong to commands."""
        if event.key() == Qt.Key.Key_Space:
            if not event.isAutoRepeat():
                self._space_held = True
                self.setCursor(Qt.CursorShape.OpenHandCursor)
        else:
            event.ignore()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """End panning when Space is released."""
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space_held = False
            self.setCursor(self._tool_cursor())
        else:
            event.ignore()

    def focusOutEvent(self, _event: QFocusEvent) -> None:
        """End panning, because the release of a key is not reported without the focus."""
        self._space_held = False
        self._pan_position = None
        self.update()

    # ---- private

    def _on_viewport_changed(self, viewport: Viewport) -> None:
        self.editor.set_scale(viewport.scale)

    def _on_store_changed(self, event: StoreEvent) -> None:
        if event.selection:
            self.selection_changed.emit(self.store.selected_ids)
        if not event.only_states:
            self.regions_changed.emit()
        self._update_soon()

    def _update_soon(self) -> None:
        """Repaint. With many regions, repaint in a later turn of the event loop."""
        if len(self.store) > BATCH_THRESHOLD:
            self._update_timer.start()
        else:
            self.update()

    def _pointer_at(self, event: QMouseEvent) -> Pointer:
        point = event.position()
        x, y = self._viewport.to_image(point.x(), point.y())
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        ctrl = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        return Pointer(x, y, point.x(), point.y(), shift, ctrl)

    def _on_tool_changed(self) -> None:
        self.setCursor(self._tool_cursor())
        self.tool_changed.emit(self.editor.tool)
        self.update()

    def _tool_cursor(self) -> QCursor:
        shapes = {
            Tool.SELECT: Qt.CursorShape.ArrowCursor,
            Tool.PAN: Qt.CursorShape.OpenHandCursor,
            Tool.DRAW: Qt.CursorShape.CrossCursor,
            Tool.RULER: Qt.CursorShape.CrossCursor,
            Tool.AREA: Qt.CursorShape.CrossCursor,
        }
        return QCursor(shapes[self.editor.tool])

    def _show_cursor(self, event: QMouseEvent) -> None:
        if self._pan_position is not None:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif self._space_held:
            self.setCursor(Qt.CursorShape.OpenHandCursor)
        elif self.editor.tool is Tool.SELECT and not event.buttons() & _LEFT:
            hover = self.editor.hover(self._pointer_at(event))
            if not self.editor.editable:
                self.setCursor(Qt.CursorShape.ArrowCursor)
            elif hover.handle is not None:
                self.setCursor(_RESIZE_CURSORS[hover.handle])
            else:
                self.setCursor(Qt.CursorShape.SizeAllCursor if hover.movable else Qt.CursorShape.ArrowCursor)


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
