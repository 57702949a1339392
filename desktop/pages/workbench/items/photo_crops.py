"""Makes thumbnails of findings from the photos for the list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject
from PySide6.QtGui import QPixmap

from desktop.background.workers import ProgressReport
from desktop.client import Session
from desktop.imaging.sources.cut import map_rect
from desktop.pages.workbench.items.crop_queue import CropQueue
from desktop.pages.workbench.items.items_model import ItemsModel
from desktop.pages.workbench.model.document import ItemView
from desktop.pages.workbench.model.item_rows import findings_of, shown_detection
from desktop.pages.workbench.open_record.loading import fetch_photo, thumbnails
from desktop.pages.workbench.open_record.open_record import OpenRecord
from shared.record import results
from shared.record.geometry import Rect

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
        more = _MARGIN_SHARE * max(box.w, box.h)
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

    def __init__(self, open_record: OpenRecord, items: ItemsModel, ratio: float, parent: QObject) -> None:
        super().__init__(open_record, items, ratio, parent)
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
            self.cut(_cut, todo)

    def show(self, item_id: str, picture: QPixmap) -> None:
        """Set the picture as the photo's thumbnail in the list."""
        self._items.set_photo(item_id, picture)

    def forget(self) -> None:
        """Forget all of them."""
        self._cuts.clear()


def _cut(report: ProgressReport, session: Session, todo: dict[str, PhotoCut], side: int) -> None:
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
