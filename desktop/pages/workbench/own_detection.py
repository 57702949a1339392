"""Edits the detection settings of the selected item, with ignored areas on the canvas."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from desktop.canvas.tools import Tool
from desktop.canvas.view import CanvasView
from desktop.pages.workbench.bench import Bench
from desktop.pages.workbench.own_settings import OwnSettings, area_of, own_settings, pixels, with_settings
from desktop.pages.workbench.own_settings_box import OwnSettingsBox
from desktop.pages.workbench.words import Change
from shared.geometry import Rect
from shared.wire.detection import DetectionModel


class OwnDetection(QObject):
    """Between the box in the item's fields, the canvas and the journal."""

    said = Signal(str)
    """Something to tell the person."""

    def __init__(self, bench: Bench, box: OwnSettingsBox, view: CanvasView, parent: QObject) -> None:
        super().__init__(parent)
        self._bench, self._box, self._view = bench, box, view
        self._chosen = -1
        self._item_id = ""
        box.changed.connect(self._change)
        box.areaWanted.connect(self.draw)
        box.areaChosen.connect(self._choose)
        view.areaDrawn.connect(self._drawn)
        bench.changed.connect(self.show)
        bench.currentChanged.connect(self.show)

    def show(self) -> None:
        """Show the settings of the chosen item, its ignored areas on the canvas as well."""
        item = self._bench.item
        if self._bench.current != self._item_id:
            self._item_id, self._chosen = self._bench.current, -1
        own = own_settings(item.item_point if item is not None else None)
        areas = pixels(own.ignored, self._bench.link.size)
        self._box.show_settings(own, self._model(), areas, self._bench.mm_per_pixel)
        self._view.set_areas(areas if self._model() is not None else (), self._chosen)

    def align(self, file_id: str, homography: list[list[float]] | None) -> bool:
        """Let detection look at a photo as the person laid it on the reference image; None: as it finds it.

        `homography` brings px of the reference image to px of the photo. False when it cannot be saved.
        """
        item = self._bench.item
        if item is None or not file_id or not self._bench.editable:
            return False
        given = None if homography is None else {"photo_file_id": file_id, "homography": homography}
        self._write(Change.ALIGN, replace(own_settings(item.item_point), alignment=given, known=True), "")
        return True

    def draw(self) -> None:
        """Let the person draw an area inside the region of the chosen item."""
        item = self._bench.item
        if item is None or self._model() is None or not self._bench.editable:
            return
        if self._region() is None:
            self.said.emit(self.tr("This item has no region. Draw one first."))
            return
        self._view.ensure_visible(item.item_id)
        self._view.set_tool(Tool.AREA)
        self._view.setFocus()

    def _drawn(self, rect: Rect) -> None:
        item, region = self._bench.item, self._region()
        if item is None or region is None or self._model() is None:
            return
        area = area_of(rect, region, self._bench.link.size)
        if area is None:
            self.said.emit(
                self.tr("Cannot add an ignored area outside the item's region. Draw it inside the region.")
            )
            return
        own = own_settings(item.item_point)
        self._write(Change.IGNORE, replace(own, ignored=(*own.ignored, area), known=True), "")

    def _change(self, own: OwnSettings) -> None:
        item = self._bench.item
        if item is None:
            return
        now = own_settings(item.item_point)
        areas = now.ignored != own.ignored
        # A slider that moves is one step; each area is one of its own.
        self._write(
            Change.IGNORE if areas else Change.DETECTION, own, "" if areas else f"detection {item.item_id}"
        )

    def _write(self, label: Change, own: OwnSettings, merge_key: str) -> None:
        bench = self._bench
        if bench.document is None or bench.item is None or not bench.editable:
            return
        self._chosen = -1
        point = with_settings(bench.item.item_point, own)
        edit = bench.document.change(bench.current, label, {"item_point": point})
        bench.edits.do(edit, merge_key=merge_key or None)

    def _choose(self, place: int) -> None:
        self._chosen = place
        self.show()
        if place >= 0:
            self._view.ensure_visible(self._bench.current)

    def _model(self) -> DetectionModel | None:
        item = self._bench.item
        wanted = item.model_id if item is not None else None
        return next((model for model in self._bench.models if model.model_id == wanted), None)

    def _region(self) -> Rect | None:
        item, size = self._bench.item, self._bench.link.size
        return item.region(*size) if item is not None and size[0] > 0 else None
