"""Tests that all jobs are listed: in pages, by their record, batch and state."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.db.database import Database, now
from service.detection.dispatch.dispatcher import Dispatcher
from service.detection.tables import JobRow
from shared.wire.detection import MAX_LISTED_JOBS, OPEN_JOB_STATES, JobState
from tests.service.answers import read_list

RECORD = "a1b2"

pytestmark = pytest.mark.both_databases


@pytest.fixture(autouse=True)
def nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs stay as a test writes them."""

    async def waits(dispatcher: Dispatcher) -> None:
        pass

    monkeypatch.setattr(Dispatcher, "start", waits)


def jobs_of(database: Database, record: str, *states: JobState) -> list[str]:
    """A job in each of these states, the oldest first; groups of three have the same time."""
    started = now()
    rows = [
        JobRow(
            job_id=f"{record}-{(place * 7919) % 10_007:05}",
            item_id=f"item-{place}",
            inspection_id=record,
            model_id="reference-difference",
            batch_id=f"batch-{place % 2}",
            state=state,
            created_at=started + dt.timedelta(seconds=place // 3),
        )
        for place, state in enumerate(states)
    ]
    order = [row.job_id for row in sorted(rows, key=lambda row: (row.created_at, row.job_id))]
    database.write_now(lambda session: session.add_all(rows))
    return order


def pages(client: TestClient, **filters: Any) -> list[list[str]]:
    """Page after page as the operation gives them, until one is not full."""
    pages_of_ids: list[list[str]] = []
    while not pages_of_ids or len(pages_of_ids[-1]) == MAX_LISTED_JOBS:
        before = {"before": pages_of_ids[-1][-1]} if pages_of_ids else {}
        jobs = read_list(client.get("/api/detection/jobs", params={**filters, **before}))
        pages_of_ids.append([job["job_id"] for job in jobs])
    return pages_of_ids


def test_every_waiting_job_of_a_record_is_listed_once_page_after_page(
    client: TestClient, database: Database
) -> None:
    waiting = jobs_of(database, RECORD, *[JobState.QUEUED] * (2 * MAX_LISTED_JOBS + 3))
    jobs_of(database, "c3d4", *[JobState.QUEUED] * 5)
    found = pages(client, inspection_id=RECORD, state=[str(state) for state in OPEN_JOB_STATES])
    assert [len(page) for page in found] == [MAX_LISTED_JOBS, MAX_LISTED_JOBS, 3]
    assert [job_id for page in found for job_id in page] == waiting[::-1]


def test_jobs_are_listed_by_states_batch_and_record_together(client: TestClient, database: Database) -> None:
    jobs_of(database, RECORD, JobState.RUNNING, JobState.DONE, JobState.QUEUED, JobState.FAILED)

    def items(**filters: Any) -> set[str]:
        answer = client.get("/api/detection/jobs", params={"inspection_id": RECORD, **filters})
        return {job["item_id"] for job in answer.json()["data"]}

    assert items() == {"item-0", "item-1", "item-2", "item-3"}
    assert items(state=["queued", "running"]) == {"item-0", "item-2"}
    assert items(state="failed") == {"item-3"}
    assert items(state=["done", "queued"], batch_id="batch-0") == {"item-2"}
    assert client.get("/api/detection/jobs", params={"state": "nearly"}).status_code == 422
    missing = client.get("/api/detection/jobs", params={"before": "none"})
    assert (missing.status_code, missing.json()["msg"]) == (404, "检测任务不存在")
