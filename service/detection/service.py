"""Detection as a whole: what the routes use."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from concurrent import futures
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.database import Database, now
from service.detection import batches, jobs, rules
from service.detection.dispatcher import Dispatcher, told
from service.detection.failure import MESSAGES
from service.detection.models import Models, facts
from service.detection.ports import DetectionInput, Ports
from service.detection.queue import queue_for
from service.detection.tables import JobRow, ModelRow
from service.envelope import Problem
from service.http import place_of
from service.security import Caller
from service.settings import Settings
from shared.codes import ErrorCode
from shared.wire.detection import Batch, Job, JobState

__all__ = ["DetectionInput", "DetectionService", "Ports"]

_LOG = logging.getLogger(__name__)
MOST_LISTED = 500
PORTION = 100
"""So many jobs of a batch are made or cancelled in one transaction: others write in between."""
PATIENCE_SECONDS = 3.0
"""A large batch is answered after so long, and goes on being made or cancelled."""


def _wire(row: JobRow) -> Job:
    return Job(
        job_id=row.job_id,
        item_id=row.item_id,
        inspection_id=row.inspection_id,
        model_id=row.model_id,
        batch_id=row.batch_id,
        state=JobState(row.state),
        progress=row.progress,
        error=row.error,
        message=MESSAGES.get(row.error or ""),
        version=row.version,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


@dataclass(eq=False, slots=True)
class _Making:
    """A batch whose jobs are being made: so many are left, unless it is stopped."""

    left: int
    ended: Event = field(default_factory=Event)
    stopped: bool = False


class DetectionService:
    """Jobs and models on one database; `start` and `stop` frame the work beside the requests."""

    def __init__(self, database: Database, settings: Settings, ports: Ports) -> None:
        self._database = database
        self._ports = ports
        self.models = Models(database, settings)
        self._queue = queue_for(database)
        self._making: dict[str, _Making] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._going_on: set[Future[None]] = set()
        self._stopping = False
        self._dispatcher = Dispatcher(database, ports, self.models.path, self._queue)

    async def start(self) -> None:
        """Begin to work off the queue."""
        self._loop = asyncio.get_running_loop()
        await self._dispatcher.start()

    async def stop(self) -> None:
        """Let go of the compute process and the threads."""
        self._stopping = True
        await asyncio.to_thread(futures.wait, list(self._going_on))
        await self._dispatcher.stop()
        self.models.close()

    async def detect_item(self, item_id: str, caller: Caller, wait: float) -> Job:
        """Make a job for the item and wait up to `wait` seconds for its end.

        Raises Problem 404, and 409 when photo, region or model are missing.
        """

        def write(session: Session) -> Job:
            (row,) = self._enqueue(session, [item_id], caller, None, skip_incomplete=False)
            return _wire(row)

        job = await self._database.write(write)
        self._queue.kick()
        return await self._ended(job, wait)

    async def detect_record(self, inspection_id: str, caller: Caller) -> list[Job]:
        """Make a batch of the record's items with a model and a photo that no person has decided.

        An item that has an open job keeps that one, and its batch. Raises Problem 404.
        """

        items = await self._database.read(lambda session: self._ports.open_items(session, inspection_id))
        batch_id, made = str(uuid.uuid4()), list[Job]()
        for portion in _portions({inspection_id: items}):
            made += await self._make_some(portion, caller, batch_id)
        return made

    async def detect_pending(self, inspection_ids: Sequence[str] | None, caller: Caller) -> Batch:
        """Make a batch of the items with a model and a photo and without a finished result.

        Of these records, None: of all, that are neither finished nor cancelled.
        """
        items = await self._database.read(lambda session: self._ports.pending_items(session, inspection_ids))
        return await self._detect_many(items, caller)

    async def retry_batch(self, batch_id: str, caller: Caller) -> Batch:
        """Make a new batch of the items whose job failed or was cancelled. Raises Problem 404."""
        items = await self._database.read(lambda session: batches.without_result(session, batch_id))
        return await self._detect_many(items, caller)

    async def _detect_many(self, items: Mapping[str, Sequence[str]], caller: Caller) -> Batch:
        """A batch of items by record."""
        batch_id = str(uuid.uuid4())
        making = self._making[batch_id] = _Making(sum(map(len, items.values())))
        await self._a_while(self._make(making, items, caller, batch_id))
        return await self._database.read(lambda session: self._standing(session, batch_id, may_be_empty=True))

    async def _make(
        self, making: _Making, items: Mapping[str, Sequence[str]], caller: Caller, batch_id: str
    ) -> None:
        try:
            for portion in _portions(items):
                if making.stopped or self._stopping:
                    return
                await self._make_some(portion, caller, batch_id)
                making.left -= len(portion)
        finally:
            del self._making[batch_id]
            making.ended.set()

    async def _a_while(self, work: Coroutine[Any, Any, None]) -> None:
        """Wait for the end of `work`, which goes on by itself when that takes long."""
        assert self._loop is not None
        going_on = asyncio.run_coroutine_threadsafe(work, self._loop)
        self._going_on.add(going_on)
        going_on.add_done_callback(self._over)
        done, _ = await asyncio.to_thread(futures.wait, [going_on], PATIENCE_SECONDS)
        if done:
            going_on.result()

    def _over(self, going_on: Future[None]) -> None:
        self._going_on.discard(going_on)
        if (problem := going_on.exception()) is not None:
            # The text of an exception may hold SQL and values.
            kind, place = type(problem).__name__, place_of(problem)
            _LOG.error("a batch of detections stopped half-way: %s at %s", kind, place)

    async def _make_some(self, item_ids: Sequence[str], caller: Caller, batch_id: str) -> list[Job]:
        def write(session: Session) -> list[Job]:
            return [_wire(row) for row in self._enqueue(session, item_ids, caller, batch_id)]

        made = await self._database.write(write)
        self._queue.kick()
        return made

    def _enqueue(
        self,
        session: Session,
        item_ids: Sequence[str],
        caller: Caller,
        batch_id: str | None,
        *,
        skip_incomplete: bool = True,
    ) -> list[JobRow]:
        """A job for each of the items (of one record), with its pending entry; an open job stays the item's.

        Items that were deleted or have no model or photo any more are left out with `skip_incomplete`, else
        they raise Problem 404 or 409.
        """
        # All jobs are locked before the record is, as everywhere.
        before = jobs.unfinished(session, item_ids)
        rows = []
        for item_id in item_ids:
            try:
                rows.append(self._job_of(session, item_id, before.get(item_id), caller, batch_id))
            except Problem:
                if not skip_incomplete:
                    raise
        return rows

    def _job_of(
        self, session: Session, item_id: str, before: JobRow | None, caller: Caller, batch_id: str | None
    ) -> JobRow:
        item = self._ports.load_item(session, item_id)
        if item.model_id is None:
            raise _conflict("no_model")
        missing = rules.obstacle(item.photo_file_id is not None, True, False)
        if missing is not None:
            raise _conflict(missing)
        # This locks the record; whoever made a job in the meantime is seen now.
        going_on = self._ports.is_under_way(session, item_id, "" if before is None else before.job_id)
        if before is None and (made := jobs.newest_open(session, item_id)) is not None:
            return made
        if before is not None:
            if going_on:
                return before
            # A client took its entry away, or brought the item back from a deletion: it is asked for anew.
            jobs.end(before, JobState.CANCELED)
            told(session, before, "cancel", caller.user_id, caller.address)
        row = jobs.create(session, item_id, item.inspection_id, item.model_id, caller.user_id, batch_id)
        model_row = session.get(ModelRow, item.model_id)
        model = None if model_row is None else facts(model_row)
        photo = None if item.photo_file_id is None else self._ports.file_info(session, item.photo_file_id)
        entry = rules.queued(row.job_id, row.model_id, model, photo, row.created_at)
        row.version = self._ports.put_result(session, item_id, entry, caller.user_id)
        self._queue.add(session, row)
        told(session, row, "create", caller.user_id, caller.address)
        return row

    async def _ended(self, job: Job, wait: float) -> Job:
        loop = asyncio.get_running_loop()
        until = loop.time() + wait
        while job.state in jobs.OPEN and (left := until - loop.time()) > 0:
            # Another service process may end the job, so the database is asked now and then too.
            await self._dispatcher.wait_for_end(min(left, 1.0))
            job = await self.job(job.job_id)
        return job

    async def job(self, job_id: str) -> Job:
        """A job. Raises Problem 404."""
        return await self._database.read(lambda session: _wire(_get(session, job_id)))

    async def listed(self, inspection_id: str | None, batch_id: str | None) -> Sequence[Job]:
        """The newest jobs of a record, of a batch, or of all, at most 500, newest first."""
        query = select(JobRow).order_by(JobRow.created_at.desc(), JobRow.job_id).limit(MOST_LISTED)
        if inspection_id is not None:
            query = query.where(JobRow.inspection_id == inspection_id)
        if batch_id is not None:
            query = query.where(JobRow.batch_id == batch_id)
        return await self._database.read(lambda session: [_wire(row) for row in session.scalars(query)])

    async def batch(self, batch_id: str) -> Batch:
        """How far a batch is. Raises Problem 404."""
        return await self._database.read(lambda session: self._standing(session, batch_id))

    def _standing(self, session: Session, batch_id: str, *, may_be_empty: bool = False) -> Batch:
        # Of another service's batch only the jobs are known that it has made.
        making = self._making.get(batch_id)
        return batches.standing(session, batch_id, making.left if making else 0, may_be_empty=may_be_empty)

    async def cancel(self, job_id: str, caller: Caller) -> Job:
        """Cancel a job that waits or runs; one that has ended stays as it is. Raises Problem 404."""
        (job,) = await self._cancel([job_id], caller)
        return job

    async def cancel_batch(self, batch_id: str, caller: Caller) -> Batch:
        """Cancel every job of a batch that waits or runs, and make no more. Raises Problem 404."""
        if (making := self._making.get(batch_id)) is not None:
            making.stopped = True
            await asyncio.to_thread(making.ended.wait)
        found = await self._database.read(lambda session: batches.open_jobs(session, batch_id))
        await self._a_while(self._cancel_all(found, caller))
        return await self.batch(batch_id)

    async def _cancel_all(self, by_record: Mapping[str, Sequence[str]], caller: Caller) -> None:
        for portion in _portions(by_record):
            if self._stopping:
                return
            await self._cancel(portion, caller)

    async def _cancel(self, job_ids: Sequence[str], caller: Caller) -> list[Job]:
        """Cancel jobs of one record."""

        def write(session: Session) -> list[Job]:
            # All jobs are locked before the record is, as everywhere.
            rows = [_get(session, job_id, lock=True) for job_id in sorted(job_ids)]
            for row in rows:
                self._cancel_one(session, row, caller)
            return [_wire(row) for row in rows]

        ended = await self._database.write(write)
        for job_id in job_ids:
            self._dispatcher.cancelled(job_id)
        self._dispatcher.tell_ended()
        return ended

    def _cancel_one(self, session: Session, row: JobRow, caller: Caller) -> None:
        if row.state in jobs.OPEN:
            try:
                version = self._ports.put_result(
                    session, row.item_id, rules.canceled(row.job_id, now()), caller.user_id
                )
            except Problem:
                # The item was deleted meanwhile.
                version = None
            jobs.end(row, JobState.CANCELED, None, version)
            told(session, row, "cancel", caller.user_id, caller.address)


def _portions(by_record: Mapping[str, Sequence[str]]) -> Iterator[Sequence[str]]:
    """At most `PORTION` at a time, of one record each."""
    for of_record in by_record.values():
        for begin in range(0, len(of_record), PORTION):
            yield of_record[begin : begin + PORTION]


def _get(session: Session, job_id: str, lock: bool = False) -> JobRow:
    row = session.get(JobRow, job_id, with_for_update=lock or None)
    if row is None:
        raise Problem(404, ErrorCode.NOT_FOUND, "检测任务不存在")
    return row


def _conflict(code: str) -> Problem:
    return Problem(409, code, MESSAGES[code])
