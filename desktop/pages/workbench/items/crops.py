"""Crops the pictures of items in turns, from reference images and from photos."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QImage, QPixmap

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.client import Session
from desktop.client.http.errors import ClientError, NotFound
from desktop.imaging import ImageError
from desktop.imaging.sources.cut import map_rect
from desktop.imaging.sources.source import ImageSource
from desktop.pages.workbench.items.items_model import THUMB_PX
from desktop.pages.workbench.items.items_panel import ItemsPanel
from desktop.record.document import ItemView
from desktop.record.item_rows import findings_of, shown_detection
from desktop.record.loading import fetch_photo, thumbnails
from desktop.record.open_record import OpenRecord
from desktop.record.region_link import ReferenceFile, item_file
from shared.record import results
from shared.record.geometry import Rect, point_to_pixels

_GATHER_MS = 60
_RETRY_MS = 10_000
_MARGIN_SHARE = 0.4
"""Margin on each side of a finding, as a share of its size."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A part of a picture: where to get the picture, and which part of it.

    `rect` is in px of the upright picture, or with `is_point` as `item_point` has it.
    """

    content_id: str | None
    url: str
    rect: Rect
    is_point: bool = False


class _Thumbnail(NamedTuple):
    """A picture of the row of an item: of the place in its photo, or else of its region."""

    item_id: str
    is_photo: bool
    cut: Cut


class ItemCrops(QObject):
    """Creates the thumbnails of the rows that are painted: of the regions, and of the places in photos.

    At most one batch is cut from the displayed picture and one from pictures that are fetched: a download
    delays no region on view.
    """

    def __init__(self, open_record: OpenRecord, panel: ItemsPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._open_record, self._panel, self._items = open_record, panel, panel.model
        self._wanted_ids: dict[str, None] = {}
        self._tasks: dict[Lane, Task] = {}
        self.cuts: dict[tuple[str, bool], Cut] = {}
        """What the thumbnails show, by item, and whether they are of the photo."""
        self._soon = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._soon.timeout.connect(self._start)
        self._items.picture_wanted.connect(self._on_picture_wanted)
        # After other results the photos may have other findings.
        for changed in (open_record.regions_changed, open_record.results_changed):
            changed.connect(self._items.ask_for_pictures)

    def clear(self) -> None:
        """Drop all thumbnails, and cancel the running batches."""
        self._soon.stop()
        for task in self._tasks.values():
            task.cancel()
        for state in (self._tasks, self._wanted_ids, self.cuts):
            state.clear()
        self._items.drop_pictures()

    def _on_picture_wanted(self, item_id: str) -> None:
        # Called while painting: only takes a note.
        self._wanted_ids[item_id] = None
        if not self._soon.isActive():
            self._soon.start()

    def _start(self) -> None:
        """Cut the missing and outdated thumbnails of the wanted rows that no running batch may contain."""
        document, todo = self._open_record.document, dict[Lane, list[_Thumbnail]]()
        wanted_ids, self._wanted_ids = self._wanted_ids, {}
        if self._tasks:
            # What runs may bring some of them, or bring what is no longer wanted.
            self._wanted_ids |= wanted_ids
        for item in map(document.item, wanted_ids) if document is not None else ():
            if item is None:
                continue
            is_displayed = self._open_record.link.shows(item)
            source = self._open_record.source if is_displayed else None
            region = _region_cut(item, item_file(item, self._open_record.link.record_file))
            # A picture that is being opened announces its regions.
            if region is not None and self._is_missing(item, region) and (source or not is_displayed):
                lane = Lane.SHORT if is_displayed else Lane.LONG
                todo.setdefault(lane, []).append(_Thumbnail(item.item_id, False, region))
            photo = photo_cut(item, source.size if source is not None else None)
            if photo is None:
                if self.cuts.pop((item.item_id, True), None) is not None:
                    self._items.set_photo(item.item_id, None)
            elif self._is_missing(item, photo, is_photo=True):
                todo.setdefault(Lane.LONG, []).append(_Thumbnail(item.item_id, True, photo))
        for lane, thumbs in todo.items():
            if lane not in self._tasks:
                self._cut(lane, thumbs)

    def _is_missing(self, item: ItemView, cut: Cut, is_photo: bool = False) -> bool:
        return self.cuts.get((item.item_id, is_photo)) != cut

    def _cut(self, lane: Lane, thumbs: Sequence[_Thumbnail]) -> None:
        self._tasks[lane] = run(
            _cut_thumbnails,
            self._open_record.context.session,
            self._open_record.source if lane is Lane.SHORT else None,
            thumbs,
            round(THUMB_PX * self._panel.devicePixelRatioF()),
            owner=self,
            progress=self._on_cut,
            done=partial(self._on_ended, lane),
            failed=lambda _: self._on_ended(lane, ()),
            lane=lane,
            priority=-1,
        )

    def _on_cut(self, result: tuple[_Thumbnail, QImage | None] | float) -> None:
        """Show a thumbnail, or none for a picture that does not exist. A number is progress of a download."""
        if isinstance(result, float | int):
            return
        (item_id, is_photo, cut), image = result
        self.cuts[item_id, is_photo] = cut
        if is_photo:
            self._items.set_photo(item_id, QPixmap.fromImage(image) if image is not None else None)
        elif image is not None:
            self._items.set_picture(item_id, QPixmap.fromImage(image))

    def _on_ended(self, lane: Lane, missed_ids: Sequence[str]) -> None:
        del self._tasks[lane]
        if self._wanted_ids:
            self._soon.start()
        if missed_ids:
            QTimer.singleShot(_RETRY_MS, self, lambda: [*map(self._on_picture_wanted, missed_ids)])


def _region_cut(item: ItemView, file: ReferenceFile | None) -> Cut | None:
    """The region of an item in the image that it is on; None without one of both."""
    point = (item.item_point or {}).get("point")
    url = file.info.get("download_url") if file is not None else None
    if file is None or not url or not point:
        return None
    rect = Rect(point["x"], point["y"], point["w"], point["h"])
    return None if rect.is_empty else Cut(file.info.get("ipfs_cid"), str(url), rect, is_point=True)


def photo_cut(item: ItemView, reference: tuple[int, int] | None) -> Cut | None:
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
        return Cut(info.get("ipfs_cid"), str(url), rect)
    region = item.region(*reference) if reference is not None else None
    matrix = results.entry_homography(entry)
    if region is None or matrix is None:
        return None
    visible = map_rect(region, np.asarray(matrix, np.float64))
    return None if visible is None else Cut(info.get("ipfs_cid"), str(url), visible)


def _cut_thumbnails(
    report: ProgressReport,
    session: Session,
    displayed: ImageSource | None,
    thumbs: Sequence[_Thumbnail],
    side: int,
) -> list[str]:
    """Report (_Thumbnail, QImage) for each of them. Returns the items whose pictures can be tried again.

    They are cut from `displayed` if it is given. Each other picture is fetched once; None is reported for one
    that does not exist or cannot be read.
    """
    pictures: dict[tuple[str | None, str], list[_Thumbnail]] = {}
    for thumb in thumbs:
        pictures.setdefault((thumb.cut.content_id, thumb.cut.url), []).append(thumb)
    missed_ids: list[str] = []
    for (content_id, url), of_picture in pictures.items():
        report.check()
        try:
            source = displayed or fetch_photo(report, session, content_id, "", url)
            try:
                rects = [(thumb, _pixels(thumb.cut, source.size)) for thumb in of_picture]
                thumbnails(report, source, rects, side)
            finally:
                if source is not displayed:
                    source.cancel()
        except (NotFound, ImageError):
            for thumb in of_picture:
                report((thumb, None))
        except (ClientError, OSError):
            missed_ids += [thumb.item_id for thumb in of_picture]
    return missed_ids


def _pixels(cut: Cut, size: tuple[int, int]) -> Rect:
    """The part in px of the upright picture of this size."""
    rect = cut.rect
    return point_to_pixels(rect.x, rect.y, rect.w, rect.h, *size) if cut.is_point else rect
