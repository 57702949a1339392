"""Creates the thumbnails of painted list rows in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QImage, QPixmap

from desktop.background.workers import Lane, Task, run
from desktop.pages.workbench.items.items_model import THUMB_PX, ItemsModel
from desktop.record.open_record import OpenRecord

_GATHER_MS = 60


class CropQueue(QObject):
    """Collects painted rows and creates their thumbnails, one batch at a time.

    A subclass starts a batch in `begin`, shows a thumbnail in `show`, and resets its state in `forget`.
    """

    def __init__(self, open_record: OpenRecord, items: ItemsModel, ratio: float, parent: QObject) -> None:
        super().__init__(parent)
        self._open_record, self._items = open_record, items
        self._side = round(THUMB_PX * ratio)
        self._wanted_ids: dict[str, None] = {}
        self._task: Task | None = None
        self._soon = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._soon.timeout.connect(self._start_next)
        items.pictureWanted.connect(self._on_picture_wanted)

    def begin(self, item_ids: Iterable[str]) -> None:
        """Start creating the missing thumbnails of these rows, with `cut`."""

    def show(self, item_id: str, picture: QPixmap) -> None:
        """Show a thumbnail that was created."""

    def forget(self) -> None:
        """Drop all thumbnails."""

    def cut(self, function: Callable[..., None], todo: Any) -> None:
        """Run `function(report, session, todo, side)`, which reports (item id, QImage), off the GUI
        thread."""
        self._task = run(
            function,
            self._open_record.context.session,
            todo,
            self._side,
            owner=self,
            progress=self._show_result,
            done=lambda _: self._on_ended(),
            failed=lambda _: self._on_ended(),
            lane=Lane.LONG,
            priority=-1,
        )

    def drop(self) -> None:
        """Drop all thumbnails, and cancel the running batch."""
        self._soon.stop()
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self._wanted_ids.clear()
        self.forget()

    def _on_picture_wanted(self, item_id: str) -> None:
        # Called while painting: only takes a note.
        self._wanted_ids[item_id] = None
        if not self._soon.isActive() and (self._task is None or self._task.is_finished):
            self._soon.start()

    def _start_next(self) -> None:
        wanted, self._wanted_ids = self._wanted_ids, {}
        self.begin(wanted)

    def _show_result(self, result: tuple[str, QImage] | float) -> None:
        if not isinstance(result, float | int):
            self.show(result[0], QPixmap.fromImage(result[1]))

    def _on_ended(self) -> None:
        self._task = None
        if self._wanted_ids:
            self._soon.start()
