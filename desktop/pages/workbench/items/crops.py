"""Crops the pictures of items in turns, from reference images and from photos."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QImage, QPixmap

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.client import Session
from desktop.client.http.errors import ClientError
from desktop.imaging import ImageError
from desktop.imaging.sources.cut import map_rect
from desktop.imaging.sources.source import ImageSource
from desktop.pages.workbench.items.items_model import THUMB_PX
from desktop.pages.workbench.items.items_panel import ItemsPanel
from desktop.record.document import ItemView
from desktop.record.item_rows import findings_of, shown_detection
from desktop.record.loading import fetch_file, fetch_photo, thumbnails
from desktop.record.open_record import OpenRecord
from desktop.record.region_link import ReferenceFile, item_file
from shared.record import results
from shared.record.geometry import Rect

_GATHER_MS = 60


class CropQueue(QObject):
    """Collects painted rows and creates their thumbnails, one batch at a time.

    A subclass starts a batch in `begin`, shows a thumbnail in `show`, and resets its state in `forget`.
    """

    lane: ClassVar[Lane] = Lane.LONG

    def __init__(self, open_record: OpenRecord, panel: ItemsPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._open_record, self._panel, self._items = open_record, panel, panel.model
        self._wanted_ids: dict[str, None] = {}
        self._task: Task | None = None
        self._soon = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._soon.timeout.connect(self._start_next)
        self._items.picture_wanted.connect(self._on_picture_wanted)

    def begin(self, item_ids: Iterable[str]) -> None:
        """Start creating the missing thumbnails of these rows, with `cut`."""

    def show(self, item_id: str, picture: QPixmap) -> None:
        """Show a thumbnail that was created."""

    def clear_pictures(self) -> None:
        """Drop all thumbnails."""

    def cut(self, function: Callable[..., None], todo: Any) -> None:
        """Run `function(report, session, todo, side)`, which reports (item id, QImage), off the GUI
        thread."""
        self._task = run(
            function,
            self._open_record.context.session,
            todo,
            round(THUMB_PX * self._panel.devicePixelRatioF()),
            owner=self,
            progress=self._show_result,
            done=lambda _: self._on_ended(),
            failed=lambda _: self._on_ended(),
            lane=self.lane,
            priority=-1,
        )

    def clear(self) -> None:
        """Drop all thumbnails, and cancel the running batch."""
        self._soon.stop()
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self._wanted_ids.clear()
        self.clear_pictures()

    def _on_picture_wanted(self, item_id: str) -> None:
        # Called while painting: only takes a note.
        self._wanted_ids[item_id] = None
        self._start_soon()

    def _start_soon(self) -> None:
        if self._wanted_ids and not self._soon.isActive() and (self._task is None or self._task.is_finished):
            self._soon.start()

    def _start_next(self) -> None:
        wanted, self._wanted_ids = self._wanted_ids, {}
        self.begin(wanted)

    def _show_result(self, result: tuple[str, QImage] | float) -> None:
        if not isinstance(result, float | int):
            self.show(result[0], QPixmap.fromImage(result[1]))

    def _on_ended(self) -> None:
        self._task = None
        self._start_soon()


class RegionCrops(CropQueue):
    """Crops the regions on the displayed picture for the rows that are painted, again when they change."""

    lane = Lane.SHORT

    def __init__(self, open_record: OpenRecord, panel: ItemsPanel, parent: QObject) -> None:
        super().__init__(open_record, panel, parent)
        self._store = open_record.link.store
        self.cropped: dict[str, Rect] = {}
        """The region of each item whose crop is listed or being created."""
        open_record.regions_changed.connect(self._on_regions_changed)
        # Their photos may have other findings.
        open_record.results_changed.connect(self._items.ask_for_pictures)

    def _on_regions_changed(self) -> None:
        for item_id, rect in list(self.cropped.items()):
            region = self._store.get(item_id)
            if region is None:
                del self.cropped[item_id]
            elif region.rect != rect:
                self._wanted_ids[item_id] = None
        self._items.ask_for_pictures()
        self._start_soon()

    def begin(self, item_ids: Iterable[str]) -> None:
        """Crop missing or outdated regions. They wait until the picture is open."""
        source = self._open_record.source
        if source is None:
            self._wanted_ids |= dict.fromkeys(item_ids)
            return
        regions = [region for region in map(self._store.get, item_ids) if region is not None]
        todo = {region.id: region.rect for region in regions if self.cropped.get(region.id) != region.rect}
        if todo:
            self.cropped |= todo
            self.cut(partial(_cut_regions, source), list(todo.items()))

    def show(self, item_id: str, picture: QPixmap) -> None:
        """Set the picture as the region's thumbnail in the list."""
        self._items.set_picture(item_id, picture)

    def clear_pictures(self) -> None:
        """Forget all of them, and those of the other queues."""
        self.cropped.clear()
        self._items.drop_pictures()


def _cut_regions(
    source: ImageSource, report: ProgressReport, _session: Session, todo: list[tuple[str, Rect]], side: int
) -> None:
    """Report (id, QImage) for each region of the displayed picture."""
    thumbnails(report, source, todo, side)


_MARGIN_SHARE = 0.4
"""Margin on each side of a finding, as a share of its size."""


