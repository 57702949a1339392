"""Implements the use cases of detection for the routes."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import bindparam, tuple_
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from service.db.database import Database
from service.db.statements import ResultRow
from service.detection.dispatch.dispatcher import Dispatcher, KnownPhotos
from service.detection.dispatch.enqueuing import BatchMaker, JobEnqueuer
from service.detection.dispatch.photo_matching import PhotoMatching
from service.detection.dispatch.variations import Variations
from service.detection.dispatch.work import DetectionObserver
from service.detection.failure import MESSAGES
from service.detection.jobs import batch_rows, job_rows
from service.detection.models.labels import Labels
from service.detection.models.registry import Models
from service.detection.queue.port import Queue
from service.detection.tables import JobRow
from service.files.service import FilesService
from service.inspection.records.detection_input import DetectionAccess
from service.settings import Settings
from service.web.envelope import Problem
from service.web.language import translate
from service.web.security import Caller
from shared.record.codes import ErrorCode
from shared.wire.detection import MAX_LISTED_JOBS, OPEN_JOB_STATES, Batch, Job, JobState


def choose_queue(database: Database) -> Queue:
    """The queue for the kind of database."""
    # Only PostgreSQL needs procrastinate.
    if database.is_sqlite:
        from service.detection.queue.leased_queue import LeasedQueue

        return LeasedQueue(database)
    from service.detection.queue.procrastinate_queue import ProcrastinateQueue

    return ProcrastinateQueue(database)


PATIENCE_SECONDS = 3.0
"""A batch that takes longer to create or cancel continues after the answer."""


_JOB = select_columns(*JobRow.__table__.c).where(JobRow.__table__.c.job_id == bindparam("job_id"))


def _wire(row: JobRow | ResultRow) -> Job:
    return Job(
        job_id=row.job_id,
        item_id=row.item_id,
        inspection_id=row.inspection_id,
        model_id=row.model_id,
        batch_id=row.batch_id,
        state=JobState(row.state),
        progress=row.progress,
        error=row.error,
        message=translate(MESSAGES[row.error]) if row.error in MESSAGES else None,
        version=row.version,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


class DetectionService:
    """Jobs and models on one database. `start` and `stop` control the work in the background."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        files: FilesService,
        items: DetectionAccess,
        known_photos: KnownPhotos,
    ) -> None:
        self._database = database
        self._items = items
        self.models = Models(database, settings)
        self.labels = Labels(database)
        self._queue = choose_queue(database)
        self._dispatcher = Dispatcher(database, items, files, known_photos, self.models.path, self._queue)
        self.photo_matching = PhotoMatching(files, self._dispatcher)
        self.variations = Variations(files, self.models.path)
        self._enqueuing = JobEnqueuer(items, self._queue)
        self._making = BatchMaker(database, self._enqueuing, self._queue.kick, self._dispatcher.cancelled)

    async def start(self) -> None:
        """Start to process the queue and to create the remaining jobs of batches."""
        await self._dispatcher.start()
        await self._making.start()

    def is_alive(self) -> bool:
        """Whether jobs are taken from the queue."""
        return self._dispatcher.is_alive()

    def observe(self, observer: DetectionObserver) -> None:
        """Call `observer` after each attempt at a job in this process."""
        self._dispatcher.observers.append(observer)

    async def stop(self) -> None:
        """Release the compute process and the threads."""
        await self._making.stop()
        await self._dispatcher.stop()
        self.variations.close()
        self.models.close()

    async def detect_item(self, item_id: str, caller: Caller, wait: float) -> Job:
        """Create a job for the item and wait up to `wait` seconds for its end.

        Raises Problem 404, and 409 if photo, region or model are missing or the record is sealed.
        """

        def write(session: Session) -> Job:
            return _wire(self._enqueuing.job(session, item_id, caller.user_id, caller.address))

        job = await self._database.write(write)
        self._queue.kick()
        return await self._ended(job, wait)

    async def detect_record(self, inspection_id: str, caller: Caller, outdated: bool) -> list[Job]:
        """Create a batch of the record's items with a model and a photo that no person has decided.

        outdated: only items without a current result. Returns the jobs that are created within
        `PATIENCE_SECONDS`. An item with an open job keeps it, and its batch. Raises Problem 404, and 409 if
        the record is sealed.
        """

        def find(session: Session) -> Mapping[str, Sequence[str]]:
            return {inspection_id: self._items.open_items(session, inspection_id, outdated)}

        batch_id = await self._create_batch(find, caller)
        await self._making.wait_until_settled(batch_id, PATIENCE_SECONDS)

        def read(session: Session) -> list[Job]:
            return [_wire(row) for row in job_rows.list_batch_or_open(session, inspection_id, batch_id)]

        return await self._database.read(read)

    async def detect_pending(self, inspection_ids: Sequence[str] | None, caller: Caller) -> Batch:
        """Create a batch of the items with a model and a photo and without a finished result.

        inspection_ids: the records, None for all; finished and cancelled records are left out. Raises Problem
        409 if all named records are sealed.
        """

        def find(session: Session) -> Mapping[str, Sequence[str]]:
            return self._items.pending_items(session, inspection_ids)

        return await self.batch(await self._create_batch(find, caller))

    async def retry_batch(self, batch_id: str, caller: Caller) -> Batch:
        """Create a new batch of the items whose job failed or was cancelled.

        Sealed records are left out. Raises Problem 404, and 409 if nothing else is left.
        """

        def find(session: Session) -> Mapping[str, Sequence[str]]:
            items_of_record = batch_rows.items_without_result(session, batch_id)
            free = self._items.changeable(session, items_of_record)
            return {
                inspection_id: items
                for inspection_id, items in items_of_record.items()
                if inspection_id in free
            }

        return await self.batch(await self._create_batch(find, caller))

    async def _create_batch(self, find: batch_rows.Find, caller: Caller) -> str:
        """Store a batch of the items that `find` returns and start to create its jobs. Returns its id."""

        def write(session: Session) -> str:
            return batch_rows.create(session, find, caller.user_id, caller.address)

        batch_id = await self._database.write(write)
        self._making.kick()
        return batch_id

    async def _ended(self, job: Job, wait: float) -> Job:
        loop = asyncio.get_running_loop()
        until = loop.time() + wait
        count = self._dispatcher.ended.count
        while job.state in OPEN_JOB_STATES and (left := until - loop.time()) > 0:
            # Another service process may end the job, so the database is also polled.
            count = await self._dispatcher.ended.wait(count, min(left, 1.0))
            job = await self.job(job.job_id)
        return job

    async def job(self, job_id: str) -> Job:
        """A job. Raises Problem 404."""
        rows = await self._database.select(_JOB, {"job_id": job_id})
        if not rows:
            raise _no_job()
        return _wire(rows[0])

    async def list_jobs(
        self,
        inspection_id: str | None = None,
        batch_id: str | None = None,
        states: Collection[JobState] = (),
        before: str | None = None,
    ) -> Sequence[Job]:
        """One page of the jobs of a record, of a batch, or of all, in these states or in any, newest first.

        before: the id of the last job of the previous page. Raises Problem 404 if that job does not exist.
        """
        order = col(JobRow.created_at), col(JobRow.job_id)
        query = select(JobRow).order_by(*(column.desc() for column in order)).limit(MAX_LISTED_JOBS)
        if inspection_id is not None:
            query = query.where(JobRow.inspection_id == inspection_id)
        if batch_id is not None:
            query = query.where(JobRow.batch_id == batch_id)
        if states:
            query = query.where(col(JobRow.state).in_(states))

        def work(session: Session) -> list[Job]:
            page = query
            if before is not None:
                last = _get(session, before)
                page = query.where(tuple_(*order) < tuple_(last.created_at, last.job_id))
            return [_wire(row) for row in session.exec(page)]

        return await self._database.read(work)

    async def batch(self, batch_id: str) -> Batch:
        """The progress of a batch. Raises Problem 404."""
        return await self._database.read(lambda session: batch_rows.batch_progress(session, batch_id))

    async def cancel(self, job_id: str, caller: Caller) -> Job:
        """Cancel a job that waits or runs; one that has ended stays as it is. Raises Problem 404."""

        def write(session: Session) -> Job:
            row = _get(session, job_id, lock=True)
            self._enqueuing.cancel(session, row, caller.user_id, caller.address)
            return _wire(row)

        job = await self._database.write(write)
        self._dispatcher.cancelled(job_id)
        return job

    async def cancel_batch(self, batch_id: str, caller: Caller) -> Batch:
        """Cancel the open jobs of a batch and create no more. Raises Problem 404."""

        def write(session: Session) -> None:
            batch_rows.cancel(session, batch_id, caller.user_id, caller.address)

        await self._database.write(write)
        self._making.kick()
        await self._making.wait_until_settled(batch_id, PATIENCE_SECONDS)
        return await self.batch(batch_id)


def _get(session: Session, job_id: str, lock: bool = False) -> JobRow:
    row = session.get(JobRow, job_id, with_for_update=lock or None)
    if row is None:
        raise _no_job()
    return row


def _no_job() -> Problem:
    return Problem(404, ErrorCode.NOT_FOUND, "检测任务不存在")
