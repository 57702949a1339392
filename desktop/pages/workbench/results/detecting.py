# ruff: noqa: N815 - Qt signals
"""Runs detection for one item or all: start, progress, cancel, retry, whoever started it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.client import Session
from desktop.client.http.errors import ClientError, NotFound
from desktop.pages.common.messages.error_messages import sentence
from desktop.pages.workbench.model.run_state import run_state
from desktop.pages.workbench.open_record.open_record import OpenRecord
from shared.wire.detection import Job
from shared.wire.inspection import Item

_LOOK_EVERY = 0.3
_LOOK_AGAIN = 3.0
_AT_ONCE = 100
"""Items that are shown in one turn of the event loop."""
_AGAIN_MS = 3_000


class DetectionController(QObject):
    """The detections of the open record that are under way, also those that others asked for.

    The result entry of an item says that its detection is under way; its progress is polled. They go on when
    the record is left: only `cancel` ends them.
    """

    runningChanged = Signal(object)
    """A mapping from the ids of the items whose detection is under way to percent (0..100)."""
    progressChanged = Signal(int, int)
    """How many percent of the work under way are done, and of how many items; 0, 0 when none is."""
    restChanged = Signal(int)
    """So many undecided items were left out by `detect_all`, since their result is current."""
    notice = Signal(str)
    """Something to tell the person."""

    def __init__(self, open_record: OpenRecord, parent: QObject) -> None:
        super().__init__(parent)
        self._open_record = open_record
        self._asking: dict[str, Task | None] = {}
        self._percent: dict[str, int] = {}
        self._running: dict[str, int] = {}
        self._ended = 0
        self._outdated = False
        self._watching: Task | None = None
        self._again = QTimer(self, singleShot=True, interval=_AGAIN_MS)
        self._again.timeout.connect(self._follow)
        open_record.changed.connect(self._follow)

    @property
    def running(self) -> Mapping[str, int]:
        """The items whose detection is asked for or under way, with percent."""
        return self._running

    def detect(self) -> None:
        """Detect the chosen item, for the first time or again."""
        item = self._open_record.item
        if item is None or item.item_id in self._running or not self._open_record.may_edit():
            return
        if item.model_id is None:
            self.notice.emit(self.tr("Select a detection model for this item first."))
            return
        item_id = item.item_id
        self._ask(
            [item_id], lambda session: [session.items.detect(self._open_record.edits.service_id(item_id))]
        )

    def detect_items(self, item_ids: Sequence[str]) -> None:
        """Detect these items; those without a model are left out, which is said."""
        if not self._open_record.may_edit():
            return
        document = self._open_record.document
        items = [document.item(item_id) for item_id in item_ids] if document is not None else []
        wanted = [one.item_id for one in items if one is not None and one.model_id is not None]
        if len(wanted) < len(item_ids):
            left = len(item_ids) - len(wanted)
            self.notice.emit(self.tr("%n item(s) skipped: no photo or no model.", "", left))
        wanted = [item_id for item_id in wanted if item_id not in self._running]
        if wanted:
            service_id = self._open_record.edits.service_id
            self._ask(
                wanted, lambda session: [session.items.detect(service_id(item_id)) for item_id in wanted]
            )

    def detect_all(self) -> None:
        """Detect every undecided item with a photo and a model that has no current result."""
        self._detect_record(outdated=True)

    def detect_again(self) -> None:
        """The same, also where the result is current."""
        self._detect_record(outdated=False)

    def _detect_record(self, outdated: bool) -> None:
        record_id = self._open_record.record_id
        if record_id and "" not in self._asking and self._open_record.may_edit():
            self.restChanged.emit(0)
            self._outdated = outdated
            self._ask([""], lambda session: session.records.detect(record_id, outdated=outdated))

    def cancel(self) -> None:
        """End every detection of the record that waits or runs."""
        self._end([self._job(item_id) for item_id in self._running])

    def cancel_item(self) -> None:
        """End the detection of the chosen item."""
        self._end([self._job(self._open_record.current)])

    def stop(self) -> None:
        """Stop watching; running detections continue in the service."""
        for task in (*self._asking.values(), self._watching):
            if task is not None:
                task.cancel()
        self._watching = None
        self._asking.clear()
        self._percent.clear()
        self._follow()

    # -- asking

    def _ask(self, item_ids: Sequence[str], ask: Callable[[Session], Sequence[Job]]) -> None:
        """Ask once everything is saved; an empty id stands for the whole record."""
        self._asking.update(dict.fromkeys(item_ids))
        self._follow()
        self._open_record.edits.when_saved(
            partial(self._send, item_ids, self._open_record.record_id, ask), self
        )

    def _send(self, item_ids: Sequence[str], record_id: str, ask: Callable[[Session], Sequence[Job]]) -> None:
        if item_ids[0] not in self._asking or record_id != self._open_record.record_id:
            return
        task = run(
            _asked,
            self._open_record.context.session,
            ask,
            owner=self,
            progress=self._take,
            done=lambda asked: self._was_asked(item_ids, asked),
            failed=lambda error: self._not_asked(item_ids, error),
            lane=Lane.LONG,
        )
        self._asking.update(dict.fromkeys(item_ids, task))

    def _take(self, news: Sequence[Item] | Item) -> None:
        if isinstance(news, Item):
            self._open_record.update_item(news)
        else:
            self._open_record.update_items(news)

    def _was_asked(self, item_ids: Sequence[str], asked: Sequence[str]) -> None:
        for item_id in item_ids:
            self._asking.pop(item_id, None)
        if "" in item_ids:
            self._say_left_out({self._open_record.edits.local_id(one) for one in asked})
        self._follow()

    def _say_left_out(self, asked: set[str]) -> None:
        left = [row for row in self._open_record.rows if not row.judged and row.item_id not in asked]
        current = [row for row in left if self._outdated and row.detected and not row.run.under_way]
        if current:
            self.restChanged.emit(len(current))
        elif not asked:
            self.notice.emit(self.tr("Nothing to detect: no undecided item has both a photo and a model."))
        if asked and len(left) > len(current):
            others = len(left) - len(current)
            self.notice.emit(self.tr("%n item(s) skipped: no photo or no model.", "", others))

    def _not_asked(self, item_ids: Sequence[str], error: Exception) -> None:
        for item_id in item_ids:
            self._asking.pop(item_id, None)
        self._follow()
        if not isinstance(error, ClientError):
            raise error
        self.notice.emit(sentence(error))

    # -- ending

    def _job(self, item_id: str) -> str:
        document = self._open_record.document
        item = document.item(item_id) if document is not None else None
        return run_state(item.result).job_id if item is not None else ""

    def _end(self, job_ids: Sequence[str]) -> None:
        wanted = [job_id for job_id in job_ids if job_id]
        if wanted:
            run(
                _cancel,
                self._open_record.context.session,
                wanted,
                owner=self,
                progress=self._open_record.update_item,
                done=lambda _: None,
                failed=lambda error: self.notice.emit(sentence(error)),
            )

    # -- watching

    def _follow(self) -> None:
        """Find the running detections and start watching them unless already watching."""
        under_way = {row.item_id for row in self._open_record.rows if row.run.under_way}
        asked = {item_id for item_id in self._asking if item_id}
        self._percent = {key: value for key, value in self._percent.items() if key in under_way}
        running = {item_id: self._percent.get(item_id, 0) for item_id in under_way | asked}
        self._ended = self._ended + len(self._running.keys() - running.keys()) if running else 0
        if running != self._running:
            self._running = running
            self.runningChanged.emit(running)
            total = len(running) + self._ended
            percent = (sum(running.values()) + 100 * self._ended) // total if total else 0
            self.progressChanged.emit(percent, len(running))
        if under_way and self._watching is None and not self._again.isActive():
            self._watching = run(
                _watch,
                self._open_record.context.session,
                self._open_record.record_id,
                [self._open_record.edits.service_id(item_id) for item_id in under_way],
                owner=self,
                progress=self._news,
                done=lambda _: self._watched(),
                failed=self._not_watched,
                lane=Lane.LONG,
            )

    def _watched(self) -> None:
        self._watching = None
        if any(row.run.under_way for row in self._open_record.rows):
            # An entry whose job is not among those that the service names: look again, but not at once.
            self._again.start()
        self._follow()

    def _not_watched(self, error: Exception) -> None:
        # The events bring the results all the same; what fails here for good fails there as well.
        self._watching = None
        if not isinstance(error, ClientError):
            raise error

    def _news(self, news: Sequence[Job] | Item) -> None:
        if isinstance(news, Item):
            self._open_record.update_item(news)
            return
        local = self._open_record.edits.local_id
        self._percent.update({local(job.item_id): job.progress for job in news})
        self._follow()


def _asked(report: ProgressReport, session: Session, ask: Callable[[Session], Sequence[Job]]) -> list[str]:
    """Ask for jobs; reports the items as they are then, and gives the ids of those that have one."""
    jobs = ask(session)
    if len(jobs) == 1:
        report(session.items.get(jobs[0].item_id).value)
    elif jobs:
        items = session.items.all(jobs[0].inspection_id)
        for start in range(0, len(items), _AT_ONCE):
            report(items[start : start + _AT_ONCE])
    return [job.item_id for job in jobs]


def _cancel(report: ProgressReport, session: Session, job_ids: Sequence[str]) -> None:
    for job_id in job_ids:
        try:
            report(session.items.get(session.detection.cancel(job_id).item_id).value)
        except NotFound:
            continue


def _watch(report: ProgressReport, session: Session, record_id: str, item_ids: Sequence[str]) -> None:
    """Report the jobs of a record that are open until none is, and each item whose job has ended."""
    waited = set(item_ids)
    while True:
        jobs = session.detection.open_jobs(record_id)
        report(jobs)
        now = {job.item_id for job in jobs}
        for item_id in waited - now:
            try:
                report(session.items.get(item_id).value)
            except NotFound:
                continue
        waited = now
        if not jobs:
            return
        report.wait(_LOOK_EVERY if len(jobs) < 50 else _LOOK_AGAIN)
