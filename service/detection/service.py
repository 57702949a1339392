"""Detection as a whole: what the routes use."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.database import Database
from service.detection import jobs, rules
from service.detection.dispatcher import Dispatcher, told
from service.detection.failure import MESSAGES
from service.detection.models import Models
from service.detection.ports import DetectionInput, Ports
from service.detection.queue import queue_for
from service.detection.tables import JobRow
from service.envelope import Problem
from service.security import Caller
from service.settings import Settings
from shared.codes import ErrorCode, Progress
from shared.wire.detection import Job, JobState

__all__ = ["DetectionInput", "DetectionService", "Ports"]

MOST_LISTED = 500


def _wire(row: JobRow) -> Job:
    return Job(
        job_id=row.job_id,
        item_id=row.item_id,
        inspection_id=row.inspection_id,
        model_id=row.model_id,
        state=JobState(row.state),
        progress=row.progress,
        error=row.error,
        message=MESSAGES.get(row.error or ""),
        version=row.version,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


class DetectionService:
    """Jobs and models on one database; `start` and `stop` frame the work beside the requests."""

    def __init__(self, database: Database, settings: Settings, ports: Ports) -> None:
        self._database = database
        self._ports = ports
        self.models = Models(database, settings)
        self._queue = queue_for(database)
        self._dispatcher = Dispatcher(database, ports, self.models.path, self._queue)

    async def start(self) -> None:
        """Begin to work off the queue."""
        await self._dispatcher.start()

    async def stop(self) -> None:
        """Let go of the compute process and the threads."""
        await self._dispatcher.stop()
        self.models.close()

    async def detect_item(self, item_id: str, caller: Caller, wait: float) -> Job:
        """Make a job for the item and wait up to `wait` seconds for its end.

        Raises Problem 404, and 409 when photo, region or model are missing.
        """
        job = await self._database.write(lambda session: self._enqueue(session, item_id, caller))
        self._queue.kick()
        return await self._ended(job, wait)

    async def detect_record(self, inspection_id: str, caller: Caller) -> list[Job]:
        """Make a job for every item of the record that has a model and a photo. Raises Problem 404."""

        def write(session: Session) -> list[Job]:
            made = []
            for item_id in self._ports.items_to_detect(session, inspection_id):
                made.append(self._enqueue(session, item_id, caller))
            return made

        made = await self._database.write(write)
        self._queue.kick()
        return made

    def _enqueue(self, session: Session, item_id: str, caller: Caller) -> Job:
        item = self._ports.load_item(session, item_id)
        if item.model_id is None:
            raise _conflict("no_model")
        missing = rules.obstacle(item.photo_file_id is not None, True, False)
        if missing is not None:
            raise _conflict(missing)
        row = jobs.unfinished(session, item_id)
        if row is None:
            row = jobs.create(session, item_id, item.inspection_id, item.model_id, caller.user_id)
            self._queue.add(session, row)
            told(session, row, "create", caller.user_id, caller.address)
        return _wire(row)

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

    async def of_record(self, inspection_id: str) -> Sequence[Job]:
        """The newest jobs of a record, at most 500, newest first."""
        query = (
            select(JobRow)
            .where(JobRow.inspection_id == inspection_id)
            .order_by(JobRow.created_at.desc(), JobRow.job_id)
            .limit(MOST_LISTED)
        )
        return await self._database.read(lambda session: [_wire(row) for row in session.scalars(query)])

    async def cancel(self, job_id: str, caller: Caller) -> Job:
        """Cancel a job that waits or runs; one that has ended stays as it is. Raises Problem 404."""

        def write(session: Session) -> Job:
            row = _get(session, job_id, lock=True)
            if row.state in jobs.OPEN:
                entry = rules.ended_entry(Progress.CANCELED, None, None, None)
                try:
                    version = self._ports.append_result(session, row.item_id, entry, caller.user_id)
                except Problem:
                    # The item was deleted meanwhile.
                    version = None
                jobs.end(row, JobState.CANCELED, None, version)
                told(session, row, "cancel", caller.user_id, caller.address)
            return _wire(row)

        job = await self._database.write(write)
        self._dispatcher.cancelled(job_id)
        self._dispatcher.tell_ended()
        return job


def _get(session: Session, job_id: str, lock: bool = False) -> JobRow:
    row = session.get(JobRow, job_id, with_for_update=lock or None)
    if row is None:
        raise Problem(404, ErrorCode.NOT_FOUND, "检测任务不存在")
    return row


def _conflict(code: str) -> Problem:
    return Problem(409, code, MESSAGES[code])
