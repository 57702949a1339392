"""Asks whether photos that a user added, and that other records have already, are added nevertheless."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QCoreApplication, QObject, QTimer
from PySide6.QtWidgets import QWidget

from desktop.client.http.errors import Conflict
from desktop.messages.error_messages import used_in_record
from desktop.record.photo_queue import PhotoQueue, QueuedPicture
from desktop.widgets import Confirm
from shared.record.codes import ErrorCode

_NAMED = 5


class UsedPhotoQuestion(QObject):
    """Collects the refused photos that a user added, and asks once for all of them.

    A photo from a watched folder is never asked about: the list of failures names it.
    """

    def __init__(self, queue: PhotoQueue, window: QWidget) -> None:
        super().__init__(window)
        self._queue, self._window = queue, window
        self._refused: list[tuple[QueuedPicture, str]] = []
        self._ask_later = QTimer(self, singleShot=True, interval=0)
        self._ask_later.timeout.connect(self._ask)
        queue.lost.connect(self._on_lost)
        queue.changed.connect(self._on_queue_changed)

    def _on_lost(self, picture: QueuedPicture, error: Exception) -> None:
        if picture.asks and isinstance(error, Conflict) and error.code == ErrorCode.PHOTO_USED:
            self._refused.append((picture, used_in_record(error)))

    def _on_queue_changed(self) -> None:
        if self._refused and self._queue.first is None:
            self._ask_later.start()

    def _ask(self) -> None:
        refused, self._refused = self._refused, []
        if not refused:
            return
        lines = [f"{picture.name}: {record}" for picture, record in refused[:_NAMED]]
        if len(refused) > _NAMED:
            lines.append(QCoreApplication.translate("UsedPhotos", "and %n more", "", len(refused) - _NAMED))
        dialog = Confirm(
            self._window,
            QCoreApplication.translate("UsedPhotos", "Add %n used photo(s)?", "", len(refused)),
            QCoreApplication.translate("UsedPhotos", "These photos are already photos of other records:")
            + "\n"
            + "\n".join(lines),
            QCoreApplication.translate("UsedPhotos", "Add anyway"),
        )
        dialog.setObjectName("used-photos")
        dialog.accepted.connect(lambda: self._add(refused))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _add(self, refused: Sequence[tuple[QueuedPicture, str]]) -> None:
        self._queue.add([replace(picture, may_be_used=True) for picture, _ in refused])
