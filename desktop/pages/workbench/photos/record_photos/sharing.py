"""Shows where else a photo is used: in other items of the record, or in other records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from desktop.client.http.errors import Conflict
from desktop.messages.error_messages import used_in_record
from desktop.pages.workbench.photos.photo_pair import PhotoPairController
from desktop.record.open_record import OpenRecord
from desktop.record.photo_list import PhotoList
from desktop.record.photo_queue import PhotoQueue, QueuedPicture
from desktop.record.photo_terms import names_of, other_items, photo_name
from desktop.widgets import Button, Confirm, escape_tooltip
from shared.record.codes import ErrorCode


class SharedPhotoController(QObject):
    """Updates the line below the photo of the chosen item."""

    opened = Signal(str)
    """Emits the ID of a photo of the record to show."""

    def __init__(
        self, open_record: OpenRecord, photos: PhotoPairController, photo_list: PhotoList, line: Button
    ) -> None:
        super().__init__(line)
        self._open_record, self._photos, self._photo_list, self._line = open_record, photos, photo_list, line
        self._photo_id = ""
        self._mapping: list[list[float]] | None = None
        photos.pair_changed.connect(self.show)
        photos.removed.connect(photo_list.read)
        photo_list.changed.connect(self._on_changed)
        open_record.current_changed.connect(self.show)
        line.clicked.connect(lambda _checked=False: self.opened.emit(self._photo_id))
        self.show()

    def _on_changed(self) -> None:
        mapping = self._photo_list.mapping_of(self._photos.file_id)
        if mapping != self._mapping:
            self._photos.show()
        self.show()

    def show(self) -> None:
        """Update the line for the shown photo."""
        photo = self._photo_list.of_file(self._photos.file_id)
        self._photo_id = "" if photo is None else photo.photo_id
        self._mapping = self._photo_list.mapping_of(self._photos.file_id)
        self._line.setVisible(photo is not None and self._open_record.item is not None)
        if photo is None:
            return
        others = other_items(photo, self._open_record.edits.service_id(self._open_record.current))
        name = photo_name(photo)
        if others:
            text = self.tr("{photo} · shared with %n other item(s)", "", len(others)).format(photo=name)
            self._line.setToolTip(
                escape_tooltip(self.tr("Also used for {names}").format(names=names_of(others)))
            )
        else:
            text = self.tr("{photo} · this item only").format(photo=name)
            self._line.setToolTip("")
        self._line.setText(text)


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

    @Slot()
    def _ask_when_closed(self) -> None:
        self._ask_later.start()

    def _ask(self) -> None:
        other = QApplication.activeModalWidget()
        if isinstance(other, QDialog):
            # A film that was dropped with the photo, for example: one after the other.
            other.finished.connect(self._ask_when_closed)
            return
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
