"""Reads a record, and while it is open its changes at the service: other users' edits, and detections.

Listens for other users' changes while a page is visible.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.client import Session
from desktop.client.http.errors import ClientError, Forbidden, NotFound
from desktop.context import Context
from desktop.record.document import ORDER
from desktop.record.loading import LoadedRecord, load, photos_of_failed
from desktop.record.open_record import OpenRecord
from desktop.record.outbox import SendResult
from shared.record.codes import ErrorCode
from shared.wire.detection import Job
from shared.wire.events import ChangeEvent
from shared.wire.inspection import Item, Record
from shared.wire.seal import RecordSeal

_RETRY_SECONDS = 2.0


class ChangeListener(QObject):
    """Listens from `start` to `stop`, and reconnects if the service was unavailable.

    Only one listener may be active: `stop` ends every reading of the session's events.
    """

    event_received = Signal(object)
    """Emits a `ChangeEvent`, or None when events were missed and everything must be read again."""

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._task: Task | None = None
        self._session: Session | None = None
        context.closing.connect(self.stop)

    def start(self) -> None:
        """Start listening, unless already listening."""
        if self._task is None:
            self._session = self._context.session
            self._task = run(
                _read_events,
                self._session,
                owner=self,
                progress=self.event_received.emit,
                done=lambda _: self._end_listening(),
                failed=lambda _: self._end_listening(),
                lane=Lane.LONG,
            )

    def stop(self) -> None:
        """Stop listening."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            if self._session is not None:
                self._session.events.close()

    def _end_listening(self) -> None:
        self._task = None


def _read_events(report: ProgressReport, session: Session) -> None:
    last_event_id: str | None = None

    def handle_event(event: ChangeEvent | None) -> None:
        nonlocal last_event_id
        last_event_id = event.id if event is not None else last_event_id
        report(event)

    while True:
        report.check()
        with contextlib.suppress(ClientError):
            try:
                session.events.read(handle_event, last_event_id, report.check)
            except (Forbidden, NotFound):
                return
        report.wait(_RETRY_SECONDS)


_PHOTO_ACTIONS = ("add_photo", "delete_photo")
_GATHER_MS = 150
_CHUNK_SIZE = 50
_POLL_SECONDS = 0.3
_POLL_MANY_SECONDS = 3.0
_POLL_AGAIN_MS = 3_000


