"""Shows a photo on a canvas, with findings as regions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Signal
from PySide6.QtGui import QColor, QCursor, QPainter
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QWidget

from desktop.canvas.layers.chips import CHIP_HEIGHT, chip_font, draw_chip
from desktop.canvas.layers.draft_layer import paint_draft
from desktop.canvas.layers.finding_layer import Matrix, draw_dashed_outline
from desktop.canvas.layers.image_layer import HeatLayer
from desktop.canvas.model.viewport import MAX_SCALE, Viewport
from desktop.canvas.tools.tool_machine import Tool
from desktop.canvas.views.canvas_view import CanvasView
from desktop.commands.bindings import Commands
from desktop.pages.workbench.photos.photo_files import PhotoRef
from desktop.pages.workbench.results.label_editor import LabelEditor
from desktop.widgets import Button, ButtonKind, escape_tooltip
from shared.record.geometry import Rect

_EDITOR_PX = 190


class PhotoCanvas(CanvasView):
    """A photo with the findings of one item, which can be edited.

    `store` contains these findings, `set_findings` shows those of other items. Enter and a double click on a
    finding emit `region_activated` to request its label.
    """

    not_moved = Signal()
    """An arrow key was pressed while no finding is selected and the whole photo is visible."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("canvas-photo")
        self.setAccessibleName(self.tr("Photo with findings"))
        self._region_layer.full_names = True
        self.heat = HeatLayer()
        self._outline: tuple[tuple[float, float], ...] = ()
        self._marks: tuple[tuple[int, float, float], ...] = ()
        self._pointed: tuple[float, float] | None = None
        self.cursor_moved.connect(self._on_cursor_moved)

    def _on_cursor_moved(self, place: tuple[float, float] | None) -> None:
        self._pointed = place or self._pointed

    def pointed_place(self) -> tuple[float, float] | None:
        """The place on the photo where the pointer was last, in fractions (0..1); None outside of it."""
        if self._pointed is None or self.source is None:
            return None
        width, height = self.source.size
        x, y = self._pointed[0] / width, self._pointed[1] / height
        return (x, y) if 0 <= x <= 1 and 0 <= y <= 1 else None

    def set_marks(self, marks: Sequence[tuple[int, float, float]]) -> None:
        """Show the numbers of comments at these places, in fractions (0..1) of the photo."""
        self._marks = tuple(marks)
        self.update()

    def set_outline(self, corners: Sequence[tuple[float, float]]) -> None:
        """Show the outline of the item's region by its corners in px of the photo; an empty sequence hides
        it."""
        self._outline = tuple(corners)
        self.update()

    def show_viewport(self, viewport: Viewport) -> None:
        """Show just this part of the photo."""
        self._set_viewport(viewport, is_moving=False)

    def move_by(self, dx: int, dy: int) -> None:
        before, is_finding = self.viewport, bool(self.store.selected_ids)
        super().move_by(dx, dy)
        if not is_finding and before.is_fitted and self.viewport == before:
            self.not_moved.emit()

    def finish(self) -> None:
        """Complete what is being drawn, or else edit the label of the selected finding."""
        idle = self.editor.tool is Tool.SELECT and not self.editor.busy
        if idle and self.store.selected_ids:
            self.region_activated.emit(self.store.selected_ids[-1])
        else:
            super().finish()

    def edit_label(self, region_id: str, labels: Sequence[str], current: str) -> LabelEditor | None:
        """Open a field for the label at a finding. Returns None when the finding is not visible."""
        region = self.store.get(region_id)
        if region is None:
            return None
        self.ensure_visible(region_id)
        editor = LabelEditor(labels, current, self)
        size = QSize(_EDITOR_PX, editor.sizeHint().height())
        editor.resize(size)
        editor.move(self._beside(self._viewport.rect_to_view(region.rect), size))
        editor.left.connect(self.setFocus)
        editor.show()
        editor.setFocus()
        return editor

    def _beside(self, box: Rect, size: QSize) -> QPoint:
        """The position for a field of this size that covers a finding least: below it, or above it if there
        is no room."""
        below = box.bottom + 6
        top = below if below + size.height() <= self.height() else box.y - size.height() - 6
        left = min(max(box.x, 0), self.width() - size.width())
        return QPointF(left, min(max(top, 0), self.height() - size.height())).toPoint()

    def _paint_overlay(self, painter: QPainter) -> None:
        """Paint heat, the outline of the region, findings of other items, then those of this item."""
        draft, font, view = self.editor.draft, self.font(), self._viewport
        self.heat.paint(painter, view)
        if self._region_layer.show_regions:
            if self._outline:
                corners = [view.to_view(x, y) for x, y in self._outline]
                draw_dashed_outline(painter, corners, QColor(self._colours.accent))
            self._finding_layer.paint(painter, view, self._colours, font)
        self._region_layer.paint(painter, view, self._colours, draft.moved_rects, font)
        paint_draft(painter, view, draft, self._colours, font, self.mm_per_pixel)
        self._paint_marks(painter)

    def _paint_marks(self, painter: QPainter) -> None:
        if self.source is None:
            return
        width, height = self.source.size
        painter.save()
        painter.setFont(chip_font(self.font()))
        for number, x, y in self._marks:
            left, top = self._viewport.to_view(x * width, y * height)
            size = painter.fontMetrics().horizontalAdvance(str(number)) + 14
            box = QRectF(left - size / 2, top - CHIP_HEIGHT / 2, size, CHIP_HEIGHT)
            draw_chip(painter, box, str(number), QColor(self._colours.accent))
        painter.restore()


