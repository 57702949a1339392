"""Adds photos to the selected item: by file, paste or camera."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from desktop.background.workers import run
from desktop.client.http.errors import Conflict
from desktop.context import Unsent
from desktop.messages.error_messages import sentence
from desktop.pages.common.files.file_dialogs import Purpose, open_pictures
from desktop.pages.workbench.photos.capture import CaptureDialog
from desktop.pages.workbench.photos.capture_view import CaptureTarget
from desktop.pages.workbench.photos.photo_box import PhotoBox
from desktop.pages.workbench.photos.photo_files import jpeg
from desktop.record.open_record import OpenRecord
from desktop.record.photo_queue import PhotoQueue, QueuedPicture
from shared.record.codes import ErrorCode
from shared.wire.inspection import Photo


class PhotoUploadController(QObject):
    """Hands photos of items to the queue, shows the progress, and names every one that failed."""

    notice = Signal(str)
    """Why no photo can be added now."""
    added = Signal(str, object)
    """The id of an item, and the new `Photo` that it has."""

    def __init__(self, open_record: OpenRecord, box: PhotoBox, window: QWidget) -> None:
        super().__init__(window)
        self._open_record, self._box, self._window = open_record, box, window
        self._queue = PhotoQueue.of(open_record.context)
        # The local id of each item, and the pictures that wait until the service knows it.
        self._unsaved: list[tuple[str, QueuedPicture]] = []
        self._failures: list[str] = []
        self._error_item_id = ""
        box.add_wanted.connect(self.choose_files)
        box.camera_wanted.connect(self.capture)
        box.cancelled.connect(self.cancel)
        open_record.current_changed.connect(self._on_item_changed)
        open_record.context.unsent_requested.connect(self._count_unsent)
        # Methods: the queue outlives this page, and a lambda would outlive its items.
        self._queue.changed.connect(self._show_progress)
        self._queue.item_sent.connect(self._on_sent)
        self._queue.lost.connect(self._on_lost)

    def _count_unsent(self, unsent: Unsent) -> None:
        unsent.photos += len(self._unsaved)

    def _on_item_changed(self) -> None:
        if self._open_record.current != self._error_item_id:
            self._forget_failures()

    def _has_item(self) -> bool:
        """Whether an item is chosen for a photo. A notice is shown if not."""
        if self._open_record.item is None:
            keys = self._open_record.context.commands.keys_text("tool.rectangle")
            self.notice.emit(
                self.tr("Select an item for the photo first.")
                if self._open_record.rows
                else self.tr("Cannot add a photo without an item. Draw a region first ({keys}).").format(
                    keys=keys
                )
            )
        return self._open_record.item is not None

    def choose_files(self) -> None:
        """Ask for picture files and add them."""
        if not self._has_item():
            return
        self.add(open_pictures(self._window, self.tr("Add photo"), Purpose.PHOTOS))

    def capture(self) -> None:
        """Take a photo with the camera."""
        if not self._has_item():
            return
        dialog = CaptureDialog(self._open_record.context, self._window, self._target())
        dialog.taken.connect(self.add_image)
        dialog.open()

    def _target(self) -> CaptureTarget | None:
        """The region of the chosen item on the open reference image; None if there is none."""
        item, source = self._open_record.item, self._open_record.source
        region = item.region(*source.size) if item is not None and source is not None else None
        if item is None or source is None or region is None:
            return None
        return CaptureTarget(f"{self._open_record.number}  {item.item_name}", source, region)

    def add(self, paths: Sequence[Path]) -> None:
        """Add picture files to the chosen item."""
        item = self._open_record.item
        if item is not None and self._open_record.may_edit():
            self._send(item.item_id, [(path, path.name) for path in paths])

    def add_image(self, image: QImage) -> None:
        """Add a picture that is not a file yet."""
        item = self._open_record.item
        if item is not None and self._open_record.may_edit():
            run(jpeg, image, owner=self, done=partial(self._on_encoded, item.item_id))

    def _on_encoded(self, item_id: str, data: bytes) -> None:
        self._send(item_id, [(data, self.tr("photo") + ".jpg")])

    def cancel(self) -> None:
        """Cancel the running upload of a photo of an item and discard waiting ones."""
        self._unsaved.clear()
        self._queue.cancel(lambda picture: bool(picture.item_id))

    def _send(self, item_id: str, pictures: Sequence[tuple[Path | bytes, str]]) -> None:
        self._forget_failures()
        record_id = self._open_record.record_id
        self._unsaved += [(item_id, QueuedPicture(record_id, *picture, asks=True)) for picture in pictures]
        # A new item has no ID at the service before it was sent.
        self._open_record.edits.call_when_saved(record_id, partial(self._queue_saved, record_id), self)

    def _queue_saved(self, record_id: str) -> None:
        saved = [(item_id, picture) for item_id, picture in self._unsaved if picture.record_id == record_id]
        self._unsaved = [pair for pair in self._unsaved if pair[1].record_id != record_id]
        service_id = self._open_record.edits.service_id
        self._queue.add([replace(picture, item_id=service_id(item_id)) for item_id, picture in saved])

    def _show_progress(self) -> None:
        first = self._queue.first
        is_shown = first is not None and first.item_id and first.record_id == self._open_record.record_id
        self._box.show_progress(self._queue.share if is_shown else None)

    def _on_sent(self, picture: QueuedPicture, photo: Photo) -> None:
        if picture.record_id == self._open_record.record_id:
            self.added.emit(self._open_record.edits.local_id(picture.item_id), photo)

    def _on_lost(self, picture: QueuedPicture, error: Exception) -> None:
        is_asked = isinstance(error, Conflict) and error.code == ErrorCode.PHOTO_USED
        if picture.item_id and not is_asked and picture.record_id == self._open_record.record_id:
            # Later files may succeed: every file that failed stays named.
            self._failures.append(f"{picture.name}: {sentence(error)}")
            self._error_item_id = self._open_record.current
            self._box.error.setText("\n".join(self._failures))

    def _forget_failures(self) -> None:
        """Clear the failures when files are added or another item is chosen: they have been read."""
        first = self._queue.first
        if self._failures and (first is None or not first.item_id):
            self._failures.clear()
            self._box.error.setText("")