@dataclass(frozen=True, slots=True)
class PhotoCut:
    """A part of a photo: where to get the photo, and which px of it."""

    content_id: str | None
    url: str
    rect: Rect


def crop_place(item: ItemView, reference: tuple[int, int] | None) -> PhotoCut | None:
    """The surest finding in the photo of the item's detection, else the item's region there.

    `reference` is the size of the reference image in px. None without a photo, or without a place in it.
    """
    entry = shown_detection(item)
    info = (entry or {}).get("inputImage") or {}
    url = info.get("download_url")
    if not url:
        return None
    findings = findings_of(entry)
    if findings:
        box = findings[0].box
        length = max(box.w, box.h)
        # A part of fewer px would be enlarged to a blur that shows nothing around the finding.
        more = max(_MARGIN_SHARE * length, THUMB_PX - length / 2)
        rect = Rect(box.x - more, box.y - more, box.w + 2 * more, box.h + 2 * more)
        return PhotoCut(info.get("ipfs_cid"), str(url), rect)
    region = item.region(*reference) if reference is not None else None
    matrix = results.entry_homography(entry)
    if region is None or matrix is None:
        return None
    visible = map_rect(region, np.asarray(matrix, np.float64))
    return None if visible is None else PhotoCut(info.get("ipfs_cid"), str(url), visible)


class PhotoCrops(CropQueue):
    """Creates the thumbnails of painted rows from photos, and updates them after new results."""

    def __init__(self, open_record: OpenRecord, panel: ItemsPanel, parent: QObject) -> None:
        super().__init__(open_record, panel, parent)
        self._cuts: dict[str, PhotoCut] = {}

    def begin(self, item_ids: Iterable[str]) -> None:
        """Crop missing or outdated thumbnails, and remove those of items without a photo."""
        document, source = self._open_record.document, self._open_record.source
        if document is None:
            return
        todo: dict[str, PhotoCut] = {}
        for item_id in item_ids:
            item = document.item(item_id)
            is_shown = item is not None and source is not None and self._open_record.link.shows(item)
            size = source.size if is_shown and source is not None else None
            part = crop_place(item, size) if item is not None else None
            if part is None:
                if self._cuts.pop(item_id, None) is not None:
                    self._items.set_photo(item_id, None)
            elif part != self._cuts.get(item_id):
                todo[item_id] = part
        if todo:
            self._cuts |= todo
            self.cut(_cut_photos, todo)

    def show(self, item_id: str, picture: QPixmap) -> None:
        """Set the picture as the photo's thumbnail in the list."""
        self._items.set_photo(item_id, picture)

    def clear_pictures(self) -> None:
        """Forget all of them."""
        self._cuts.clear()


def _cut_photos(report: ProgressReport, session: Session, todo: dict[str, PhotoCut], side: int) -> None:
    """Report (id, QImage) for each item. Each photo is opened once."""
    photos: dict[tuple[str | None, str], list[tuple[str, Rect]]] = {}
    for item_id, part in todo.items():
        photos.setdefault((part.content_id, part.url), []).append((item_id, part.rect))
    for (content_id, url), parts in photos.items():
        report.check()
        photo = fetch_photo(report, session, content_id, "", url)
        try:
            thumbnails(report, photo, parts, side)
        finally:
            photo.cancel()


class OtherFileCrops(CropQueue):
    """Fetches regions on reference images that are not displayed, for the rows that are painted."""

    def __init__(self, open_record: OpenRecord, panel: ItemsPanel, parent: QObject) -> None:
        super().__init__(open_record, panel, parent)
        self._item_points: dict[str, Mapping[str, object]] = {}

    def begin(self, item_ids: Iterable[str]) -> None:
        """Fetch the missing thumbnails of these rows whose regions are on another picture."""
        document, link = self._open_record.document, self._open_record.link
        todo: list[tuple[ReferenceFile, ItemView]] = []
        for item in map(document.item, item_ids) if document is not None else ():
            if item is None or link.shows(item) or not item.item_point:
                continue
            file = item_file(item, link.record_file)
            if file is not None and self._item_points.get(item.item_id) != item.item_point:
                self._item_points[item.item_id] = item.item_point
                todo.append((file, item))
        if todo:
            self.cut(_cut_references, todo)

    def show(self, item_id: str, picture: QPixmap) -> None:
        """Set the picture as the region's thumbnail in the list."""
        self._items.set_picture(item_id, picture)

    def clear_pictures(self) -> None:
        """Forget all of them."""
        self._item_points.clear()


def _cut_references(
    report: ProgressReport, session: Session, todo: Sequence[tuple[ReferenceFile, ItemView]], side: int
) -> None:
    """Report (id, QImage) for each region. Each picture is opened once. A missing picture is left out."""
    files: dict[tuple[str, str], list[tuple[ReferenceFile, ItemView]]] = {}
    for file, item in todo:
        key = (str(file.info.get("ipfs_cid") or ""), str(file.info.get("download_url") or ""))
        files.setdefault(key, []).append((file, item))
    for marked in files.values():
        report.check()
        try:
            source = fetch_file(report, session, marked[0][0])
        except (ClientError, ImageError, OSError):
            continue
        regions = [(item.item_id, item.region(*source.size)) for _, item in marked]
        try:
            thumbnails(report, source, [(id_, rect) for id_, rect in regions if rect is not None], side)
        finally:
            source.cancel()
