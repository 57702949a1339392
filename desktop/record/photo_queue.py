"""Uploads photos and films of records one at a time, and resumes after a lost connection."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.client import Session
from desktop.client.http.errors import Conflict, NotLoggedIn, Unreachable
from desktop.connection.local_service import ServiceState
from desktop.context import Context, Unsent
from desktop.imaging.conversion import prepare_upload
from desktop.messages.error_messages import sentence
from shared.ids import new_key
from shared.wire.inspection import Photo
from shared.wire.photos import RecordFilm, RecordPhoto

_FIRST_PAUSE_MS = 1_000
_LONGEST_PAUSE_MS = 30_000


@dataclass(frozen=True, slots=True)
class QueuedPicture:
    """A picture that is to become a photo, or a film that is to be kept, and the name of its file.

    It becomes a photo of the item with `item_id`, the service's id, or else of the record. `asks`: a user
    adds it and is asked if another record has it; `may_be_used`: the user wants it nevertheless.
    """

    record_id: str
    source: Path | bytes = field(repr=False)
    name: str
    item_id: str = ""
    asks: bool = False
    may_be_used: bool = False
    is_film: bool = False
    key: str = field(default_factory=new_key)
    """Identifies the photo to the service, so that it is added once although an answer was lost."""


class PhotoQueue(QObject):
    """Uploads continue when another record is opened, and wait for the service and for the login of the same
    user.

    Pictures are sent only for the user who added them. They wait while another user is logged in.
    """

    changed = Signal()
    """The number of waiting pictures, the progress of the first, or the failures changed."""
    sent = Signal(object)
    """Emits a `RecordPhoto` that the service has now."""
    item_sent = Signal(object, object)
    """Emits the `QueuedPicture` of an item, and the `Photo` that the item has now."""
    stored = Signal(object)
    """Emits the `QueuedPicture` of a sent photo or film."""
    lost = Signal(object, object)
    """Emits a `QueuedPicture` that the service refused, and the error."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._context = context
        self._waiting: deque[QueuedPicture] = deque()
        self._user_id = ""
        self._of_others: dict[str, deque[QueuedPicture]] = {}
        self._uploading: Task | None = None
        self._pause = _FIRST_PAUSE_MS
        self.share = 0.0
        """How much of the first picture was sent, 0..1."""
        self.away = False
        """True while the service cannot be reached and the pictures wait for it."""
        self.failures: list[str] = []
        """A line for each picture that was refused for a record, with its name."""
        self._retry = QTimer(self, singleShot=True)
        self._retry.timeout.connect(self._send_next)
        context.service_changed.connect(self._on_service_changed)
        context.login_changed.connect(self._on_login_changed)
        context.unsent_requested.connect(self._count_unsent)
        context.closing.connect(self._stop)

    @classmethod
    def of(cls, context: Context) -> PhotoQueue:
        """The queue of this desktop. A new window, after a change of the language, continues with it."""
        queue = context.findChild(PhotoQueue)
        return queue if isinstance(queue, PhotoQueue) else cls(context)

    def _count_unsent(self, unsent: Unsent) -> None:
        unsent.photos += len(self._waiting) + sum(map(len, self._of_others.values()))

    @property
    def first(self) -> QueuedPicture | None:
        """The picture that is being sent, or waits for the service."""
        return self._waiting[0] if self._waiting else None

    def count(self, record_id: str) -> int:
        """The number of pictures for a record, not for its items, that wait or are being sent."""
        return sum(picture.record_id == record_id and not picture.item_id for picture in self._waiting)

    def add(self, pictures: Sequence[QueuedPicture]) -> None:
        """Add pictures to the queue."""
        if not self._waiting:
            self.failures.clear()
            payload = self._context.payload
            self._user_id = payload.user.user_id if payload is not None else ""
        self._waiting.extend(pictures)
        self.changed.emit()
        self._send_next()

    def cancel(self, is_discarded: Callable[[QueuedPicture], bool]) -> None:
        """Discard pictures, also the one that is being sent."""
        if self._waiting and is_discarded(self._waiting[0]):
            self._stop()
        self._waiting = deque(picture for picture in self._waiting if not is_discarded(picture))
        self.away &= bool(self._waiting)
        self.changed.emit()
        self._send_next()

    def retry(self) -> None:
        """Send waiting pictures now."""
        self._pause = _FIRST_PAUSE_MS
        self._send_next()

    def forget_failures(self) -> None:
        """Forget the failures, which the user has read."""
        self.failures.clear()
        self.changed.emit()

    def _stop(self) -> None:
        self._retry.stop()
        if self._uploading is not None:
            self._uploading.cancel()
            self._uploading = None

    def _send_next(self) -> None:
        if self._uploading is not None or not self._waiting or self._context.payload is None:
            return
        self._retry.stop()
        self.share = 0.0
        picture = self._waiting[0]
        self._uploading = run(
            upload,
            self._context.session,
            picture,
            owner=self,
            progress=self._progress,
            done=self._on_sent,
            failed=partial(self._on_send_failed, picture),
            lane=Lane.LONG,
        )
        self.changed.emit()

    def _progress(self, share: float) -> None:
        self.share = share
        self.changed.emit()

    def _on_sent(self, photo: RecordPhoto | RecordFilm | Photo) -> None:
        self._uploading = None
        picture = self._waiting.popleft()
        self.away, self._pause = False, _FIRST_PAUSE_MS
        self.stored.emit(picture)
        if isinstance(photo, RecordPhoto):
            self.sent.emit(photo)
        elif isinstance(photo, Photo):
            self.item_sent.emit(picture, photo)
        self.changed.emit()
        self._send_next()

    def _on_send_failed(self, picture: QueuedPicture, error: Exception) -> None:
        self._uploading = None
        if isinstance(error, Unreachable | NotLoggedIn):
            self.away = isinstance(error, Unreachable)
            if self.away:
                self._retry.start(self._pause)
                self._pause = min(self._pause * 2, _LONGEST_PAUSE_MS)
            self.changed.emit()
            return
        lost = [picture]
        if isinstance(error, Conflict) and error.code == "record_sealed":
            # The other pictures would be refused, too.
            lost = [waiting for waiting in self._waiting if waiting.record_id == picture.record_id]
        self.failures += [f"{each.name}: {sentence(error)}" for each in lost if not each.item_id]
        self._waiting = deque(waiting for waiting in self._waiting if waiting not in lost)
        for each in lost:
            self.lost.emit(each, error)
        self.changed.emit()
        self._send_next()

    def _on_service_changed(self, state: ServiceState) -> None:
        if state is ServiceState.READY:
            self.retry()

    def _on_login_changed(self) -> None:
        payload = self._context.payload
        if payload is None:
            self._stop()
            return
        if payload.user.user_id != self._user_id:
            self._change_user(payload.user.user_id)
        self.retry()

    def _change_user(self, user_id: str) -> None:
        self._stop()
        if self._waiting:
            self._of_others[self._user_id] = self._waiting
        self._user_id = user_id
        self._waiting = self._of_others.pop(user_id, deque())
        self.away = False
        self.failures.clear()
        self.changed.emit()


def upload(
    report: ProgressReport, session: Session, picture: QueuedPicture
) -> RecordPhoto | RecordFilm | Photo:
    """Upload a picture or a film and add it to its record or item. Reports 0..1.

    Raises ClientError, ImageError, OSError.
    """
    source, name = picture.source, picture.name
    if not picture.is_film:
        source, name = prepare_upload(source, name)
    report.check()

    def progress(done: int, total: int) -> None:
        report(done / total if total else 1.0)

    stored = session.files.upload(source, name, progress)
    report.check()
    if picture.is_film:
        return session.films.add(picture.record_id, stored.file_id)
    refuse_used = not picture.may_be_used
    if picture.item_id:
        return session.items.add_photo(
            picture.item_id, stored.file_id, key=picture.key, refuse_used=refuse_used
        )
    return session.photos.add(picture.record_id, stored.file_id, refuse_used=refuse_used)
