# ruff: noqa: N815 - Qt signals
"""Detection of one item or of all: asked for, watched, cancelled."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal

from desktop.client import Session
from desktop.client.errors import ClientError
from desktop.pages.sentences import sentence
from desktop.pages.workbench.bench import Bench
from desktop.workers import Cancelled, Lane, Report, Task, run
from shared.wire.detection import Job, JobState
from shared.wire.inspection import Item

_LOOK_EVERY = 0.25
_ENDED = {JobState.DONE, JobState.FAILED, JobState.CANCELED}


class Detecting(QObject):
    """The detections of the open record that run for this person."""

    runningChanged = Signal(object)
    """A frozenset of the ids of items whose detection is under way."""
    progressChanged = Signal(int, int)
    """How many percent of the work under way are done, and of how many items; 0, 0 when none is."""
    said = Signal(str)
    """Something to tell the person."""

    def __init__(self, bench: Bench, parent: QObject) -> None:
        super().__init__(parent)
        self._bench = bench
        self._tasks: set[Task] = set()
        self._all: Task | None = None
        self._shares: dict[str, int] = {}

    @property
    def running(self) -> frozenset[str]:
        """The items whose detection is under way."""
        return frozenset(self._shares)

    def detect(self) -> None:
        """Detect the chosen item."""
        item = self._bench.item
        if item is None or item.item_id in self._shares:
            return
        if item.model_id is None:
            self.said.emit(self.tr("Choose a detection model for this item first."))
            return
        item_id = item.item_id
        self._mark({item_id: 0})
        self._bench.edits.when_saved(lambda: self._start_one(item_id), self)

    def detect_all(self) -> None:
        """Detect every item that has a photo and a model."""
        if self._bench.document is None or self._all in self._tasks:
            return
        record_id = self._bench.record_id
        self._bench.edits.when_saved(lambda: self._start_all(record_id), self)

    def cancel(self) -> None:
        """Stop everything under way."""
        for task in self._tasks:
            task.cancel()
        self._tasks.clear()
        self._shares.clear()
        self._tell()

    def _start_one(self, item_id: str) -> None:
        self._start(partial(_ask_one, self._bench.edits.service_id(item_id)))

    def _start_all(self, record_id: str) -> None:
        self._all = self._start(partial(_ask_all, record_id))

    def _start(self, ask: Callable[[Session], Sequence[Job]]) -> Task:
        task: Task = run(
            _watch,
            self._bench.context.session,
            ask,
            owner=self,
            progress=self._news,
            done=lambda count: self._ended(task, count),
            failed=lambda error: self._failed(task, error),
            lane=Lane.LONG,
        )
        self._tasks.add(task)
        return task

    def _news(self, news: Job | Item) -> None:
        if isinstance(news, Item):
            self._bench.serve_item(news)
            return
        item_id = self._bench.edits.local_id(news.item_id)
        if news.state in _ENDED:
            self._shares.pop(item_id, None)
            if news.state is JobState.FAILED and item_id == self._bench.current and news.message:
                self.said.emit(news.message)
            self._tell()
        else:
            self._mark({item_id: news.progress})

    def _ended(self, task: Task, count: int) -> None:
        self._tasks.discard(task)
        if count == 0:
            self.said.emit(self.tr("No item has both a photo and a model: add photos first."))
        self._clear()

    def _failed(self, task: Task, error: Exception) -> None:
        self._tasks.discard(task)
        self._clear()
        if not isinstance(error, ClientError):
            raise error
        self.said.emit(sentence(error))

    def _clear(self) -> None:
        if not self._tasks:
            self._shares.clear()
        self._tell()

    def _mark(self, shares: dict[str, int]) -> None:
        self._shares.update(shares)
        self._tell()

    def _tell(self) -> None:
        self.runningChanged.emit(self.running)
        shares = list(self._shares.values())
        self.progressChanged.emit(sum(shares) // len(shares) if shares else 0, len(shares))


def _ask_one(item_id: str, session: Session) -> Sequence[Job]:
    return [session.items.detect(item_id)]


def _ask_all(record_id: str, session: Session) -> Sequence[Job]:
    return session.records.detect(record_id)


def _watch(report: Report, session: Session, ask: Callable[[Session], Sequence[Job]]) -> int:
    """Ask for jobs and report each until it has ended, with its item afterwards; gives how many there were.

    Cancelling the task cancels the jobs.
    """
    jobs = {job.job_id: job for job in ask(session)}
    count = len(jobs)
    try:
        while jobs:
            for job_id in list(jobs):
                job = session.detection.job(job_id)
                report(job)
                if job.state in _ENDED:
                    del jobs[job_id]
                    report(session.items.get(job.item_id).value)
            if jobs:
                report.wait(_LOOK_EVERY)
    except Cancelled:
        for job_id in jobs:
            with contextlib.suppress(ClientError):
                session.detection.cancel(job_id)
        raise
    return count
