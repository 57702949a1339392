"""Tests that the queue on SQLite stops also if a job in work cannot be released."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError
from starlette.testclient import TestClient

from service.detection.jobs import job_rows
from service.detection.queue.leased_queue import LeasedQueue
from service.detection.queue.port import Work
from tests.service.detection.conftest import Held
from tests.service.detection.dispatch.test_jobs import detect

STOP_SECONDS = 4.0
"""Half of the time after which the process would end by force."""


@pytest.fixture
def database_kind() -> str:
    return "sqlite"


@pytest.fixture
def queues(monkeypatch: pytest.MonkeyPatch) -> list[LeasedQueue]:
    """The queues that were started."""
    started: list[LeasedQueue] = []
    start = LeasedQueue.start

    async def start_and_note(queue: LeasedQueue, work: Work) -> None:
        started.append(queue)
        await start(queue, work)

    monkeypatch.setattr(LeasedQueue, "start", start_and_note)
    return started


def test_queue_stops_if_the_job_in_work_cannot_be_released(
    queues: list[LeasedQueue],
    client: TestClient,
    item: dict[str, Any],
    held: Held,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    detect(client, item, wait=0)
    assert held.started.wait(60)

    def refuse(*_arguments: object) -> None:
        raise OperationalError("nothing", None, Exception("locked"))

    monkeypatch.setattr(job_rows, "release_job", refuse)
    (queue,) = queues

    async def stop() -> None:
        await asyncio.wait_for(queue.stop(), STOP_SECONDS)

    assert client.portal is not None
    client.portal.call(stop)
    assert not queue.is_alive()
