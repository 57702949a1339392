"""Reads what changes at the service while a record is open: other users' edits, and detections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.client import Session
from desktop.client.http.errors import ClientError, NotFound
from desktop.pages.common.change_listener import ChangeListener
from desktop.pages.workbench.open_record.open_record import OpenRecord
from desktop.pages.workbench.sync.outbox import SendResult
from shared.codes import ErrorCode
from shared.wire.detection import Job
from shared.wire.events import ChangeEvent
from shared.wire.inspection import Item, Record
from shared.wire.seal import RecordSeal

_OF_PHOTOS = ("add_photo", "delete_photo")
_GATHER_MS = 150
_AT_ONCE = 50
_POLL_SECONDS = 0.3
_POLL_MANY_SECONDS = 3.0
_POLL_AGAIN_MS = 3_000


class LiveChanges(QObject):
    """Loads changes into the open record; nothing else reads its items once it is loaded.

    Changes are announced by the event stream, which is read while the workbench is in front, and by `expect`.
    The progress of detections is not announced: open jobs are polled while an item has one, which also finds
    results that an interrupted stream did not announce. `reload` reads the whole record again;
    `photos_changed` gets the id of an item whose photos changed.
    """

    recordChanged = Signal()  # noqa: N815 - a Qt signal
    """The record itself or its photos changed, or may have."""
    memoryChanged = Signal(str)  # noqa: N815
    """The memory of a region on the reference image of this file changed; empty when any may have."""
    jobsChanged = Signal(object)  # noqa: N815
    """The open jobs of the record as a list of Job, as often as they are polled."""

    def __init__(
        self,
        open_record: OpenRecord,
        reload: Callable[[], None],
        photos_changed: Callable[[str], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._open_record, self._reload, self._photos_changed = open_record, reload, photos_changed
        self._listener = ChangeListener(open_record.context, self)
        self._listener.event_received.connect(self._news)
        self._items: set[str] = set()
        self._created: set[str] = set()
        self._all = False
        self._record = self._photos = False
        self._gather = QTimer(self, singleShot=True)
        self._gather.timeout.connect(self._fetch)
        self._waiting: list[Callable[[], None]] = []
        self._polling: Task | None = None
        self._poll_again = QTimer(self, singleShot=True, interval=_POLL_AGAIN_MS)
        self._poll_again.timeout.connect(self._poll)
        open_record.changed.connect(self._poll)
        open_record.edits.answered.connect(self._answered)
        open_record.context.closing.connect(self.stop)

    def start(self) -> None:
        """Start listening, unless already listening."""
        self._listener.start()

    def stop(self) -> None:
        """Stop listening; detections are followed until `forget`."""
        self._listener.stop()

    def forget(self) -> None:
        """Drop what is to be read, when the record is left."""
        self._gather.stop()
        self._poll_again.stop()
        if self._polling is not None:
            self._polling.cancel()
            self._polling = None
        self._items.clear()
        self._created.clear()
        self._waiting.clear()
        self._all = self._record = self._photos = False

    def expect(self, service_ids: Iterable[str], then: Callable[[], None] = lambda: None) -> None:
        """Read these items, which changed at the service, now, with all that wait to be read.

        Afterwards `then` is called, unless the record is left before.
        """
        self._items.update(service_ids)
        self._waiting.append(then)
        self._gather.start(0)

    def _answered(self, sent: SendResult) -> None:
        """Read the state of the record after an edit met an unknown seal."""
        sealed = sent.refused is not None and sent.refused.code == ErrorCode.RECORD_SEALED
        if sealed and sent.edit.record_id == self._open_record.record_id and not self._open_record.sealed:
            self._record = True
            self._gather.start(_GATHER_MS)

    def _news(self, event: ChangeEvent | None) -> None:
        if event is None:
            self._all = True
            self.memoryChanged.emit("")
        elif event.kind == "region_memory":
            self.memoryChanged.emit(event.object_id or "")
        elif event.kind == "record" and event.object_id == self._open_record.record_id:
            self._record = True
            self._all = self._all or event.action == "add_items"
        elif event.kind == "item" and event.object_id is not None:
            is_loaded = self._is_loaded(event.object_id)
            # The photo of an item is a photo of the record, too, which names its items.
            self._photos = self._photos or (is_loaded and event.action in _OF_PHOTOS)
            if event.action == "create":
                # An item created here is loaded by the response, which may come after the event.
                if not is_loaded:
                    self._items.add(event.object_id)
                    self._created.add(event.object_id)
            elif is_loaded:
                self._items.add(event.object_id)
            elif event.action == "bring_back":
                # It has a place among the others again, which only the whole list gives.
                self._all = True
        if (self._all or self._record or self._items) and not self._gather.isActive():
            self._gather.start(_GATHER_MS)

    def _fetch(self) -> None:
        if self._open_record.document is None:
            return
        if self._all or self._record or self._photos:
            self._photos = False
            self.recordChanged.emit()
        if self._all:
            self._all = self._record = False
            self._items.clear()
            self._reload()
            self._end_waiting()
            return
        items, self._items = sorted(self._items), set()
        created, self._created = self._created, set()
        items = [item_id for item_id in items if item_id not in created or not self._is_loaded(item_id)]
        for item_id in items:
            self._photos_changed(self._open_record.edits.local_id(item_id))
        waiting, self._waiting = self._waiting, []
        run(
            _read,
            self._open_record.context.session,
            self._open_record.record_id,
            items,
            owner=self,
            progress=self._take,
            failed=lambda _: _call(waiting),
            done=lambda _: _call(waiting),
        )
        if self._record:
            self._record = False
            run(
                _read_record,
                self._open_record.context.session,
                self._open_record.record_id,
                owner=self,
                done=self._take_record,
                failed=lambda _: None,
            )

    def _end_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        _call(waiting)

    def _take_record(self, news: tuple[Record, RecordSeal]) -> None:
        self._open_record.update_record(*news)

    def _is_loaded(self, service_id: str) -> bool:
        document = self._open_record.document
        return (
            document is not None and document.item(self._open_record.edits.local_id(service_id)) is not None
        )

    def _take(self, news: Sequence[Item] | str) -> None:
        if isinstance(news, str):
            self._open_record.drop(news)
        elif len(news) == 1:
            self._open_record.update_item(news[0])
        else:
            self._open_record.update_items(news)

    # Open jobs

    def _under_way(self) -> set[str]:
        service_id = self._open_record.edits.service_id
        return {service_id(row.item_id) for row in self._open_record.rows if row.run.under_way}

    def _poll(self) -> None:
        if self._polling is not None or self._poll_again.isActive():
            return
        items = self._under_way()
        if items:
            self._polling = run(
                _poll_jobs,
                self._open_record.context.session,
                self._open_record.record_id,
                items,
                owner=self,
                progress=self._take_jobs,
                done=lambda _: self._polled(),
                failed=self._not_polled,
                lane=Lane.LONG,
            )

    def _take_jobs(self, news: tuple[Sequence[Job], set[str]]) -> None:
        jobs, ended = news
        self.jobsChanged.emit(jobs)
        # What the stream announced has been read or is being read.
        missed = ended & self._under_way()
        if missed:
            self.expect(missed)

    def _polled(self) -> None:
        self._polling = None
        if self._under_way():
            # An entry whose job the service does not list: read again, but not at once.
            self._poll_again.start()

    def _not_polled(self, error: Exception) -> None:
        # Events bring the results anyway; a permanent failure shows up there as well.
        self._polling = None
        if not isinstance(error, ClientError):
            raise error


def _call(functions: Iterable[Callable[[], None]]) -> None:
    for function in functions:
        function()


def _poll_jobs(report: ProgressReport, session: Session, record_id: str, item_ids: set[str]) -> None:
    """Report the open jobs of a record until none is, with the ids of the items whose job has ended."""
    waited = item_ids
    while True:
        jobs = session.detection.open_jobs(record_id)
        now = {job.item_id for job in jobs}
        report((jobs, waited - now))
        waited = now
        if not jobs:
            return
        report.wait(_POLL_SECONDS if len(jobs) < _AT_ONCE else _POLL_MANY_SECONDS)


def _read_record(session: Session, record_id: str) -> tuple[Record, RecordSeal]:
    return session.records.get(record_id).value, session.records.seal(record_id)


def _read(report: ProgressReport, session: Session, record_id: str, item_ids: list[str]) -> None:
    """Report these items in chunks, and the ID of each that no longer exists."""
    items: list[Item] = []
    if len(item_ids) > _AT_ONCE:
        # Reading whole pages is faster than that many single items.
        wanted = set(item_ids)
        items = [item for item in session.items.all(record_id) if item.item_id in wanted]
        for missing_id in wanted - {item.item_id for item in items}:
            report(missing_id)
    else:
        for item_id in item_ids:
            try:
                items.append(session.items.get(item_id).value)
            except NotFound:
                report(item_id)
    for start in range(0, len(items), _AT_ONCE):
        report(items[start : start + _AT_ONCE])
