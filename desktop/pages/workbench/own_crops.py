"""The small pictures of the list for items that are marked on another picture than the one on view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QImage, QPixmap

from desktop.client import Session
from desktop.client.errors import ClientError
from desktop.imaging import ImageError
from desktop.pages.workbench.bench import Bench
from desktop.pages.workbench.document import ItemView
from desktop.pages.workbench.items_model import THUMB_PX, ItemsModel
from desktop.pages.workbench.opening import fetch_file, thumbnails
from desktop.pages.workbench.reference_file import ReferenceFile, of_item
from desktop.workers import Lane, Report, Task, run

_GATHER_MS = 60


class OwnCrops(QObject):
    """Fetches such pictures for the rows that are painted, without showing them on the canvas."""

    def __init__(self, bench: Bench, items: ItemsModel, ratio: float, parent: QObject) -> None:
        super().__init__(parent)
        self._bench, self._items = bench, items
        self._side = round(THUMB_PX * ratio)
        self._known: dict[str, Mapping[str, object]] = {}
        self._wanted: dict[str, None] = {}
        self._making: Task | None = None
        self._soon = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._soon.timeout.connect(self._make)
        items.pictureWanted.connect(self._want)

    def drop(self) -> None:
        """Forget all, and stop what is under way."""
        self._soon.stop()
        if self._making is not None:
            self._making.cancel()
            self._making = None
        self._known.clear()
        self._wanted.clear()

    def _want(self, item_id: str) -> None:
        # Asked while painting: nothing but a note is made here.
        self._wanted[item_id] = None
        if not self._soon.isActive() and (self._making is None or self._making.finished):
            self._soon.start()

    def _make(self) -> None:
        document, link = self._bench.document, self._bench.link
        wanted, self._wanted = self._wanted, {}
        todo: list[tuple[ReferenceFile, ItemView]] = []
        for item in map(document.item, wanted) if document is not None else ():
            if item is None or link.shows(item) or not item.item_point:
                continue
            file = of_item(item, link.home)
            if file is not None and self._known.get(item.item_id) != item.item_point:
                self._known[item.item_id] = item.item_point
                todo.append((file, item))
        if todo:
            self._making = run(
                _cut,
                self._bench.context.session,
                todo,
                self._side,
                owner=self,
                progress=self._made,
                done=lambda _: self._go_on(),
                failed=lambda _: self._go_on(),
                lane=Lane.LONG,
                priority=-1,
            )

    def _made(self, made: tuple[str, QImage] | float) -> None:
        if not isinstance(made, float | int):
            self._items.set_picture(made[0], QPixmap.fromImage(made[1]))

    def _go_on(self) -> None:
        self._making = None
        if self._wanted:
            self._soon.start()


def _cut(report: Report, session: Session, todo: Sequence[tuple[ReferenceFile, ItemView]], side: int) -> None:
    """Report (id, QImage) for each; each picture is fetched and opened once, one that is lost left out."""
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