ImagePoint = tuple[float, float]


def mapped_point(mapping: Matrix, x: float, y: float) -> ImagePoint | None:
    """Map a point by a 3 x 3 homography; None where its third row is not positive."""
    u, v, w = mapping @ np.array([x, y, 1.0])
    return (float(u / w), float(v / w)) if w > 1e-9 else None


def mapped_viewport(source: Viewport, onto: Viewport, mapping: Matrix, anchor: ImagePoint) -> Viewport | None:
    """`onto` moved so that what `source` shows at `anchor` (view px) is there as well, and as large.

    `mapping` (3 x 3) brings px of the picture of `source` to px of that of `onto`. A picture that would be
    smaller than its view is fitted. None when the place is not in the other picture.
    """
    x, y = source.to_image(*anchor)
    place = mapped_point(mapping, x, y)
    beside = mapped_point(mapping, x + 1, y), mapped_point(mapping, x, y + 1)
    if place is None or beside[0] is None or beside[1] is None:
        return None
    inside = 0 <= place[0] <= onto.image_width and 0 <= place[1] <= onto.image_height
    across, down = np.subtract(beside[0], place), np.subtract(beside[1], place)
    larger = float(np.sqrt(abs(across[0] * down[1] - across[1] * down[0])))
    if not inside or larger < 1e-9:
        return None
    scale = min(source.scale / larger, MAX_SCALE)
    if scale <= onto.fit_scale:
        return onto.fit()
    left, top = anchor[0] - place[0] * scale, anchor[1] - place[1] * scale
    return replace(onto, scale=scale, left=left, top=top).bounded()


class PictureSwitch(QWidget):
    """Buttons for reference image and photo. While both are compared, neither is marked."""

    chosen = Signal(bool)
    """Emits True for the photo, False for the reference image."""

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.reference = Button(self.tr("Reference"), kind=ButtonKind.TOOL)
        self.reference.setObjectName("show-reference")
        self.photo = Button(self.tr("Photo"), kind=ButtonKind.TOOL)
        self.photo.setObjectName("show-photo")
        self._group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        for button, photo in ((self.reference, False), (self.photo, True)):
            button.setCheckable(True)
            button.setToolTip(escape_tooltip(commands.tooltip("view.photo")))
            button.clicked.connect(lambda _checked=False, it=photo: self.chosen.emit(it))
            self._group.addButton(button)
            row.addWidget(button)
        self.show_picture(photo=False)

    def show_picture(self, photo: bool | None) -> None:
        """Mark the shown picture; None marks neither."""
        self._group.setExclusive(photo is not None)
        self.reference.setChecked(photo is False)
        self.photo.setChecked(photo is True)


def anchor_of(view: CanvasView) -> ImagePoint:
    """The point of a view to keep in place: the position of the pointer, or else the middle."""
    at: QPoint = view.mapFromGlobal(QCursor.pos())
    if view.underMouse() and view.rect().contains(at):
        return float(at.x()), float(at.y())
    return view.width() / 2, view.height() / 2


def matrix_at(mapping: Sequence[Sequence[float]] | None, region: Rect | None) -> Matrix | None:
    """The mapping from px of the reference image to px of the photo, whose third row is positive at a region.

    None if there is none or it has no inverse.
    """
    if mapping is None:
        return None
    matrix = np.array(mapping, np.float64)
    x, y = (0.0, 0.0) if region is None else (region.x + region.w / 2, region.y + region.h / 2)
    if abs(np.linalg.det(matrix)) < 1e-12:
        return None
    return -matrix if matrix[2] @ np.array([x, y, 1.0]) < 0 else matrix


def is_same_photo(first: PhotoRef | None, second: PhotoRef | None) -> bool:
    """True when both are the same photo, from a result or from the list of photos."""
    if first is None or second is None:
        return first is second
    return first == second or bool(first.content_id and first.content_id == second.content_id)
