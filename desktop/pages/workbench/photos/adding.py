"""Adds photos to the selected item: by file, paste or camera, sent one by one."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from desktop.background.workers import Lane, Task, run
from desktop.client.http.errors import Conflict
from desktop.context import Unsent
from desktop.messages.error_messages import sentence, used_in_record
from desktop.pages.common.files.file_dialogs import Purpose, open_pictures
from desktop.pages.workbench.photos.capture import CaptureDialog
from desktop.pages.workbench.photos.capture_target import CaptureTarget
from desktop.pages.workbench.photos.photo_box import PhotoBox
from desktop.pages.workbench.photos.photo_files import jpeg, upload
from desktop.record.open_record import OpenRecord
from desktop.widgets import Confirm
from shared.record.codes import ErrorCode
from shared.wire.inspection import Photo

Upload = tuple[str, Path | bytes, str, bool]
"""The item, the content to upload, its file name, and whether another record may have the photo."""


class PhotoUploadController(QObject):
    """Sends photos, shows the progress, and names every one that failed."""

    notice = Signal(str)
    """Why no photo can be added now."""
    added = Signal(str, object)
    """The id of an item, and the new `Photo` that it has."""

    def __init__(self, open_record: OpenRecord, box: PhotoBox, window: QWidget) -> None:
        super().__init__(window)
        self._open_record, self._box, self._window = open_record, box, window
        self._queue: deque[Upload] = deque()
        self._failures: list[str] = []
        self._error_item_id = ""
        self._uploading: Task | None = None
        box.add_wanted.connect(self.choose_files)
        box.camera_wanted.connect(self.capture)
        box.cancelled.connect(self.cancel)
        open_record.current_changed.connect(self._on_item_changed)
        open_record.context.unsent_requested.connect(self._count_unsent)

    def _count_unsent(self, unsent: Unsent) -> None:
        unsent.photos += len(self._queue)

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
            self._forget_failures()
            self._queue.extend((item.item_id, path, path.name, False) for path in paths)
            self._next()

    def add_image(self, image: QImage) -> None:
        """Add a picture that is not a file yet."""
        item = self._open_record.item
        if item is None or not self._open_record.may_edit():
            return
        run(jpeg, image, owner=self, done=partial(self._on_encoded, item.item_id))

    def _on_encoded(self, item_id: str, data: bytes) -> None:
        self._forget_failures()
        self._queue.append((item_id, data, self.tr("photo") + ".jpg", False))
        self._next()

    def cancel(self) -> None:
        """Cancel the running upload and discard waiting ones."""
        self._queue.clear()
        if self._uploading is not None:
            self._uploading.cancel()
            self._uploading = None
        self._box.show_progress(None)

    def _next(self) -> None:
        if self._uploading is None and self._queue:
            # A new item has no ID at the service before it was sent.
            self._open_record.edits.call_when_saved(self._upload, self)

    def _upload(self) -> None:
        if self._uploading is not None or not self._queue:
            return
        item_id, source, name, may_be_used = self._queue[0]
        self._box.show_progress(0.0)
        self._uploading = run(
            upload,
            self._open_record.context.session,
            self._open_record.edits.service_id(item_id),
            source,
            name,
            may_be_used,
            owner=self,
            progress=self._box.show_progress,
            done=partial(self._on_uploaded, item_id),
            failed=self._on_upload_failed,
            lane=Lane.LONG,
        )

    def _on_uploaded(self, item_id: str, photo: Photo) -> None:
        self._uploading = None
        if self._queue:
            self._queue.popleft()
        self._box.show_progress(None)
        self.added.emit(item_id, photo)
        self._next()

    def _on_upload_failed(self, error: Exception) -> None:
        self._uploading = None
        item_id, source, name, _ = self._queue.popleft()
        self._box.show_progress(None)
        if isinstance(error, Conflict) and error.code == ErrorCode.PHOTO_USED:
            self._ask_about_used(item_id, source, name, used_in_record(error))
            return
        # Later files may succeed: every file that failed stays named.
        self._failures.append(f"{name}: {sentence(error)}")
        self._error_item_id = self._open_record.current
        self._box.show_error("\n".join(self._failures))
        self._next()

    def _ask_about_used(self, item_id: str, source: Path | bytes, name: str, record: str) -> None:
        dialog = Confirm(
            self._window,
            self.tr("Add used photo?"),
            self.tr("{name} is already a photo of {record}.").format(name=name, record=record),
            self.tr("Add anyway"),
        )
        dialog.setObjectName("used-photo")
        dialog.accepted.connect(lambda: self._queue.appendleft((item_id, source, name, True)))
        dialog.finished.connect(self._next)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _forget_failures(self) -> None:
        """Clear the failures when files are added or another item is chosen: they have been read."""
        if self._failures and self._uploading is None and not self._queue:
            self._failures.clear()
            self._box.show_error("")
