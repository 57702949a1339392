"""Uploads pictures to the record one at a time, and resumes after a lost connection."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
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
from shared.wire.photos import RecordPhoto

_FIRST_PAUSE_MS = 1_000
_LONGEST_PAUSE_MS = 30_000


@dataclass(frozen=True, slots=True)
class QueuedPicture:
    """A picture that is to become a photo of a record, and the name of its file.

    `may_be_used`: a user wants it although another record has it.
    """

    record_id: str
    source: Path | bytes
    name: str
    may_be_used: bool = False


class PhotoQueue(QObject):
    """Uploads continue when another record is opened, and wait for the service and for the login of the same
    user.

    Pictures are sent only for the user who added them. They wait while another user is logged in.
    """

    changed = Signal()
    """The number of waiting pictures, the progress of the first, or the failures changed."""
    sent = Signal(object)
    """Emits a `RecordPhoto` that the service has now."""
    stored = Signal(object)
    """Emits the `QueuedPicture` of a sent photo."""
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
        """A line for each refused picture, with its name."""
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

    def count(self, record_id: str) -> int:
        """The number of pictures of a record that wait or are being sent."""
        return sum(picture.record_id == record_id for picture in self._waiting)

    def add(
        self, record_id: str, pictures: Sequence[tuple[Path | bytes, str]], *, may_be_used: bool = False
    ) -> None:
        """Add pictures, each with the name of its file, to the queue.

        A picture that is a photo of another record is refused unless it `may_be_used`.
        """
        if not self._waiting:
            self.failures.clear()
            payload = self._context.payload
            self._user_id = payload.user.user_id if payload is not None else ""
        self._waiting.extend(QueuedPicture(record_id, source, name, may_be_used) for source, name in pictures)
        self.changed.emit()
        self._send_next()

    def cancel(self) -> None:
        """Cancel the running upload and discard waiting ones."""
        self._waiting.clear()
        self._stop()
        self.away = False
        self.changed.emit()

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
            _upload,
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

    def _on_sent(self, photo: RecordPhoto) -> None:
        self._uploading = None
        picture = self._waiting.popleft()
        self.away, self._pause = False, _FIRST_PAUSE_MS
        self.stored.emit(picture)
        self.sent.emit(photo)
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
        self.failures += [f"{each.name}: {sentence(error)}" for each in lost]
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


def _upload(report: ProgressReport, session: Session, picture: QueuedPicture) -> RecordPhoto:
    """Upload a picture and add it to its record. Reports 0..1. Raises ClientError, ImageError, OSError."""
    source, name = prepare_upload(picture.source, picture.name)
    report.check()

    def progress(done: int, total: int) -> None:
        report(done / total if total else 1.0)

    stored = session.files.upload(source, name, progress)
    report.check()
    return session.photos.add(picture.record_id, stored.file_id, refuse_used=not picture.may_be_used)
