"""Creates and queues jobs with their pending entries, and cancels both.

All functions work inside the caller's transaction. They lock the jobs before the record of their items.

Creates and cancels the jobs of batches in chunks, in parallel with the requests.

The remaining work is in the database: a service that starts continues where another one ended, and several
services share the work.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Final

from sqlmodel import Session

from service.db.database import Database, now
from service.detection import rules
from service.detection.failure import MESSAGES
from service.detection.jobs import batch_rows, job_rows
from service.detection.models.registry import stored_model
from service.detection.queue.port import Queue
from service.detection.tables import JobRow
from service.exception_trace import trace_of
from service.files.lookup import file_info
from service.inspection.records.detection_input import DetectionAccess
from service.tasks import Notifier, end_tasks
from service.web.envelope import Problem
from shared.wire.detection import OPEN_JOB_STATES, JobState


class JobEnqueuer:
    """Creates and cancels jobs on behalf of a user, at an address."""

    def __init__(self, items: DetectionAccess, queue: Queue) -> None:
        self._items = items
        self._queue = queue

    def job(self, session: Session, item_id: str, actor: str | None, address: str | None) -> JobRow:
        """A job for the item, or its open one. Raises Problem 404, and 409 without a model or a photo, and
        if the photo is the reference file.
        """
        before = job_rows.open_jobs(session, [item_id])
        return self._create_job(session, item_id, before.get(item_id), actor, address, None)

    def jobs(
        self,
        session: Session,
        item_ids: Sequence[str],
        actor: str | None,
        address: str | None,
        batch_id: str,
    ) -> None:
        """Create a job of a batch for each of the items of one record that has no open job.

        Items that were deleted, and items without a model or photo, are left out.
        """
        before = job_rows.open_jobs(session, item_ids)
        for item_id in item_ids:
            try:
                self._create_job(session, item_id, before.get(item_id), actor, address, batch_id)
            except Problem:
                continue

    def _create_job(
        self,
        session: Session,
        item_id: str,
        before: JobRow | None,
        actor: str | None,
        address: str | None,
        batch_id: str | None,
    ) -> JobRow:
        # A job that was created in the meantime is visible after this.
        locked = self._items.lock(session, item_id)
        item = locked.input()
        if item.model_id is None:
            raise _conflict("no_model")
        missing = rules.obstacle(item.photo_file_id is not None, True, False)
        if missing is not None:
            raise _conflict(missing)
        photo = None if item.photo_file_id is None else file_info(session, item.photo_file_id)
        reference_id = item.reference_file_id
        reference = None if reference_id is None else file_info(session, reference_id)
        same = rules.same_picture(photo, reference)
        if same is not None:
            raise _conflict(same)
        if before is None and (open_job := job_rows.newest_open(session, item_id)) is not None:
            return open_job
        if before is not None:
            if locked.is_under_way(before.job_id):
                return before
            # A client removed its entry, or restored the deleted item: a new job is requested.
            job_rows.end(before, JobState.CANCELED)
            job_rows.announce_job(session, before, "cancel", actor, address)
        model = stored_model(session, item.model_id)
        row = job_rows.create(session, item_id, item.inspection_id, item.model_id, actor, batch_id)
        entry = rules.queued_entry(row.job_id, row.model_id, model, photo, row.created_at)
        row.version = locked.put_result(entry, actor)
        self._queue.add(session, row)
        job_rows.announce_job(session, row, "create", actor, address)
        return row

    def cancel(self, session: Session, row: JobRow, actor: str | None, address: str | None) -> None:
        """Cancel a locked job that waits or runs; a job that has ended stays as it is."""
        if row.state not in OPEN_JOB_STATES:
            return
        try:
            version = self._items.put_result(
                session, row.item_id, rules.canceled_fields(row.job_id, now()), actor
            )
        except Problem:
            # The item was deleted meanwhile.
            version = None
        job_rows.end(row, JobState.CANCELED, None, version)
        job_rows.announce_job(session, row, "cancel", actor, address)


def _conflict(code: str) -> Problem:
    return Problem(409, code, MESSAGES[code])


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
        await end_tasks(self._task)

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
