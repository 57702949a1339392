"""Queues jobs on SQLite: the job table itself, polled when there may be a new job."""

from __future__ import annotations

import asyncio
from typing import Final

from sqlmodel import Session

from service.db.database import Database
from service.detection.jobs import job_rows
from service.detection.queue.port import AT_ONCE, Outcome, Work
from service.detection.tables import JobRow
from service.tasks import Notifier, end_tasks

_POLL_SECONDS: Final = 2.0


class LeasedQueue:
    """Takes the oldest free row repeatedly.

    A transaction takes time also if it finds no row. So after the first one that found none, the next one
    begins at a kick or poll.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._kicked = Notifier()
        self._empty_since: int | None = None
        """The number of kicks before no row was free; None if a row may be free without another kick."""
        self._tasks: list[asyncio.Task[None]] = []

    def add(self, session: Session, row: JobRow) -> None:
        """Do nothing, because the row itself is the queue."""

    def kick(self) -> None:
        """Poll for a job now. Any thread may call it."""
        self._kicked.notify()

    async def start(self, work: Work) -> None:
        """Start to take jobs; those of a process that died come first."""
        # One service owns a SQLite file, so all running jobs belonged to a process that ended.
        await self._database.write(job_rows.release_running_jobs)
        self._tasks = [asyncio.create_task(self._loop(work)) for _ in range(AT_ONCE)]

    def is_alive(self) -> bool:
        """Whether the tasks that take jobs still run."""
        return bool(self._tasks) and not any(task.done() for task in self._tasks)

    async def stop(self) -> None:
        """Cancel the jobs in work."""
        await end_tasks(*self._tasks)

    async def _loop(self, work: Work) -> None:
        while True:
            count = self._kicked.count
            if count != self._empty_since:
                outcome = await work(job_rows.take_oldest)
                if outcome is Outcome.NOTHING:
                    self._empty_since = count
                elif outcome is not Outcome.ENDED:
                    self._empty_since = None
                if outcome is Outcome.FAULT:
                    await asyncio.sleep(_POLL_SECONDS)
                if outcome is not Outcome.NOTHING:
                    continue
            if await self._kicked.wait(count, _POLL_SECONDS) == count:
                # A lease may have expired.
                self._empty_since = None
