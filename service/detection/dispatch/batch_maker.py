"""Creates and cancels the jobs of batches in chunks, in parallel with the requests.

The remaining work is in the database: a service that starts continues where another one ended, and several
services share the work.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from sqlmodel import Session

from service.db.database import Database
from service.detection.dispatch.enqueuing import JobEnqueuer
from service.detection.jobs import batch_rows
from service.exception_trace import trace_of
from service.notifier import Notifier

_LOG = logging.getLogger(__name__)
_POLL_SECONDS: Final = 2.0
_ASK_SECONDS: Final = 1.0


class BatchMaker:
    """One task that creates and cancels jobs.

    on_made: called when jobs were created. canceled: called with the id of each job that was cancelled.
    """

    def __init__(
        self,
        database: Database,
        enqueuing: JobEnqueuer,
        on_made: Callable[[], None],
        canceled: Callable[[str], None],
    ) -> None:
        self._database = database
        self._enqueuing = enqueuing
        self._on_made = on_made
        self._canceled = canceled
        self._kicked = Notifier()
        self._moved = Notifier()
        self._task: asyncio.Task[None] | None = None
        self._at: tuple[str, int] | None = None
        # Chunks that could not be created: the others come first.
        self._failed: set[tuple[str, int]] = set()

    async def start(self) -> None:
        """Start with the remaining work of earlier services."""
        self._task = asyncio.create_task(self._loop())

    async def stop(self) -> None:
        """Stop after the current chunk."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def kick(self) -> None:
        """Notify the task that a batch was stored or cancelled. Any thread may call it."""
        self._kicked.notify()

    async def wait_until_settled(self, batch_id: str, seconds: float) -> None:
        """Wait at most `seconds` until all jobs of the batch are created or, if it is cancelled, ended."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        count = self._moved.count
        while not await self._database.read(lambda session: batch_rows.is_settled(session, batch_id)):
            if (left := until - loop.time()) <= 0:
                return
            # Another service may do it, so the database is also polled.
            count = await self._moved.wait(count, min(left, _ASK_SECONDS))

    async def _loop(self) -> None:
        while True:
            count = self._kicked.count
            try:
                if await self._step():
                    continue
            except Exception as problem:
                # An unreachable database must not stop the task permanently. The text of an exception may
                # contain SQL and values, so it is not logged.
                _LOG.error("a batch of detections could not be made: %s; it goes on", trace_of(problem))
                if self._at is not None:
                    self._failed.add(self._at)
                    continue
            if await self._kicked.wait(count, _POLL_SECONDS) == count:
                self._failed.clear()

    async def _step(self) -> bool:
        """Create the jobs of one chunk and cancel one chunk; False if there is nothing to do."""
        self._at = None
        to_make, to_cancel = await self._database.read(batch_rows.has_work_left)
        has_made = to_make and await self._database.write(self._make)
        if has_made:
            self._on_made()
        canceled = await self._database.write(self._cancel) if to_cancel else []
        for job_id in canceled:
            self._canceled(job_id)
        self._moved.notify()
        return has_made or bool(canceled)

    def _make(self, session: Session) -> bool:
        portion = batch_rows.take_chunk(session, self._failed)
        if portion is None:
            return False
        batch, chunk = portion
        self._at = chunk.batch_id, chunk.number
        self._enqueuing.jobs(session, chunk.item_ids, batch.actor, batch.address, batch.batch_id)
        session.delete(chunk)
        return True

    def _cancel(self, session: Session) -> list[str]:
        canceled_batch = batch_rows.jobs_to_cancel(session)
        if canceled_batch is None:
            return []
        batch, rows = canceled_batch
        for row in rows:
            self._enqueuing.cancel(session, row, batch.canceled_by, batch.canceled_from)
        return [row.job_id for row in rows]
