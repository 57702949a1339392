"""Queues jobs on PostgreSQL for one or more service machines, by procrastinate.

Its worker runs on a separate thread with a separate event loop, because psycopg cannot use asyncio's loop on
Windows. The jobs themselves are processed on the loop of the service.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from procrastinate import App, PsycopgConnector, SyncPsycopgConnector
from procrastinate.jobs import DeleteJobCondition, Job
from procrastinate.manager import JobManager
from sqlalchemy import text
from sqlmodel import Session, col, select

from service.db.database import Database
from service.db.postgresql import address
from service.detection.jobs import job_rows
from service.detection.queue.port import AT_ONCE, Outcome, Work
from service.detection.tables import JobRow
from service.exception_trace import trace_of
from service.tasks import Notifier, end_tasks
from shared.wire.detection import OPEN_JOB_STATES

_LOG = logging.getLogger(__name__)
# At INFO it would log two lines for each job.
logging.getLogger("procrastinate").setLevel(logging.WARNING)

QUEUE: Final = "detection"
_TASK: Final = "detect"
_BEAT_SECONDS: Final = 5.0
DEAD_SECONDS: Final = 15.0
"""A worker without a heartbeat for this time is dead."""
_CONFIRM_SECONDS: Final = 7.0
"""How long a worker must seem dead to be dead. If the clock is set forward, all workers seem dead until their
next heartbeat."""
_SILENT_SECONDS: Final = DEAD_SECONDS - _CONFIRM_SECONDS
"""A worker without a heartbeat for this time seems dead."""
_POLL_SECONDS: Final = 2.0
_FAULT_SECONDS: Final = 2.0
_GRACE_SECONDS: Final = 5.0
"""A running job that is not released within this time after the end is left to be rescued."""
_STOP_SECONDS: Final = 10.0
# The key of the advisory lock that one rescuer holds at a time: any number that nothing else uses.
_RESCUE_LOCK: Final = 8_177_024
_UNQUEUED: Final = (
    select(JobRow)
    .where(col(JobRow.state).in_(OPEN_JOB_STATES))
    .where(
        text(
            "NOT EXISTS (SELECT 1 FROM procrastinate_jobs AS queued"
            " WHERE queued.lock = detection_job.job_id AND queued.status IN ('todo', 'doing'))"
        )
    )
    .order_by(col(JobRow.created_at), col(JobRow.job_id))
)


class TakeAgain(Exception):  # noqa: N818 - it tells procrastinate what to do, and is no error
    """Puts the job back into the queue."""


class ProcrastinateQueue:
    """A worker of procrastinate, which hands the service a few jobs at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # It uses the connection of the caller's transaction and opens none itself.
        self._manager = JobManager(SyncPsycopgConnector())
        self._work: Work | None = None
        self._service_loop: asyncio.AbstractEventLoop | None = None
        self._working: set[asyncio.Task[Any]] = set()
        self._thread: threading.Thread | None = None
        self._reached_at = float("-inf")
        self._stalled_since: dict[tuple[int, int], float] = {}
        """Since when the worker of a job seems dead (monotonic seconds), by the job's id and its attempts."""
        self._stopped = Notifier()
        """Notified once, at the stop."""

    def add(self, session: Session, row: JobRow) -> None:
        """Queue the job in the transaction of the session, so that job and row are committed together."""
        job = Job(
            queue=QUEUE,
            task_name=_TASK,
            task_kwargs={"job_id": row.job_id},
            lock=row.job_id,
            queueing_lock=row.job_id,
        )
        self._manager.defer_job(job, connection=session.connection().connection.driver_connection)

    def kick(self) -> None:
        """Do nothing, because the database notifies the workers."""

    async def start(self, work: Work) -> None:
        """Start the worker on its thread."""
        # The time limit for reaching the database starts now.
        self._reached_at = time.monotonic()
        self._work, self._service_loop = work, asyncio.get_running_loop()
        loop = asyncio.SelectorEventLoop()
        self._thread = threading.Thread(target=self._run, args=(loop,), name="detection-queue", daemon=True)
        self._thread.start()

    def is_alive(self) -> bool:
        """Whether its thread runs and has reached the database recently."""
        return time.monotonic() - self._reached_at < DEAD_SECONDS

    async def stop(self) -> None:
        """Release the running jobs and end the worker."""
        self._stopped.notify()
        for task in self._working:
            task.cancel()
        if self._thread is not None:
            # The service must end also if the database does not answer.
            await asyncio.to_thread(self._thread.join, _STOP_SECONDS)

    def _is_stopped(self) -> bool:
        return self._stopped.count > 0

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        """Run workers until stopped. A worker ends when its connection to the database is lost."""
        while not self._is_stopped():
            try:
                await self._run_worker()
            except Exception as problem:
                if self._is_stopped():
                    # The database ended before the service, so the error does not matter.
                    return
                _LOG.error("the queue of detection jobs stopped: %s; it starts again", trace_of(problem))
            await self._pause()

    async def _pause(self) -> None:
        """Wait after a fault, at most until the queue is stopped."""
        await self._stopped.wait(0, _FAULT_SECONDS)

    async def _run_worker(self) -> None:
        connector = PsycopgConnector(conninfo=address(self._database.url), min_size=1, max_size=4)
        app = App(connector=connector)
        app.task(name=_TASK, queue=QUEUE, retry=True)(self._detect)
        # If the task were cancelled while the pool opens, the pool would never close.
        async with app.open_async():
            worker = asyncio.create_task(
                app.run_worker_async(
                    queues=[QUEUE],
                    concurrency=AT_ONCE,
                    fetch_job_polling_interval=_POLL_SECONDS,
                    update_heartbeat_interval=_BEAT_SECONDS,
                    stalled_worker_timeout=DEAD_SECONDS,
                    delete_jobs=DeleteJobCondition.ALWAYS,
                    install_signal_handlers=False,
                    shutdown_graceful_timeout=_GRACE_SECONDS,
                )
            )
            rescue = asyncio.create_task(self._rescue_always(app, connector))
            stopped = asyncio.create_task(self._stopped.wait(0))
            await asyncio.wait((worker, stopped), return_when=asyncio.FIRST_COMPLETED)
            await asyncio.gather(end_tasks(worker, seconds=_GRACE_SECONDS + 1), end_tasks(rescue, stopped))
        if not worker.cancelled():
            worker.result()

    async def _detect(self, job_id: str) -> None:
        """Run the task of procrastinate on the worker's loop. Raises TakeAgain to queue the job again."""
        assert self._service_loop is not None
        handed = asyncio.run_coroutine_threadsafe(self._process(job_id), self._service_loop)
        outcome = await asyncio.wrap_future(handed)
        if outcome is Outcome.FAULT:
            await self._pause()
        if outcome in (Outcome.AGAIN, Outcome.FAULT):
            raise TakeAgain

    async def _process(self, job_id: str) -> Outcome:
        """Process the job on the loop of the service."""
        if self._is_stopped() or self._work is None:
            return Outcome.AGAIN
        task = asyncio.current_task()
        assert task is not None
        self._working.add(task)
        try:
            return await self._work(partial(job_rows.take, job_id=job_id))
        except asyncio.CancelledError:
            return Outcome.AGAIN
        finally:
            self._working.discard(task)

    async def _rescue_always(self, app: App, connector: PsycopgConnector) -> None:
        while True:
            try:
                await self._rescue(app, connector)
                self._reached_at = time.monotonic()
            except Exception as problem:
                _LOG.error("detection jobs of dead services could not be looked for: %s", trace_of(problem))
            await asyncio.sleep(_POLL_SECONDS)

    async def _rescue(self, app: App, connector: PsycopgConnector) -> None:
        """Queue the jobs of dead workers again, and open jobs that are not queued."""
        async with connector.pool.connection() as held:
            # A second rescuer of a job would take it from the worker that got it from the first one.
            cursor = await held.execute("SELECT pg_try_advisory_xact_lock(%s)", (_RESCUE_LOCK,))
            if await cursor.fetchone() != (True,):
                return
            manager = app.job_manager
            stalled = await manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=_SILENT_SECONDS)
            for job in self._confirm(stalled):
                _LOG.warning("a detection job is queued again: the service that had it is dead")
                await manager.retry_job(job)
            await asyncio.to_thread(self._database.write_now, self._queue_missing)

    def _confirm(self, stalled: Iterable[Job]) -> list[Job]:
        """Remember the `stalled` jobs, and return those whose workers have seemed dead for long enough."""
        moment = time.monotonic()
        # An id is None only before the job is stored.
        jobs = {(job.id or 0, job.attempts): job for job in stalled}
        self._stalled_since = {key: self._stalled_since.get(key, moment) for key in jobs}
        return [job for key, job in jobs.items() if moment - self._stalled_since[key] >= _CONFIRM_SECONDS]

    def _queue_missing(self, session: Session) -> None:
        # Jobs that are older than this queue, and rarely a job whose worker seemed dead and then ended it.
        for row in session.exec(_UNQUEUED):
            self.add(session, row)
