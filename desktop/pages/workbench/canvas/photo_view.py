"""Shows the photo of the selected item in place of the reference image, at the same place and zoom."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QObject, Qt, QTimer, Signal

from desktop.background.repaint import repaint_later
from desktop.background.workers import Lane, Task, run
from desktop.canvas.layers.finding_layer import FindingBox, Matrix, map_corners
from desktop.canvas.model.viewport import Viewport
from desktop.canvas.tools.tool_machine import Tool
from desktop.canvas.views.canvas_view import CanvasView
from desktop.imaging import ImageError
from desktop.imaging.sources.cut import map_rect
from desktop.imaging.sources.source import ImageSource
from desktop.messages.error_messages import sentence
from desktop.pages.workbench.bars import ToolStrip
from desktop.pages.workbench.canvas.comparing import CompareController
from desktop.pages.workbench.canvas.finding_editing import FindingEditController, NeighbourFindings
from desktop.pages.workbench.canvas.photo_canvas import (
    ImagePoint,
    PhotoCanvas,
    PictureSwitch,
    anchor_of,
    is_same_photo,
    mapped_viewport,
    matrix_at,
)
from desktop.pages.workbench.photos.photo_box import no_photo_text
from desktop.pages.workbench.photos.photo_files import PhotoRef
from desktop.pages.workbench.photos.photo_pair import PhotoPairController
from desktop.pages.workbench.results.correcting import CorrectionBar, CorrectionController
from desktop.pages.workbench.results.explained import explained_boxes
from desktop.pages.workbench.results.findings import FindingsBox
from desktop.record.loading import fetch_photo
from desktop.record.open_record import OpenRecord
from shared.record.entries import EntryAppearance
from shared.record.geometry import Rect
from shared.record.suppression import SuppressedFinding

_GATHER_MS = 60
_SHARE = 0.9
"""The share that the region of an item fills of the view below the tools and beside the minimap."""
_TINY = 3
"""A region is tiny if zooming to it enlarges it more than this."""


class PhotoView(QObject):
    """Switches the canvas between the reference image and the photo of the chosen item.

    The photo is read only while it is shown, in tiles like a reference image.
    """

    notice = Signal(str)
    """Why the photo cannot be shown, or nothing drawn on it."""

    def __init__(
        self,
        open_record: OpenRecord,
        photos: PhotoPairController,
        comparing: CompareController,
        correcting: CorrectionController,
        findings: tuple[FindingsBox, CorrectionBar],
        canvases: tuple[CanvasView, PhotoCanvas],
        strip: ToolStrip,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._open_record, self._photos, self._comparing = open_record, photos, comparing
        self._correcting, self._strip = correcting, strip
        self._box, self._bar = findings
        self._reference, self.canvas = canvases
        self._neighbours = NeighbourFindings()
        commands = open_record.context.commands
        self.editing = FindingEditController(
            open_record, correcting, self._box, self.canvas, self._region, self
        )
        self.switch = PictureSwitch(commands)
        strip.add(self.switch)
        self._fetching: Task | None = None
        self._ref: PhotoRef | None = None
        """The photo that is on the canvas, or on its way."""
        self._item_id = ""
        self._from: tuple[Viewport, ImagePoint] | None = None
        """The viewport of the reference image, and the anchor in it, when the photo was requested."""
        self._explained: Sequence[SuppressedFinding] = ()
        self._around: Sequence[FindingBox] = ()
        self._together: tuple[Viewport, Viewport] | None = None
        """The viewports of reference image and photo that show the same place."""
        self._soon = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._soon.timeout.connect(self._fetch)
        self._connect()

    def _connect(self) -> None:
        self.switch.chosen.connect(self.show)
        self._photos.photo_changed.connect(self._on_photo_changed)
        record = self._open_record
        for shown in (record.items_changed, record.regions_changed, record.results_changed):
            shown.connect(self._show_neighbours)
        record.regions_changed.connect(self._show_awaited_place)
        self._comparing.changed.connect(self._show_front)
        self._strip.tool_picked.connect(self.use_tool)
        self._bar.draw_toggled.connect(self._on_draw_toggled)
        self.canvas.edit_refused.connect(self._open_record.may_edit)
        self.canvas.tool_changed.connect(self._on_tool_changed)
        self.canvas.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.canvas.customContextMenuRequested.connect(self.editing.menu)

    @property
    def is_on(self) -> bool:
        """Whether the photo replaces the reference image, also while both are compared."""
        return self._comparing.front is self.canvas

    # -- which picture is in front

    def toggle(self) -> None:
        """Show the other of the two pictures."""
        self.show(not self.is_on)

    def show(self, on: bool, *, on_item: bool = False) -> None:
        """Show the photo, or the reference image again. A notice is shown if there is no photo.

        `on_item`: show the region of the chosen item, not the place that the other picture showed, and leave
        the focus where it is.
        """
        if on and self._open_record.link.file is None:
            self._show_front()
            self.notice.emit(self.tr("Select a reference image first."))
            return
        if on and self._photos.ref is None:
            self._show_front()
            self.notice.emit(no_photo_text(self._open_record.editable))
            return
        if on is self.is_on:
            self._comparing.picture(focus=not on_item)
            return
        viewport = self._comparing.front.viewport
        anchor = anchor_of(self._comparing.front)
        self._correcting.cancel()
        self._comparing.put_in_front(self.canvas if on else self._reference, focus=not on_item)
        if on:
            self._from = None if on_item else (viewport, anchor)
            self._show_photo()
            if on_item and self.canvas.source is not None:
                self.show_item(self._open_record.current)
            self.show_findings(pan=False)
        else:
            self._from = None
            if on_item:
                self._reference.ensure_visible(self._open_record.current)
            else:
                self._show_reference_place(viewport, anchor)
        self._show_draw()

    def reset(self) -> None:
        """Reset the view for another record, which begins with its reference image."""
        self._stop()
        self._comparing.front = self._reference
        self._neighbours.clear()
        self._together = self._from = None
        self._item_id = ""
        self._show_front()

    def show_item(self, item_id: str) -> None:
        """Zoom to the region of an item in the front picture."""
        rect = self._region()
        if not self.is_on:
            self._reference.show_region(item_id)
        elif rect is not None and self.canvas.source is not None:
            self.canvas.show_viewport(self._zoomed_to(rect))
        else:
            self.canvas.fit()

    def show_findings(self, *, pan: bool = True) -> None:
        """Show the listed findings of the chosen item. With `pan`, a newly chosen one is made visible."""
        if self.is_on:
            self._comparing.keep_front()
            self.editing.show(is_of_item=self._photos.of_item and self.canvas.source is not None, pan=pan)
            self._show_neighbours()

    def show_explained(self, explained: Sequence[SuppressedFinding]) -> None:
        """Show the explained differences beside the findings of the chosen item's photo."""
        self._explained = explained
        self._show_boxes()

    def show_heat(self, appearance: EntryAppearance | None) -> None:
        """Have the heat of the chosen item's photo ready for `toggle_heat`."""
        self.canvas.heat.set_appearance(appearance if self._photos.of_item else None)
        self.canvas.update()

    def toggle_heat(self) -> None:
        """Show the heat on the photo, or hide it."""
        heat = self.canvas.heat
        heat.is_shown = not (heat.is_shown and self.is_on)
        if heat.is_shown:
            self.show(True)
        if heat.is_shown and self.is_on and not heat.has_heat:
            self.notice.emit(self.tr("This photo was not compared by its appearance, so it has no heat map."))
        self.canvas.update()

    def _show_boxes(self) -> None:
        explained = self._explained if self._photos.of_item and self.canvas.source is not None else ()
        self.editing.explained = explained
        self.canvas.set_findings((*self._around, *explained_boxes(explained)))

    def _on_neighbours_read(self, boxes: Sequence[FindingBox]) -> None:
        self._around = boxes
        self._show_boxes()

    def _show_front(self) -> None:
        """Update the controls for the front picture. Findings can be edited on the photo."""
        photo_in_front = self.is_on and not self._comparing.is_on
        self.switch.show_picture(None if self._comparing.is_on else self.is_on)
        self._strip.name_drawing(self.tr("Draw finding") if self.is_on else "")
        self._correcting.on_canvas = photo_in_front
        self._correcting.labelling = self.editing if photo_in_front else self._box.list
        if photo_in_front:
            self.show_findings(pan=False)
        else:
            self._correcting.selected = ()

    def use_tool(self, tool: Tool) -> None:
        """Activate a tool on the picture in front. A notice is shown if it cannot be used there."""
        refused = self._refusal_text(tool)
        if not refused:
            self._comparing.use_tool(tool)
            return
        self._strip.show_tool(None if self._comparing.is_on else self._comparing.front.editor.tool)
        self.notice.emit(refused)

    def _refusal_text(self, tool: Tool) -> str:
        """Why a tool cannot be used on the front picture; empty if it can."""
        if not self.is_on or tool is not Tool.DRAW or (self._photos.of_item and self._correcting.can_correct):
            return ""
        return self.tr("Run detection on this photo first. You can then draw and correct findings here.")

    def _on_draw_toggled(self, on: bool) -> None:
        if self.is_on and not self._comparing.is_on:
            self.canvas.set_tool(Tool.DRAW if on else Tool.SELECT)
            if on:
                self.canvas.setFocus()

    def _on_tool_changed(self, tool: Tool) -> None:
        self._show_draw()
        if self.is_on:
            self._bar.draw.setChecked(tool is Tool.DRAW)

    def _show_draw(self) -> None:
        self._correcting.show(self._photos.finding_pair)

    # -- the photo

    def _on_photo_changed(self) -> None:
        if self.is_on:
            self._show_photo()
            self.show_findings()
        elif not is_same_photo(self._ref, self._photos.ref):
            self._stop()

    def _show_photo(self) -> None:
        """Show the present photo. A loaded photo is not read again."""
        ref, canvas = self._photos.ref, self.canvas
        if ref is None:
            self._stop()
            canvas.show_message(no_photo_text(self._open_record.editable))
        elif not is_same_photo(ref, self._ref):
            self._stop()
            self._ref = ref
            canvas.show_message(self.tr("Opening photo…"))
            # Holding the key for the next item passes many items that are not looked at.
            self._soon.start()
        elif canvas.source is not None:
            self._show_place()
        self._show_neighbours()

    def _stop(self) -> None:
        """Release the photo and stop reading it."""
        self._soon.stop()
        self._neighbours.stop()
        if self._fetching is not None:
            self._fetching.cancel()
        self._fetching = None
        self._ref = self._together = None
        self._item_id = ""
        self.canvas.store.replace(())
        self._around = ()
        self.canvas.set_findings(())
        self.canvas.set_outline(())
        self.canvas.show_message("")
        if self.canvas.source is not None:
            self.canvas.open(None)

    def _fetch(self) -> None:
        ref = self._ref
        if ref is None:
            return
        self._fetching = run(
            fetch_photo,
            self._open_record.context.session,
            ref.content_id,
            ref.file_id,
            ref.url,
            owner=self,
            progress=self._on_fetch_progress,
            done=self._on_fetched,
            failed=self._on_fetch_failed,
            lane=Lane.LONG,
        )

    def _on_fetch_progress(self, share: float) -> None:
        self.canvas.show_message(self.tr("Downloading photo… {n}%").format(n=round(share * 100)))

    def _on_fetched(self, source: ImageSource) -> None:
        self._fetching = None
        repaint_later(self.canvas)
        self.canvas.show_message("")
        self.canvas.open(source)
        self._show_place(fresh=True)
        self.show_findings(pan=False)

    def _on_fetch_failed(self, error: Exception) -> None:
        self._fetching = self._ref = None
        self.canvas.show_message(str(error) if isinstance(error, ImageError) else sentence(error))

    # -- viewports

    def _show_place(self, *, fresh: bool = False) -> None:
        """Show the place that the reference image showed; for another item or photo, the region."""
        origin, self._from = self._from, None
        reference, canvas, matrix = self._reference.viewport, self.canvas, self._matrix()
        # A photo that arrives before its reference image is fitted until the region is known.
        waits = not self._item_id and canvas.viewport.is_fitted
        other = self._item_id != self._open_record.current
        self._item_id = "" if self._region() is None else self._open_record.current
        if other or fresh:
            self._together = None
        if origin is not None and self._together == (reference, canvas.viewport):
            return
        now = None
        if origin is not None and matrix is not None:
            now = mapped_viewport(origin[0], canvas.viewport, matrix, origin[1])
        if now is not None:
            canvas.show_viewport(now)
            self._together = (reference, canvas.viewport)
        elif origin is not None or fresh or waits or (other and not self._sees_region()):
            self.show_item(self._open_record.current)

    def _show_awaited_place(self) -> None:
        """Zoom to the region of the chosen item when the reference image arrives after the photo."""
        if self.is_on and self.canvas.source is not None and not self._item_id:
            self._show_place()

    def _show_reference_place(self, photo_viewport: Viewport, anchor: ImagePoint) -> None:
        """Show the place that the photo showed. If the photo was not moved, nothing changes."""
        reference, matrix = self._reference, self._matrix()
        if (
            self._together == (reference.viewport, photo_viewport)
            or matrix is None
            or self.canvas.source is None
        ):
            return
        now = mapped_viewport(
            photo_viewport, reference.viewport, np.linalg.inv(matrix).astype(np.float64), anchor
        )
        if now is None:
            reference.ensure_visible(self._open_record.current)
        else:
            middle = now.to_image(now.width / 2, now.height / 2)
            reference.set_viewport(now.scale, *middle)
            self._together = (reference.viewport, photo_viewport)

    def _matrix(self) -> Matrix | None:
        return matrix_at(self._photos.mapping, self._reference_region())

    def _reference_region(self) -> Rect | None:
        item, source = self._open_record.item, self._open_record.source
        return item.region(*source.size) if item is not None and source is not None else None

    def _region(self) -> Rect | None:
        """The region of the chosen item in px of the photo; None if it is unknown."""
        rect, matrix = self._reference_region(), self._matrix()
        return None if rect is None or matrix is None else map_rect(rect, matrix)

    def _sees_region(self) -> bool:
        """Whether the whole region is visible and not tiny, or its place is unknown."""
        rect, view = self._region(), self.canvas.viewport
        return rect is None or (
            rect.intersection(view.visible) == rect and self._zoomed_to(rect).scale <= _TINY * view.scale
        )

    def _zoomed_to(self, rect: Rect) -> Viewport:
        """The viewport in which nothing covers `rect` (px of the photo)."""
        room, top = self.canvas.room, self._strip.geometry().bottom()
        room = Rect(room.x, top, room.w, max(room.h - top, 1))
        return self.canvas.viewport.zoomed_to(rect, _SHARE, room)

    def _show_neighbours(self) -> None:
        """Show the outline of the region and the findings of other items on the photo."""
        document = self._open_record.document
        if not self.is_on or document is None or self.canvas.source is None:
            return
        rect, matrix = self._reference_region(), self._matrix()
        is_visible = rect is not None and matrix is not None and map_rect(rect, matrix) is not None
        self.canvas.set_outline(map_corners(rect, matrix) if rect is not None and is_visible else ())
        content_id = self._photos.ref.content_id if self._photos.ref is not None else None
        self._neighbours.read(
            (list(document.items), self._open_record.current, content_id, self._box.threshold),
            owner=self,
            done=self._on_neighbours_read,
        )
