"""Holds the photos of the open record as the service stores them, and matches, assigns and deletes them.

Photos of the record are proposed for items by the regions that they show.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.client import Session
from desktop.client.http.errors import Forbidden, NotFound, Unreachable
from desktop.messages.error_messages import sentence
from desktop.record.open_record import OpenRecord
from shared.wire.photos import Assigned, PhotoItemSet, PhotoMatch, PhotoState, RecordPhoto

_CHOSEN = (math.inf,)
"""The quality of a photo that the user chose, which exceeds that of all others."""


def in_tray(photo: RecordPhoto) -> bool:
    """True while the photo is assigned to no item."""
    return not photo.items


def covered_matches(photo: RecordPhoto) -> list[PhotoMatch]:
    """The matches whose region the photo shows, in the order of the items."""
    return [match for match in photo.matches or () if match.covered]


def proposals(photos: Sequence[RecordPhoto]) -> dict[str, list[str]]:
    """The item ids that each photo of the tray is offered to, by photo id; photos without any are left out.

    An item that several photos show is offered the one that shows it best: all of the region, then with the
    most detail. A photo that another record has already is not offered. An item is offered none where the
    photo that it has is as good, or was chosen by a person.
    """
    best: dict[str, tuple[float, ...]] = {}
    winner: dict[str, str] = {}
    waiting = [photo for photo in photos if in_tray(photo) and photo.used_in is None]
    for photo in photos:
        for item in photo.items:
            quality = _CHOSEN if item.assigned is Assigned.PERSON else _quality_for(photo, item.item_id)
            best[item.item_id] = max(quality, best.get(item.item_id, ()))
    for photo in waiting:
        for match in covered_matches(photo):
            quality = _quality(match)
            if quality > best.get(match.item_id, ()):
                best[match.item_id], winner[match.item_id] = quality, photo.photo_id
    offered = {
        photo.photo_id: [
            match.item_id for match in covered_matches(photo) if winner.get(match.item_id) == photo.photo_id
        ]
        for photo in waiting
    }
    return {photo_id: items for photo_id, items in offered.items() if items}


def _quality_for(photo: RecordPhoto, item_id: str) -> tuple[float, ...]:
    return next((_quality(match) for match in photo.matches or () if match.item_id == item_id), ())


def _quality(match: PhotoMatch) -> tuple[float, ...]:
    return round(match.visible, 1), _area(match.corners), match.score


def _area(corners: Sequence[Sequence[float]]) -> float:
    """The area of a polygon, px²."""
    pairs = zip(corners, [*corners[1:], corners[0]], strict=True)
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in pairs)) / 2


_MATCH_SECONDS = 2.0
_RETRY_MS = 3_000
_REGIONS_MS = 2_000
"""Photos of the tray are matched again when regions have not changed for this time."""

Assignment = tuple[str, Sequence[PhotoItemSet]]
"""The ID of a photo, and all items to assign it to."""


@dataclass(frozen=True, slots=True, eq=False)
class _PendingAssignment:
    wanted: Callable[[], Sequence[Assignment]]
    done: Callable[[Sequence[RecordPhoto]], None]


class PhotoList(QObject):
    """Follows the open record. Waiting photos are matched while the user may edit."""

    changed = Signal()
    """The photos or their states changed."""
    failed = Signal(str)
    """What failed, as a sentence."""

    def __init__(self, open_record: OpenRecord, parent: QObject) -> None:
        super().__init__(parent)
        self._open_record = open_record
        self._record_id = ""
        self._photos: dict[str, RecordPhoto] = {}
        self._offers: dict[str, list[str]] | None = None
        self._changes = 0
        self._reading: Task | None = None
        self._outdated = False
        self._matching: Task | None = None
        self._rematch_ids: set[str] = set()
        self._failed_ids: set[str] = set()
        self._regions: frozenset[tuple[str, str]] = frozenset()
        self._pending: deque[_PendingAssignment] = deque()
        self._retry_timer = QTimer(self, singleShot=True, interval=_RETRY_MS)
        self._retry_timer.timeout.connect(self._match_next)
        self._regions_timer = QTimer(self, singleShot=True, interval=_REGIONS_MS)
        self._regions_timer.timeout.connect(self._match_after_changes)
        open_record.record_changed.connect(self.update)
        open_record.regions_changed.connect(self.update)

    @property
    def photos(self) -> list[RecordPhoto]:
        """Newest first."""
        return list(self._photos.values())

    @property
    def tray(self) -> list[RecordPhoto]:
        """The photos without an item, newest first."""
        return [photo for photo in self._photos.values() if in_tray(photo)]

    @property
    def offers(self) -> dict[str, list[str]]:
        """The items of the service that photos of the tray are offered to, by photo id."""
        if self._offers is None:
            self._offers = proposals(self.photos)
        return self._offers

    def get(self, photo_id: str) -> RecordPhoto | None:
        """A photo by its id."""
        return self._photos.get(photo_id)

    def of_file(self, file_id: str) -> RecordPhoto | None:
        """The photo with this file."""
        return next((photo for photo in self._photos.values() if photo.file_id == file_id), None)

    def mapping_of(self, file_id: str) -> list[list[float]] | None:
        """From px of the reference image to px of the photo with this file, as the chosen item has it."""
        photo = self.of_file(file_id) if file_id else None
        service_id = self._open_record.edits.service_id(self._open_record.current)
        items = photo.items if photo is not None else ()
        return next((item.homography for item in items if item.item_id == service_id), None)

    def add(self, photos: Iterable[RecordPhoto]) -> None:
        """Add or update these photos of the open record."""
        for photo in photos:
            if photo.inspection_id == self._record_id:
                is_listed = photo.photo_id in self._photos
                self._photos = {**({} if is_listed else {photo.photo_id: photo}), **self._photos}
                self._photos[photo.photo_id] = photo
        self._on_photo_changed()
        self._match_next()

    def read(self) -> None:
        """Read the photos of the record from the service. A call during reading repeats it."""
        if self._reading is not None:
            # The response under way may be older than the change that caused this call.
            self._outdated = True
        elif self._record_id:
            self._outdated = False
            self._reading = run(
                self._open_record.context.session.photos.list,
                self._record_id,
                owner=self,
                done=partial(self._on_read, self._changes),
                failed=self._on_read_failed,
            )

    def match_again(self) -> None:
        """Match the photos of the tray with the regions again."""
        self._failed_ids.clear()
        self._rematch_ids.update(photo.photo_id for photo in self.tray)
        self._on_photo_changed()
        self._match_next()

    def assign(
        self,
        wanted: Callable[[], Sequence[Assignment]],
        done: Callable[[Sequence[RecordPhoto]], None] = lambda _photos: None,
    ) -> None:
        """Assign each photo to exactly these items. `done` gets the photos as they were before.

        `wanted` is called when all earlier assignments have been answered.
        """
        self._pending.append(_PendingAssignment(wanted, done))
        if len(self._pending) == 1:
            self._assign_next()

    def delete(
        self,
        photo_id: str,
        *,
        confirmed: bool,
        done: Callable[[], None],
        refused: Callable[[Exception], None],
    ) -> None:
        """Remove a photo from the record, then call `done`. `refused` gets the error if that fails."""
        run(
            partial(self._open_record.context.session.photos.delete, confirmed=confirmed),
            self._record_id,
            photo_id,
            owner=self,
            done=lambda _: self._on_deleted(photo_id, done),
            failed=refused,
        )

    # -- reading

    def update(self) -> None:
        """Follow a change of the open record or its regions."""
        if self._open_record.record_id != self._record_id:
            self._record_id = self._open_record.record_id
            for task in (self._reading, self._matching):
                if task is not None:
                    task.cancel()
            self._reading = self._matching = None
            self._photos, self._regions = {}, self._present_regions()
            self._pending.clear()
            self._rematch_ids.clear()
            self._failed_ids.clear()
            self._on_photo_changed()
            self.read()
        self._regions_timer.start()

    def _on_read(self, changes: int, photos: Sequence[RecordPhoto]) -> None:
        self._reading = None
        if changes != self._changes:
            # Older than a response that arrived meanwhile.
            self.read()
            return
        self._photos = {photo.photo_id: photo for photo in photos}
        self._on_photo_changed()
        self._match_next()
        if self._outdated:
            self.read()

    def _on_read_failed(self, error: Exception) -> None:
        self._reading = None
        if not isinstance(error, Unreachable | Forbidden | NotFound):
            self.failed.emit(sentence(error))

    def _on_photo_changed(self) -> None:
        self._changes += 1
        self._offers = None
        self.changed.emit()

    # -- matching

    def _match_after_changes(self) -> None:
        """Match again after regions were drawn or moved: unmatched photos may show them."""
        before, self._regions = self._regions, self._present_regions()
        if before != self._regions and self.tray:
            self.match_again()

    def _present_regions(self) -> frozenset[tuple[str, str]]:
        document = self._open_record.document
        items = document.items if document is not None else ()
        return frozenset((item.item_id, str((item.item_point or {}).get("point"))) for item in items)

    def _match_next(self) -> None:
        # The service knows a new region only once it was sent.
        self._open_record.call_when_saved(self._match, self)

    def _match(self) -> None:
        document = self._open_record.document
        if (
            self._matching is not None
            or document is None
            or not document.items
            or not self._open_record.editable
        ):
            return
        photo = next(
            (photo for photo in reversed(self._photos.values()) if self._next_unmatched(photo)), None
        )
        if photo is None:
            return
        self._rematch_ids.discard(photo.photo_id)
        self._retry_timer.stop()
        self._matching = run(
            self._open_record.context.session.photos.match,
            self._record_id,
            photo.photo_id,
            _MATCH_SECONDS,
            owner=self,
            done=self._on_matched,
            failed=partial(self._on_match_failed, photo.photo_id),
            lane=Lane.LONG,
        )

    def _next_unmatched(self, photo: RecordPhoto) -> bool:
        if photo.photo_id in self._failed_ids:
            return False
        return photo.photo_id in self._rematch_ids or photo.state is PhotoState.WAITING

    def _on_matched(self, photo: RecordPhoto) -> None:
        self._matching = None
        self.add([photo])

    def _on_match_failed(self, photo_id: str, error: Exception) -> None:
        self._matching = None
        if isinstance(error, Unreachable):
            self._retry_timer.start()
            return
        self._failed_ids.add(photo_id)
        if isinstance(error, NotFound):
            self.read()
        else:
            self.failed.emit(sentence(error))
        self._match_next()

    # -- assigning

    def _assign_next(self) -> None:
        # A new item has no ID at the service before it was sent.
        self._open_record.call_when_saved(self._assign, self)

    def _assign(self) -> None:
        if not self._pending:
            return
        pending, service_id = self._pending[0], self._open_record.edits.service_id
        sets = [
            (photo_id, [item.model_copy(update={"item_id": service_id(item.item_id)}) for item in items])
            for photo_id, items in pending.wanted()
        ]
        before = [photo for photo_id, _ in sets if (photo := self._photos.get(photo_id)) is not None]
        run(
            _assign,
            self._open_record.context.session,
            self._record_id,
            sets,
            owner=self,
            progress=lambda photo: self.add([photo]),
            done=lambda _: self._on_assigned(pending, before),
            failed=partial(self._on_assign_failed, pending),
            lane=Lane.LONG,
        )

    def _on_assigned(self, pending: _PendingAssignment, before: Sequence[RecordPhoto]) -> None:
        # Another record may have been opened meanwhile.
        if pending in self._pending:
            pending.done(before)
            self._end(pending)

    def _on_assign_failed(self, pending: _PendingAssignment, error: Exception) -> None:
        self.failed.emit(sentence(error))
        self.read()
        self._end(pending)

    def _end(self, pending: _PendingAssignment) -> None:
        if pending in self._pending:
            self._pending.remove(pending)
            if self._pending:
                self._assign_next()

    def _on_deleted(self, photo_id: str, done: Callable[[], None]) -> None:
        self._photos.pop(photo_id, None)
        self._on_photo_changed()
        done()


def _assign(
    report: ProgressReport, session: Session, record_id: str, assignments: Sequence[Assignment]
) -> None:
    """Assign the photos in order and report each result. Raises ClientError."""
    for photo_id, items in assignments:
        report(session.photos.assign(record_id, photo_id, items))
