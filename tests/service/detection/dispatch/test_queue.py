"""Tests that services on one PostgreSQL database share the jobs, and lose none if one of them is killed."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from procrastinate.schema import SchemaManager
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

from service.db.database import Database
from service.detection.jobs import job_rows
from service.detection.queue import procrastinate_queue
from service.detection.queue.port import Outcome, Take
from service.detection.queue.procrastinate_queue import ProcrastinateQueue
from service.detection.tables import JobRow
from shared import samples
from shared.images.cv import cv2
from shared.samples import View
from shared.wire.detection import JobState
from tests.service.waiting import wait_until
from tests.service_process import ServiceProcess, create_first_admin, running_service

pytestmark = pytest.mark.postgresql
JOBS = 10


@pytest.fixture
def database_kind() -> str:
    return "postgresql"


def new_job(session: Session, number: int = 0) -> JobRow:
    return job_rows.create(session, f"item-{number}", "record", "reference-difference", None)


def waiting(database: Database) -> list[str]:
    query = text("SELECT lock FROM procrastinate_jobs WHERE status IN ('todo', 'doing') ORDER BY id")
    return database.read_now(lambda session: [str(row[0]) for row in session.execute(query)])


def test_job_is_queued_in_the_transaction_that_creates_it(database: Database) -> None:
    queue = ProcrastinateQueue(database)

    def fails(session: Session) -> None:
        queue.add(session, new_job(session))
        raise LookupError

    with pytest.raises(LookupError):
        database.write_now(fails)
    assert waiting(database) == []

    def works(session: Session) -> str:
        row = new_job(session)
        queue.add(session, row)
        return row.job_id

    assert [database.write_now(works)] == waiting(database)


class Worker:
    """The queue with work that records each job and returns the outcomes one after the other, then ENDED."""

    def __init__(self, database: Database, *outcomes: Outcome) -> None:
        self.database = database
        self.outcomes = list(outcomes)
        self.attempts: list[int] = []
        self.held = False

    async def work(self, take: Take) -> Outcome:
        row = await self.database.write(take)
        if row is None:
            return Outcome.NOTHING
        self.attempts.append(row.attempt)
        if self.held:
            await asyncio.Event().wait()
        if self.outcomes:
            return self.outcomes.pop(0)

        def end(session: Session) -> None:
            ours = job_rows.locked_job(session, row.job_id, row.attempt)
            assert ours is not None
            job_rows.end(ours, JobState.DONE, None, 1)

        await self.database.write(end)
        return Outcome.ENDED

    async def run(self, reached: Callable[[], bool]) -> None:
        queue = ProcrastinateQueue(self.database)
        await queue.start(self.work)
        await asyncio.to_thread(wait_until, reached)
        await queue.stop()


def open_rows(database: Database) -> int:
    query = text("SELECT count(*) FROM detection_job WHERE state IN ('queued', 'running')")
    return int(database.read_now(lambda session: session.execute(query).scalar_one()))


async def test_jobs_of_dead_processes_and_unqueued_jobs_are_taken(
    database: Database,
) -> None:
    database.write_now(new_job)
    worker = Worker(database, Outcome.AGAIN)
    await worker.run(lambda: open_rows(database) == 0)
    assert worker.attempts == [1, 2]
    assert waiting(database) == []


def test_running_job_is_released_when_the_service_stops(database: Database) -> None:
    database.write_now(new_job)
    worker = Worker(database)
    worker.held = True
    asyncio.run(worker.run(lambda: bool(worker.attempts)))
    assert len(waiting(database)) == 1
    worker.held = False
    asyncio.run(worker.run(lambda: open_rows(database) == 0))
    assert worker.attempts == [1, 2]


async def test_fault_does_not_prevent_the_stop(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(procrastinate_queue, "_FAULT_SECONDS", 60.0)
    monkeypatch.setattr(procrastinate_queue, "_STOP_SECONDS", 15.0)
    database.write_now(new_job)
    worker = Worker(database, Outcome.FAULT)
    await worker.run(lambda: bool(worker.attempts))
    assert "detection-queue" not in [thread.name for thread in threading.enumerate()]
    # It is there for the next one.
    assert len(waiting(database)) == 1


def test_newer_schema_of_procrastinate_is_noticed() -> None:
    """Migration 0008 makes the schema of the installed version: a later one needs a migration of ours."""
    newest = max(path.name for path in Path(SchemaManager.get_migrations_path()).glob("*.sql"))
    assert newest.startswith("03.04.00_50_")


def items_to_detect(client: httpx.Client, count: int = JOBS) -> tuple[str, list[str]]:
    """A record with items whose photo lacks a part, for the built-in model: its id and theirs."""
    scene = samples.draw_scene(320, 240, 3, kinds=("added",), view=View(rotation=2, noise=2))
    stored = []
    for name, image in (("reference.png", scene.reference), ("photo.png", scene.photo)):
        data = bytes(cv2.imencode(".png", image)[1])
        answer = client.post("/files", files={"file": (name, data, "image/png")}).json()
        stored.append(answer.get("data", answer))
    record = client.post("/inspection/create", json={"task_id": "t"}).json()["data"]["inspection_id"]
    item_ids = []
    for number in range(count):
        body: dict[str, Any] = {
            "item_name": str(number),
            "inspection_id": record,
            "model_id": "reference-difference",
            "item_point": {
                "point": {"x": 0, "y": 0, "w": 1, "h": 1},
                "fileInfo": {"download_url": stored[0]["download_url"]},
            },
        }
        item_ids.append(client.post("/inspection_item/create", json=body).json()["item_id"])
        client.post(f"/inspection_item/{item_ids[-1]}/photos", json={"file_id": stored[1]["file_id"]})
    return record, item_ids


def test_two_services_and_one_of_them_killed_leave_one_result_per_job(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    working = text(
        "SELECT count(DISTINCT queued.worker_id) FROM procrastinate_jobs AS queued"
        " JOIN detection_job AS job ON job.job_id = queued.lock"
        " WHERE queued.status = 'doing' AND job.state = 'running'"
    )

    def both_work() -> bool:
        return bool(database.read_now(lambda session: session.execute(working).scalar_one()) == 2)

    def stop_in_work(process: ServiceProcess) -> bool:
        # It stands still, so what it has taken now is what it dies with.
        process.send_signal(signal.SIGSTOP)
        for _ in range(10):
            time.sleep(0.1)
            if both_work():
                return True
        process.send_signal(signal.SIGCONT)
        return False

    data_dir = tmp_path / "data"
    with (
        running_service(data_dir, database_url=database_url) as stays,
        running_service(data_dir, database_url=database_url) as dies,
    ):
        headers = {"Authorization": f"Bearer {create_first_admin(stays.url)}"}
        with httpx.Client(base_url=f"{stays.url}/api", headers=headers, timeout=30) as client:
            record, items = items_to_detect(client)
            client.post(f"/inspection/{record}/detect").raise_for_status()
            wait_until(lambda: both_work() and stop_in_work(dies.process))
            dies.process.kill()
            dies.process.wait(60)
            wait_until(lambda: open_rows(database) == 0, 60)
            listed = client.get("/detection/jobs", params={"inspection_id": record}).json()["data"]
            assert [job["state"] for job in listed] == ["done"] * JOBS
            for item in items:
                entries = client.get(f"/inspection_item/{item}").json()["result"]
                assert [entry["progress"] for entry in entries] == ["done"]
    attempts = text("SELECT max(attempt) FROM detection_job")
    assert database.read_now(lambda session: session.execute(attempts).scalar_one()) == 2


def test_machine_suspended_in_a_transaction_keeps_no_lock(
    database: Database, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = database.write_now(lambda session: new_job(session).job_id)
    monkeypatch.setattr("service.db.postgresql.IDLE_SECONDS", 1)
    frozen = Database(database_url)
    try:
        with Session(frozen.writer) as session:
            assert job_rows.take(session, job_id) is not None
            # Would wait forever on the lock that is never let go.
            row = database.write_now(lambda other: job_rows.take(other, job_id))
            assert row is not None
            assert row.attempt == 1
            with pytest.raises(DBAPIError):
                session.commit()
            session.invalidate()
    finally:
        frozen.close()