class LiveChanges(QObject):
    """Loads a record, then its changes into the open record. It is the only reader of items.

    Changes come from the event stream, which is read while the workbench is visible, and from `read_items`.
    The progress of detections is polled while an item has an open job, which also finds results that an
    interrupted stream did not announce.
    """

    loaded = Signal(object)
    """The `LoadedRecord`: the whole record was read."""
    failed = Signal(object)
    """The exception that ended `reload`."""
    photos_changed = Signal(str)
    """The id of an item whose photos changed."""

    record_changed = Signal()
    """The record itself or its photos changed, or may have."""
    memory_changed = Signal(str)
    """The file id of a reference image on which the memory of a region changed; empty if it is unknown."""
    jobs_changed = Signal(object)
    """The open jobs of the record as a list of Job, after each poll."""

    def __init__(self, open_record: OpenRecord, parent: QObject) -> None:
        super().__init__(parent)
        self._open_record = open_record
        self.record_id = ""
        """The record that is open or is to be opened; empty if there is none."""
        self._load_task: Task | None = None
        self._sent_ids: set[str] | None = None
        """The objects of edits that were sent while the record is read; None while it is not."""
        self._listener = ChangeListener(open_record.context, self)
        self._listener.event_received.connect(self._on_event)
        self._item_ids: set[str] = set()
        self._created_ids: set[str] = set()
        self._reload_all = False
        self._reload_record = self._reload_photos = False
        self._gather_timer = QTimer(self, singleShot=True)
        self._gather_timer.timeout.connect(self._fetch)
        self._callbacks: list[Callable[[], None]] = []
        self._poll_task: Task | None = None
        self._poll_timer = QTimer(self, singleShot=True, interval=_POLL_AGAIN_MS)
        self._poll_timer.timeout.connect(self._poll)
        open_record.results_changed.connect(self._poll)
        open_record.edits.answered.connect(self._on_answered)
        open_record.context.closing.connect(self.stop)

    def reload(self) -> None:
        """Read the whole record."""
        if self._load_task is not None:
            self._load_task.cancel()
        self._sent_ids = set()
        self._load_task = run(
            load,
            self._open_record.context.session,
            self.record_id,
            self._open_record.edits.local_id,
            owner=self,
            done=self._on_loaded,
            failed=self._on_failed,
        )

    def _on_loaded(self, loaded: LoadedRecord) -> None:
        sent_ids, self._sent_ids = self._sent_ids, None
        self.loaded.emit(loaded)
        # What was read may be older than these edits, which are no longer unsent, and than these events.
        if sent_ids:
            self.read_items(map(self._open_record.edits.service_id, sent_ids))
        elif self._reload_all or self._reload_record or self._item_ids:
            self._gather_timer.start(_GATHER_MS)

    def _on_failed(self, error: Exception) -> None:
        self._sent_ids = None
        self.failed.emit(error)

    def start(self) -> None:
        """Start listening, unless already listening."""
        self._listener.start()

    def stop(self) -> None:
        """Stop listening. Detections are polled until `cancel_reading`."""
        self._listener.stop()

    def cancel_reading(self) -> None:
        """Cancel all reading when the record is left."""
        self._gather_timer.stop()
        self._poll_timer.stop()
        if self._load_task is not None:
            self._load_task.cancel()
        self._sent_ids = None
        if self._poll_task is not None:
            self._poll_task.cancel()
            self._poll_task = None
        self._item_ids.clear()
        self._created_ids.clear()
        self._callbacks.clear()
        self._reload_all = self._reload_record = self._reload_photos = False

    def read_items(self, service_ids: Iterable[str], callback: Callable[[], None] = lambda: None) -> None:
        """Read items that changed at the service now, together with all others that wait to be read.

        `callback` is called afterwards, unless the record is left before.
        """
        self._item_ids.update(service_ids)
        self._callbacks.append(callback)
        self._gather_timer.start(0)

    def _on_answered(self, sent: SendResult) -> None:
        """Read the record again after the service refused an edit because the record is sealed, or refused an
        order of the items, and the item of an edit that was sent while the record is read."""
        if self._sent_ids is not None and sent.edit.object != ORDER and sent.edit.record_id == self.record_id:
            self._sent_ids.add(sent.edit.object_id)
        if sent.refused is not None and sent.edit.object == ORDER:
            self._reload_all = True
            self._gather_timer.start(_GATHER_MS)
        sealed = sent.refused is not None and sent.refused.code == ErrorCode.RECORD_SEALED
        if sealed and sent.edit.record_id == self._open_record.record_id and not self._open_record.sealed:
            self._reload_record = True
            self._gather_timer.start(_GATHER_MS)

    def _on_event(self, event: ChangeEvent | None) -> None:
        if event is None:
            self._reload_all = True
            self.memory_changed.emit("")
        elif event.kind == "region_memory":
            self.memory_changed.emit(event.object_id or "")
        elif event.kind == "record" and event.object_id == self.record_id:
            self._reload_record = True
            self._reload_all = self._reload_all or event.action in ("add_items", "arrange")
        elif event.kind == "item" and event.object_id is not None:
            is_loaded = self._is_loaded(event.object_id)
            # The photos of an item are also photos of the record, which name their items.
            self._reload_photos = self._reload_photos or (is_loaded and event.action in _PHOTO_ACTIONS)
            if event.action == "create":
                # An item created by this desktop comes with the response, which may follow the event.
                if not is_loaded:
                    self._item_ids.add(event.object_id)
                    self._created_ids.add(event.object_id)
            else:
                # The response to its creation does not have this change.
                self._created_ids.discard(event.object_id)
                if is_loaded:
                    self._item_ids.add(event.object_id)
                elif event.action == "bring_back":
                    # Only the whole list gives the place of a restored item.
                    self._reload_all = True
        if (self._reload_all or self._reload_record or self._item_ids) and not self._gather_timer.isActive():
            self._gather_timer.start(_GATHER_MS)

    def _fetch(self) -> None:
        if self._open_record.document is None:
            return
        if self._reload_all or self._reload_record or self._reload_photos:
            self._reload_photos = False
            self.record_changed.emit()
        if self._reload_all:
            self._reload_all = self._reload_record = False
            self._item_ids.clear()
            self.reload()
            self._run_callbacks()
            return
        items, self._item_ids = sorted(self._item_ids), set()
        created_ids, self._created_ids = self._created_ids, set()
        items = [item_id for item_id in items if item_id not in created_ids or not self._is_loaded(item_id)]
        for item_id in items:
            self.photos_changed.emit(self._open_record.edits.local_id(item_id))
        callbacks, self._callbacks = self._callbacks, []
        run(
            _read_items,
            self._open_record.context.session,
            self._open_record.record_id,
            items,
            owner=self,
            progress=self._on_items_read,
            failed=lambda _: _call_all(callbacks),
            done=lambda _: _call_all(callbacks),
        )
        if self._reload_record:
            self._reload_record = False
            run(
                _read_record,
                self._open_record.context.session,
                self._open_record.record_id,
                owner=self,
                done=self._on_record_read,
                failed=lambda _: None,
            )

    def _run_callbacks(self) -> None:
        callbacks, self._callbacks = self._callbacks, []
        _call_all(callbacks)

    def _on_record_read(self, result: tuple[Record, RecordSeal]) -> None:
        self._open_record.update_record(*result)

    def _is_loaded(self, service_id: str) -> bool:
        document = self._open_record.document
        return (
            document is not None and document.item(self._open_record.edits.local_id(service_id)) is not None
        )

    def _on_items_read(self, result: tuple[Sequence[Item], Mapping[str, list[str]]] | str) -> None:
        if isinstance(result, str):
            self._open_record.remove_item(result)
        else:
            self._open_record.update_items(*result)

    # Open jobs

    def _running_item_ids(self) -> set[str]:
        service_id = self._open_record.edits.service_id
        return {service_id(row.item_id) for row in self._open_record.rows if row.run.is_running}

    def _poll(self) -> None:
        if self._poll_task is not None or self._poll_timer.isActive():
            return
        items = self._running_item_ids()
        if items:
            self._poll_task = run(
                _poll_jobs,
                self._open_record.context.session,
                self._open_record.record_id,
                items,
                owner=self,
                progress=self._on_jobs,
                done=lambda _: self._on_polled(),
                failed=self._on_poll_failed,
                lane=Lane.LONG,
            )

    def _on_jobs(self, result: tuple[Sequence[Job], set[str]]) -> None:
        jobs, ended_ids = result
        self.jobs_changed.emit(jobs)
        # Other results were announced by the stream.
        missed_ids = ended_ids & self._running_item_ids()
        if missed_ids:
            self.read_items(missed_ids)

    def _on_polled(self) -> None:
        self._poll_task = None
        if self._running_item_ids():
            # The service does not list the job of an entry. Poll again after a pause.
            self._poll_timer.start()

    def _on_poll_failed(self, error: Exception) -> None:
        # Events announce the results too, and a permanent failure appears there.
        self._poll_task = None
        if not isinstance(error, ClientError):
            raise error


