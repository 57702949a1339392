"""Takes jobs from the queue, sends them to the compute process and writes their results."""

from __future__ import annotations

import asyncio
import logging
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from service.db.database import Database, now
from service.detection import rules
from service.detection.compute.compute_process import ComputeProcess
from service.detection.dispatch.store_waiting import retry_store
from service.detection.dispatch.work import (
    ComputedResult,
    DetectionEnd,
    DetectionObserver,
    KnownPhoto,
    RequestBuilder,
    Run,
    Work,
)
from service.detection.failure import DetectionFailed, disk_error_code
from service.detection.jobs import job_rows
from service.detection.messages import Answer, PlacesRequest, Request, as_json, places_json
from service.detection.models.labels import with_severities
from service.detection.models.registry import backbone_in_use, stored_model
from service.detection.queue.port import AT_ONCE, Outcome, Queue, Take
from service.exception_trace import trace_of
from service.files.lookup import file_info
from service.files.service import FilesService
from service.inspection.records.detection_input import DetectionAccess
from service.inspection.sealing.editions import required_coverage
from service.tasks import Notifier, end_tasks
from service.web.envelope import Problem
from service.workers.child import ProcessDied
from shared.wire.detection import JobState, ModelKind
from shared.wire.files import StoredFile
from shared.wire.inspection import DetectionSettings

_LOG = logging.getLogger(__name__)
_RENEW_SECONDS = 5.0
_JOB_SECONDS = 300.0
_MATCH_SECONDS = 60.0

KnownPhotos = Callable[[Session, str, str], Sequence[KnownPhoto]]
"""The photos of the memory of an item's region for a detection in the photo of a file; or none.

Of each kind the oldest are first. A function of memory, which is above.
"""


