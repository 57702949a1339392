"""Creates thumbnails of items whose regions are on another picture than the displayed one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QObject
from PySide6.QtGui import QPixmap

from desktop.background.workers import ProgressReport
from desktop.client import Session
from desktop.client.http.errors import ClientError
from desktop.imaging import ImageError
from desktop.pages.workbench.items.crop_queue import CropQueue
from desktop.pages.workbench.items.items_model import ItemsModel
from desktop.record.document import ItemView
from desktop.record.loading import fetch_file, thumbnails
from desktop.record.open_record import OpenRecord
from desktop.record.reference_file import ReferenceFile, item_file


class OtherFileCrops(CropQueue):
    """Fetches such pictures for the rows that are painted, without showing them on the canvas."""

    def __init__(self, open_record: OpenRecord, items: ItemsModel, ratio: float, parent: QObject) -> None:
        super().__init__(open_record, items, ratio, parent)
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
            self.cut(_cut, todo)

    def show(self, item_id: str, picture: QPixmap) -> None:
        """Set the picture as the region's thumbnail in the list."""
        self._items.set_picture(item_id, picture)

    def forget(self) -> None:
        """Forget all of them."""
        self._item_points.clear()


def _cut(
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