def _call_all(functions: Iterable[Callable[[], None]]) -> None:
    for function in functions:
        function()


def _poll_jobs(report: ProgressReport, session: Session, record_id: str, item_ids: set[str]) -> None:
    """Report the open jobs of a record and the ids of items whose job has ended, until there are no open
    jobs."""
    waiting_ids = item_ids
    while True:
        jobs = session.detection.open_jobs(record_id)
        open_ids = {job.item_id for job in jobs}
        report((jobs, waiting_ids - open_ids))
        waiting_ids = open_ids
        if not jobs:
            return
        report.wait(_POLL_SECONDS if len(jobs) < _CHUNK_SIZE else _POLL_MANY_SECONDS)


def _read_record(session: Session, record_id: str) -> tuple[Record, RecordSeal]:
    return session.records.get(record_id).value, session.records.seal(record_id)


def _read_items(report: ProgressReport, session: Session, record_id: str, item_ids: list[str]) -> None:
    """Report these items in chunks, with the photos of failed ones, and the ID of each that is gone."""
    items: list[Item] = []
    if len(item_ids) > _CHUNK_SIZE:
        # Reading whole pages is faster than that many single items.
        wanted_ids = set(item_ids)
        items = [item for item in session.items.all(record_id) if item.item_id in wanted_ids]
        for missing_id in wanted_ids - {item.item_id for item in items}:
            report(missing_id)
    else:
        for item_id in item_ids:
            try:
                items.append(session.items.get(item_id).value)
            except NotFound:
                report(item_id)
    for start in range(0, len(items), _CHUNK_SIZE):
        chunk = items[start : start + _CHUNK_SIZE]
        report((chunk, photos_of_failed(session, chunk)))