class Dispatcher:
    """Connects the queue and the compute process of one service process.

    The queue hands out a few jobs at a time. While one is computed, the photo of the next is decoded and the
    result of the last one is stored.
    """

    def __init__(
        self,
        database: Database,
        items: DetectionAccess,
        files: FilesService,
        known_photos: KnownPhotos,
        model_path: Callable[[str], Path],
        queue: Queue,
    ) -> None:
        self._database = database
        self._items = items
        self._files = files
        self._known_photos = known_photos
        self._requests = RequestBuilder(files, model_path)
        self._compute = ComputeProcess()
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="detection")
        self._queue = queue
        self.ended = Notifier()
        """Notified when a job has ended in this process."""
        self.observers: list[DetectionObserver] = []
        """Called after each attempt at a job in this process."""
        self._runs: set[Run] = set()
        self._computing = asyncio.Lock()
        self._computed: Run | None = None

    async def start(self) -> None:
        """Begin to take jobs."""
        await self._queue.start(self._process_next)

    def is_alive(self) -> bool:
        """Whether jobs are taken from the queue."""
        return self._queue.is_alive()

    async def stop(self) -> None:
        """End the queue and the compute process; jobs in work go back to the queue."""
        await self._queue.stop()
        self._compute.close()
        self._threads.shutdown(wait=True)

    def cancelled(self, job_id: str) -> None:
        """Stop computing a job that was cancelled."""
        for run in list(self._runs):
            if run.work.job_id == job_id:
                self._abandon(run)
        self.ended.notify()

    async def match(self, request: PlacesRequest) -> Answer:
        """The answer of the compute process to a request for places. Raises ProcessDied.

        It waits for the jobs that were already handed out, not for the queue.
        """
        async with self._computing:
            loop = asyncio.get_running_loop()
            question = {"match": places_json(request)}
            try:
                return await loop.run_in_executor(
                    self._threads, self._compute.ask, question, _MATCH_SECONDS, _ignore_progress
                )
            except asyncio.CancelledError:
                # The service ends while the thread waits for the answer.
                self._compute.close()
                raise

    def _abandon(self, run: Run) -> None:
        run.is_abandoned = True
        if run is self._computed:
            self._compute.kill()

    async def _process_next(self, take: Take) -> Outcome:
        try:
            work = await self._database.write(lambda session: self._take(session, take))
            if isinstance(work, Work):
                return await self._run(work)
            if work is not Outcome.NOTHING:
                self.ended.notify()
            return work
        except Exception as problem:
            # A fault of one job, or an unreachable database, must not stop detection permanently. The text of
            # an exception may contain SQL and values, so it is not logged.
            _LOG.error("a detection job could not be handled: unexpected %s", trace_of(problem))
            return Outcome.FAULT

    def _take(self, session: Session, take: Take) -> Work | Outcome:
        """Take a job and update its entry, in one transaction; ENDED if nothing is left to do."""
        row = take(session)
        if row is None:
            return Outcome.NOTHING
        model = stored_model(session, row.model_id)
        try:
            locked = self._items.lock(session, row.item_id)
            item = locked.input()
            photo = None if item.photo_file_id is None else file_info(session, item.photo_file_id)
            entry = rules.taken_entry(
                *(row.job_id, row.model_id, model, photo, item.settings, item.region),
                *(row.attempt, row.created_at, now()),
            )
            version = locked.put_result(entry, row.actor)
        except Problem:
            # The item was deleted meanwhile.
            version = None
        if version is None:
            job_rows.end(row, JobState.CANCELED)
            job_rows.announce_job(session, row, "cancel")
            return Outcome.ENDED
        row.version = version
        point, settings = item.point, rules.item_settings(item.settings)
        reference = None if point is None else item.reference_file_id
        error: str | None
        if model is None:
            error = "model_unknown"
        elif not model.enabled:
            error = "model_disabled"
        elif model.kind == ModelKind.BACKBONE:
            error = "model_finds_nothing"
        elif row.attempt > job_rows.MAX_ATTEMPTS:
            error = "worker_died"
        elif settings is None:
            error = "item_settings_wrong"
        else:
            compares = model.kind == ModelKind.REFERENCE_DIFFERENCE or bool(settings.ignored)
            error = rules.obstacle(photo is not None, reference is not None, compares)
        base = None if item.reference_file_id is None else file_info(session, item.reference_file_id)
        return Work(
            row.job_id,
            row.attempt,
            row.item_id,
            row.actor,
            entry,
            model,
            photo,
            item.photo_alignment,
            base,
            None if point is None else (float(point.x), float(point.y), float(point.w), float(point.h)),
            item.mm_per_pixel,
            settings or DetectionSettings(),
            error or rules.same_picture(photo, base),
        )

    async def _run(self, work: Work) -> Outcome:
        started = time.perf_counter()
        outcome, state = await self._attempt(work)
        kind = None if work.model is None else str(work.model.kind)
        for observe in self.observers:
            observe(DetectionEnd(kind, state, time.perf_counter() - started))
        return outcome

    async def _attempt(self, work: Work) -> tuple[Outcome, str]:
        """Compute a job and write its result. Returns the outcome for the queue and the state of the job."""
        run = Run(work)
        self._runs.add(run)
        renewal = asyncio.create_task(self._renew(run))
        try:
            computed = await self._compute_result(run)
        except ProcessDied as died:
            if not died.timed_out and work.attempt < job_rows.MAX_ATTEMPTS:
                await self._database.write(
                    lambda session: job_rows.release_job(session, work.job_id, work.attempt)
                )
                return Outcome.AGAIN, "again"
            computed = _failed_result("timed_out" if died.timed_out else "worker_died")
        except asyncio.CancelledError:
            self._compute.close()
            await self._database.write(
                lambda session: job_rows.release_job(session, work.job_id, work.attempt)
            )
            raise
        finally:
            await end_tasks(renewal)
            self._runs.discard(run)
        state = await self._database.write(self._result_writer(work, computed))
        self.ended.notify()
        return Outcome.ENDED, state

    async def _renew(self, run: Run) -> None:
        work = run.work
        while True:
            await asyncio.sleep(_RENEW_SECONDS)
            try:
                is_renewed = await self._database.write(
                    lambda session: job_rows.renew(session, work.job_id, work.attempt, run.percent)
                )
            except SQLAlchemyError:
                # The worker keeps its job while the database is unreachable or locked for a while.
                continue
            if not is_renewed:
                self._abandon(run)
                return

    async def _compute_result(self, run: Run) -> ComputedResult:
        """Compute the result of the job and store its picture with the boxes. Raises ProcessDied."""
        work, on_thread = run.work, partial(asyncio.get_running_loop().run_in_executor, self._threads)
        if work.error is not None or work.model is None or work.photo is None:
            return _failed_result(work.error or "internal")
        try:
            # After a cancellation the compute process may still write into the folder while it is deleted.
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                rendered = Path(folder) / "boxes.jpg"
                make_request = partial(self._requests.for_work, work, work.model, work.photo, rendered)
                request = await retry_store(lambda: on_thread(make_request))
                memory_photos, backbone = await self._known(work)
                request = self._requests.with_backbone(request, backbone)
                answer = await self._compute_in_turn(run, request, memory_photos)
                if answer["event"] != "done" or not rendered.exists():
                    return ComputedResult(answer, memory_photos=memory_photos)
                name = f"{Path(work.photo.filename).stem}-boxes.jpg"

                def store_picture() -> Callable[[Session], StoredFile]:
                    return self._files.keep(name, rendered.read_bytes(), work.actor)

                return ComputedResult(
                    answer, await retry_store(lambda: on_thread(store_picture)), memory_photos
                )
        except DetectionFailed as failed:
            return _failed_result(failed.code)
        except OSError as error:
            # The picture or its folder could not be written.
            return _failed_result(disk_error_code(error))

    async def _known(self, work: Work) -> tuple[Sequence[KnownPhoto], rules.BackboneFacts | None]:
        """The photos of the memory for a comparison, and its backbone; none for other models."""
        photo = work.photo
        if photo is None or work.model is None or work.model.kind != ModelKind.REFERENCE_DIFFERENCE:
            return (), None
        return await self._database.read(
            lambda session: (
                self._known_photos(session, work.item_id, photo.file_id),
                backbone_in_use(session),
            )
        )

    async def _compute_in_turn(
        self, run: Run, request: Request, memory_photos: Sequence[KnownPhoto]
    ) -> Answer:
        """Wait for the job's turn and return the answer of the compute process."""
        on_thread = partial(asyncio.get_running_loop().run_in_executor, self._threads)
        question = as_json(request)
        # A photo that ends the process must end the job of another photo at most once.
        if self._computed is not None and self._computed.work.attempt == run.work.attempt == 1:
            await on_thread(self._compute.prepare_next, question)
        async with self._computing:
            if run.is_abandoned:
                raise ProcessDied
            self._computed = run
            try:
                contents = [photo.content for photo in memory_photos]
                ask = partial(self._compute.ask, contents=contents) if memory_photos else self._compute.ask
                return await on_thread(ask, question, _JOB_SECONDS, run.set_percent)
            finally:
                self._computed = None

    def _result_writer(self, work: Work, computed: ComputedResult) -> Callable[[Session], str]:
        """The work of the transaction that ends the result entry and the job, or does nothing.

        It returns the final state of the job.
        """
        answer = computed.answer

        def write(session: Session) -> str:
            row = job_rows.locked_job(session, work.job_id, work.attempt)
            if row is None:
                return str(JobState.CANCELED)
            if answer["event"] == "done":
                error = None
                rendered = None if computed.keep_rendered is None else computed.keep_rendered(session)
                suppressed = answer.get("suppressed", [])
                findings = [*answer["boxes"], *(finding["box"] for finding in suppressed)]
                boxes = with_severities(session, findings)
                files = {photo.sha256: photo.file_id for photo in computed.memory_photos}
                coverage = rules.region_coverage(
                    work.point,
                    work.reference,
                    answer,
                    work.settings.ignored,
                    required_coverage(session),
                )
                entry = rules.finished_entry(work.entry, rendered, answer, boxes, files, coverage, now())
            else:
                error = answer["error"] if answer["event"] == "failed" else "internal"
                entry = rules.failed_entry(work.entry, error, now())
            try:
                version = self._items.put_result(session, work.item_id, entry, work.actor)
            except Problem:
                # The item was deleted meanwhile.
                version = None
            if version is None:
                job_rows.end(row, JobState.CANCELED)
                job_rows.announce_job(session, row, "cancel")
                return str(JobState.CANCELED)
            job_rows.end(row, JobState.DONE if error is None else JobState.FAILED, error, version)
            job_rows.announce_job(session, row, "finish" if error is None else "fail")
            return str(row.state)

        return write


def _ignore_progress(_percent: int) -> None:
    """Ignore the progress of a matching, which is not shown."""


def _failed_result(error: str) -> ComputedResult:
    return ComputedResult({"event": "failed", "error": error})
