"""Coordinates the photos of the record: upload, matching, proposals, assignment, sharing and removal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QWidget

from desktop.background.workers import run
from desktop.client.http.errors import Conflict, NotFound
from desktop.localization.language import join_sentences
from desktop.messages.error_messages import sentence
from desktop.pages.common.files.file_dialogs import Purpose, open_pictures
from desktop.pages.workbench.photos.capture import CaptureDialog
from desktop.pages.workbench.photos.photo_files import jpeg
from desktop.pages.workbench.photos.photo_pair import PhotoPairController
from desktop.pages.workbench.photos.record_photos.films import FilmController
from desktop.pages.workbench.photos.record_photos.review import Choice, ReviewDialog
from desktop.pages.workbench.photos.record_photos.sharing import SharedPhotoController, UsedPhotoQuestion
from desktop.pages.workbench.photos.record_photos.thumbnails import RecordThumbnails
from desktop.pages.workbench.photos.record_photos.tray import AcceptedBar, Tray, TrayState
from desktop.record.open_record import OpenRecord
from desktop.record.photo_list import Assignment, PhotoList
from desktop.record.photo_queue import PhotoQueue, QueuedPicture
from desktop.record.photo_terms import (
    names_of,
    photo_name,
)
from desktop.widgets import Button, confirm
from shared.wire.photos import Assigned, PhotoItem, PhotoItemSet, PhotoState, RecordPhoto


class RecordPhotosController(QObject):
    """Connects the tray, the review, the photos of the item and the service."""

    notice = Signal(str)
    """A message for the user."""
    item_wanted = Signal(str)
    """The id of an item to go to."""
    alignment_wanted = Signal(str)
    """The file id of a photo of the chosen item, which is loading, that the user wants to align."""
    detection_wanted = Signal(object)
    """The ids of items to detect."""

    def __init__(
        self,
        open_record: OpenRecord,
        photo_list: PhotoList,
        photos: PhotoPairController,
        shared_line: Button,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._open_record, self._photos, self._window = open_record, photos, window
        self.photo_list = photo_list
        self.queue = PhotoQueue.of(open_record.context)
        self.films = FilmController(open_record, self.queue, window)
        self.tray = Tray()
        self.accepted = AcceptedBar()
        self.sharing = SharedPhotoController(open_record, photos, self.photo_list, shared_line)
        self.review: ReviewDialog | None = None
        """The dialog with the photos, while it is open."""
        UsedPhotoQuestion(self.queue, window)
        self._record_id = ""
        self._thumbnails = RecordThumbnails(open_record, photo_list, self)
        self._before: Sequence[RecordPhoto] = ()
        self._gained: Sequence[str] = ()
        self._connect()

    def _connect(self) -> None:
        tray = self.tray
        tray.accept_wanted.connect(self.accept_all)
        tray.review_wanted.connect(self.show_review)
        tray.assign_wanted.connect(self.assign_to_selection)
        tray.remove_wanted.connect(self.remove)
        tray.match_wanted.connect(self.photo_list.match_again)
        tray.cancelled.connect(self._cancel)
        tray.retry_wanted.connect(self.queue.retry)
        tray.failures_read.connect(self.queue.forget_failures)
        self.accepted.action_chosen.connect(self._detect)
        self.accepted.second_action_chosen.connect(self.undo_assignment)
        self.sharing.opened.connect(self.show_review)
        # Not a lambda: the queue outlives this page, and a lambda would outlive its photos.
        self.queue.sent.connect(self._on_sent)
        self.queue.changed.connect(self._show_queue)
        self.photo_list.changed.connect(self._show)
        self._thumbnails.changed.connect(self._show)
        self.photo_list.failed.connect(self.notice)
        self._open_record.record_changed.connect(self._show)
        self._open_record.items_changed.connect(self._show_items)
        self._open_record.selection_changed.connect(self._show_items)

    def _on_sent(self, photo: RecordPhoto) -> None:
        self.photo_list.add([photo])

    def close(self) -> None:
        """Reset the view when the record is left. Uploads continue."""
        self.photo_list.update()
        self._show()

    # -- adding

    def _may_add(self) -> bool:
        """Whether photos can be added to the open record. A notice is shown if it is sealed."""
        return self._open_record.document is not None and self._open_record.may_edit()

    def choose_files(self) -> None:
        """Ask for picture files and add them to the record."""
        if self._may_add():
            self.add(open_pictures(self._window, self.tr("Add photos to record"), Purpose.PHOTOS))

    def capture(self) -> None:
        """Take a photo for the record with the camera."""
        if self._may_add():
            dialog = CaptureDialog(self._open_record.context, self._window)
            dialog.taken.connect(self.add_image)
            dialog.open()

    def paste(self) -> bool:
        """Add the picture or the files on the clipboard to the record. Returns False when there are none."""
        data = QGuiApplication.clipboard().mimeData()
        if data is None or self._open_record.document is None:
            return False
        paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
        if paths:
            self.add(paths)
            return True
        image = QGuiApplication.clipboard().image() if data.hasImage() else QImage()
        if image.isNull():
            return False
        self.add_image(image)
        return True

    def add(self, paths: Sequence[Path]) -> None:
        """Add picture files to the record."""
        if paths and self._may_add():
            record_id = self._open_record.record_id
            self.queue.add([QueuedPicture(record_id, path, path.name, asks=True) for path in paths])

    def add_image(self, image: QImage) -> None:
        """Add a picture that is not a file yet."""
        if self._may_add():
            run(jpeg, image, owner=self, done=partial(self._on_encoded, self._open_record.record_id))

    def _on_encoded(self, record_id: str, data: bytes) -> None:
        self.queue.add([QueuedPicture(record_id, data, self.tr("photo") + ".jpg", asks=True)])

    def _cancel(self) -> None:
        self.queue.cancel(lambda picture: not picture.item_id)

    # -- assigning

    def accept_all(self) -> None:
        """Assign every photo of the tray to the items that it is offered to."""
        local_id = self._open_record.edits.local_id
        offers = {photo_id: list(map(local_id, items)) for photo_id, items in self.photo_list.offers.items()}
        if offers:
            self._assign(lambda: offers)

    def assign_to_selection(self, photo_ids: Sequence[str]) -> None:
        """Assign these photos to the selected items, too."""
        self.assign_to(photo_ids, self._open_record.selection)

    def assign_to(self, photo_ids: Sequence[str], item_ids: Sequence[str]) -> None:
        """Assign these photos to some items, too."""

        def wanted_items() -> dict[str, list[str]]:
            photos = [photo for photo_id in photo_ids if (photo := self.photo_list.get(photo_id)) is not None]
            return {photo.photo_id: [*dict.fromkeys([*self._items(photo), *item_ids])] for photo in photos}

        self._assign(wanted_items)

    def undo_assignment(self) -> None:
        """Undo the last assignment: its photos get their previous items again."""
        self.accepted.hide()
        before = [(photo.photo_id, list(map(_as_it_is, photo.items))) for photo in self._before]
        self.photo_list.assign(lambda: before, self._reread)

    def _assign(self, wanted: Callable[[], Mapping[str, Iterable[str]]]) -> None:
        def sets() -> list[Assignment]:
            return [
                (photo_id, [PhotoItemSet(item_id=item_id) for item_id in items])
                for photo_id, items in wanted().items()
            ]

        if self._may_add():
            self.photo_list.assign(sets, self._on_assigned)

    def _on_assigned(self, before: Sequence[RecordPhoto]) -> None:
        gained: dict[str, None] = {}
        for photo in before:
            now = self.photo_list.get(photo.photo_id)
            if now is not None:
                had = set(self._items(photo))
                gained.update(dict.fromkeys(item_id for item_id in self._items(now) if item_id not in had))
        self._reread(before)
        self._before, self._gained = before, list(gained)
        if gained:
            self.accepted.show_counts(len(before), len(gained))
        else:
            self.accepted.hide()

    def _reread(self, before: Sequence[RecordPhoto]) -> None:
        """Read the photos of the items that had or have one of these photos again."""
        touched: set[str] = set()
        for photo in before:
            now = self.photo_list.get(photo.photo_id)
            touched.update(self._items(photo))
            touched.update(self._items(now) if now is not None else ())
        for item_id in touched:
            self._photos.reread(item_id)

    def _items(self, photo: RecordPhoto) -> list[str]:
        return [self._open_record.edits.local_id(item.item_id) for item in photo.items]

    def _detect(self) -> None:
        self.accepted.hide()
        self.detection_wanted.emit(self._gained)

    def follow_detection(self, running: Mapping[str, int]) -> None:
        """Close the offer to detect the items of the last assignment if one of them is being detected."""
        if not running.keys().isdisjoint(self._gained):
            self.accepted.hide()

    # -- viewing

    def show_review(self, photo_id: str = "") -> None:
        """Show the photos of the record, this one first."""
        if self._open_record.document is None or self.review is not None:
            return
        choices = [Choice(row.item_id, f"{row.number}  {row.name}") for row in self._open_record.rows]
        self.review = ReviewDialog(
            self._open_record.context.session,
            self.photo_list,
            choices,
            self._open_record.edits.local_id,
            self._open_record.editable,
            self._window,
        )
        self.review.accepted_items.connect(lambda wanted: self._assign(lambda: wanted))
        self.review.align_wanted.connect(self._align)
        self.review.remove_wanted.connect(lambda photo_id: self.remove([photo_id]))
        self.review.finished.connect(self._on_reviewed)
        self._show()
        first = photo_id or next(iter(self.photo_list.offers), "")
        self.review.thumbnails.choose(first)
        self.review.open()

    def _on_reviewed(self) -> None:
        self.review = None

    def _align(self, photo_id: str, item_id: str) -> None:
        photo = self.photo_list.get(photo_id)
        service_id = self._open_record.edits.service_id(item_id)
        photo_item = (
            next((item for item in photo.items if item.item_id == service_id), None) if photo else None
        )
        if photo is None or photo_item is None:
            return
        self.item_wanted.emit(item_id)
        self._photos.compare_photo(photo_item.photo_id)
        self.alignment_wanted.emit(photo.file_id)

    def store_alignment(self, file_id: str, matrix: list[list[float]] | None) -> None:
        """Store the user's alignment, which its item has, with its photo too."""
        photo, item_id = self.photo_list.of_file(file_id), self._open_record.current
        if matrix is not None and photo is not None and item_id in self._items(photo):
            photo_id = photo.photo_id

            def wanted_assignments() -> list[Assignment]:
                now = self.photo_list.get(photo_id)
                items = self._items(now) if now is not None else []
                return [
                    (
                        photo_id,
                        [
                            PhotoItemSet(item_id=each_id, homography=matrix if each_id == item_id else None)
                            for each_id in items
                        ],
                    )
                ]

            self.photo_list.assign(wanted_assignments)

    # -- removing

    def remove(self, photo_ids: Sequence[str]) -> None:
        """Remove photos from the record after a question that names the affected items."""
        photos = [photo for photo_id in photo_ids if (photo := self.photo_list.get(photo_id)) is not None]
        if not photos or not self._may_add():
            return
        losing = names_of([*dict.fromkeys(item.item_name for photo in photos for item in photo.items)])
        text = self.tr("Also removed from these items: {names}.").format(names=losing) if losing else ""
        if confirm(
            self.review or self._window,
            self.tr("Remove %n photo(s) from record?", "", len(photos)),
            join_sentences((text, self.tr("Existing detection results are kept."))),
            self.tr("Remove"),
        ):
            for photo in photos:
                self._delete(photo, confirmed=False)

    def _delete(self, photo: RecordPhoto, confirmed: bool) -> None:
        self.photo_list.delete(
            photo.photo_id,
            confirmed=confirmed,
            done=partial(self._reread, [photo]),
            refused=partial(self._on_delete_failed, photo),
        )

    def _on_delete_failed(self, photo: RecordPhoto, error: Exception) -> None:
        if isinstance(error, NotFound):
            self.photo_list.read()
        elif not isinstance(error, Conflict) or error.code != "photo_in_use":
            self.notice.emit(sentence(error))
        elif confirm(
            self.review or self._window,
            self.tr("Remove {photo} anyway?").format(photo=photo_name(photo)),
            self.tr(
                "Results or verdicts of these items are based on this photo: {names}. They are kept."
            ).format(names=names_of([str(item.get("item_name")) for item in error.details.get("items", ())])),
            self.tr("Remove"),
        ):
            self._delete(photo, confirmed=True)

    # -- showing

    def _show(self) -> None:
        open_record, photo_list = self._open_record, self.photo_list
        if open_record.record_id != self._record_id:
            self._record_id = open_record.record_id
            self._thumbnails.clear()
            self.accepted.hide()
            if self.review is not None:
                self.review.close()
        # Photos with proposals come first: most photos of a card may have none.
        tray = sorted(photo_list.tray, key=lambda photo: photo.photo_id not in photo_list.offers)
        waiting = [photo for photo in tray if photo.state is PhotoState.WAITING]
        queue = self.queue
        self.tray.show_state(
            TrayState(
                thumbnails=[self._thumbnails.get(photo) for photo in tray],
                matching=len(waiting) if open_record.rows and open_record.editable else 0,
                offered=sum(map(len, photo_list.offers.values())),
                offering=len(photo_list.offers),
                sending=queue.count(open_record.record_id),
                share=queue.share,
                away=queue.away,
                failures=tuple(queue.failures),
                editable=open_record.editable,
                targets=len(open_record.selection),
            )
        )
        if self.review is not None:
            self.review.show_thumbnails(
                [self._thumbnails.get(photo) for photo in photo_list.photos], bool(open_record.rows)
            )

    def _show_items(self) -> None:
        """Update what depends on the items, which is nothing without photos of the record."""
        if self.photo_list.photos:
            self._show()

    def _show_queue(self) -> None:
        """Update only the uploads, which change many times a second."""
        queue = self.queue
        self.tray.show_state(
            replace(
                self.tray.state,
                sending=queue.count(self._open_record.record_id),
                share=queue.share,
                away=queue.away,
                failures=tuple(queue.failures),
            )
        )


def _as_it_is(item: PhotoItem) -> PhotoItemSet:
    """The assignment of a photo to an item, to restore it as it was."""
    by_hand = item.assigned is Assigned.PERSON
    return PhotoItemSet(item_id=item.item_id, homography=item.homography if by_hand else None)
