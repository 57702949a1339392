"""Edits the detection settings of the selected item, with ignored areas on the canvas."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from desktop.canvas.tools.tool_machine import Tool
from desktop.canvas.views.canvas_view import CanvasView
from desktop.pages.workbench.items.detection_settings_box import DetectionSettingsBox
from desktop.record.detection_settings import (
    ItemDetectionSettings,
    area_of,
    item_detection_settings,
    pixels,
    with_settings,
)
from desktop.record.edit_names import EditName
from desktop.record.open_record import OpenRecord
from shared.record.geometry import Rect
from shared.wire.detection import DetectionModel


class DetectionSettingsController(QObject):
    """Connects the settings box, the canvas and the journal."""

    notice = Signal(str)
    """A message for the user."""

    def __init__(
        self, open_record: OpenRecord, box: DetectionSettingsBox, view: CanvasView, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._open_record, self._box, self._view = open_record, box, view
        self._chosen_area = -1
        self._item_id = ""
        box.changed.connect(self._on_settings_changed)
        box.use_for_all_wanted.connect(self.use_for_all)
        box.area_wanted.connect(self.draw)
        box.area_chosen.connect(self._on_area_chosen)
        view.area_drawn.connect(self._on_area_drawn)
        open_record.fields_changed.connect(self.show)
        open_record.regions_changed.connect(self.show)
        open_record.current_changed.connect(self.show)

    def show(self) -> None:
        """Show the settings of the chosen item, and its ignored areas on the canvas."""
        item = self._open_record.item
        if self._open_record.current != self._item_id:
            self._item_id, self._chosen_area = self._open_record.current, -1
        settings = item_detection_settings(item.item_point if item is not None else None)
        areas = pixels(settings.ignored, self._open_record.link.size)
        has_others = len(self._open_record.rows) > 1
        self._box.show_settings(settings, self._model(), areas, self._open_record.mm_per_pixel, has_others)
        self._view.set_areas(areas if self._model() is not None else (), self._chosen_area)

    def align(self, file_id: str, homography: list[list[float]] | None) -> bool:
        """Set the user's alignment of a photo for detection; None removes it. Returns False when it cannot be
        saved.

        `homography` maps px of the reference image to px of the photo.
        """
        item = self._open_record.item
        if item is None or not file_id or not self._open_record.editable:
            return False
        alignment = None if homography is None else {"photo_file_id": file_id, "homography": homography}
        self._write(
            EditName.ALIGN,
            replace(item_detection_settings(item.item_point), alignment=alignment, readable=True),
            "",
        )
        return True

    def use_for_all(self) -> None:
        """Give the other items with the same model these settings, as one step; they keep their own areas."""
        item, document = self._open_record.item, self._open_record.document
        if item is None or document is None or not self._open_record.may_edit():
            return
        wanted, edits = item_detection_settings(item.item_point), []
        for other in document.items:
            before = item_detection_settings(other.item_point)
            settings = replace(
                before,
                sensitivity=wanted.sensitivity,
                smallest=wanted.smallest,
                place=wanted.place,
                readable=True,
            )
            if other.model_id == item.model_id and settings != before:
                fields = {"item_point": with_settings(other.item_point, settings)}
                edits.append(document.change(other.item_id, EditName.DETECTION, fields))
        self._open_record.edits.do(*edits)
        self.notice.emit(self.tr("%n item(s) changed.", "", len(edits)))

    def draw(self) -> None:
        """Let the user draw an ignored area inside the region of the chosen item."""
        item = self._open_record.item
        if item is None or self._model() is None or not self._open_record.editable:
            return
        if self._region() is None:
            self.notice.emit(self.tr("This item has no region. Draw one first."))
            return
        self._view.ensure_visible(item.item_id)
        self._view.set_tool(Tool.AREA)
        self._view.setFocus()

    def _on_area_drawn(self, rect: Rect) -> None:
        item, region = self._open_record.item, self._region()
        if item is None or region is None or self._model() is None:
            return
        area = area_of(rect, region, self._open_record.link.size)
        if area is None:
            self.notice.emit(
                self.tr("Cannot add an ignored area outside the item's region. Draw it inside the region.")
            )
            return
        settings = item_detection_settings(item.item_point)
        self._write(EditName.IGNORE, replace(settings, ignored=(*settings.ignored, area), readable=True), "")

    def _on_settings_changed(self, settings: ItemDetectionSettings) -> None:
        item = self._open_record.item
        if item is None:
            return
        now = item_detection_settings(item.item_point)
        areas = now.ignored != settings.ignored
        # A slider move is one step; each area is a step of its own.
        self._write(
            EditName.IGNORE if areas else EditName.DETECTION,
            settings,
            "" if areas else f"detection {item.item_id}",
        )

    def _write(self, label: EditName, settings: ItemDetectionSettings, merge_key: str) -> None:
        open_record = self._open_record
        if open_record.document is None or open_record.item is None or not open_record.editable:
            return
        self._chosen_area = -1
        point = with_settings(open_record.item.item_point, settings)
        edit = open_record.document.change(open_record.current, label, {"item_point": point})
        open_record.edits.do(edit, merge_key=merge_key or None)

    def _on_area_chosen(self, place: int) -> None:
        self._chosen_area = place
        self.show()
        if place >= 0:
            self._view.ensure_visible(self._open_record.current)

    def _model(self) -> DetectionModel | None:
        item = self._open_record.item
        wanted = item.model_id if item is not None else None
        return next((model for model in self._open_record.models if model.model_id == wanted), None)

    def _region(self) -> Rect | None:
        item, size = self._open_record.item, self._open_record.link.size
        return item.region(*size) if item is not None and size[0] > 0 else None
