"""Tests that the queue on SQLite begins no needless transaction and leaves no free job."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from sqlmodel import Session

from service.db.database import Database
from service.detection.jobs import job_rows
from service.detection.queue import leased_queue
from service.detection.queue.leased_queue import LeasedQueue
from service.detection.queue.port import AT_ONCE, Outcome, Take
from shared.wire.detection import JobState


@pytest.fixture
def database_kind() -> str:
    return "sqlite"


class Worker:
    """Work that counts its transactions and ends each job with the next of the outcomes, then with ENDED."""

    def __init__(self, database: Database, *outcomes: Outcome) -> None:
        self._database = database
        self._outcomes = list(outcomes)
        self.transactions = 0
        self.attempts: list[int] = []

    async def work(self, take: Take) -> Outcome:
        self.transactions += 1
        row = await self._database.write(take)
        if row is None:
            return Outcome.NOTHING
        self.attempts.append(row.attempt)
        outcome = self._outcomes.pop(0) if self._outcomes else Outcome.ENDED
        if outcome is not Outcome.ENDED:
            await self._database.write(lambda session: job_rows.release_job(session, row.job_id, row.attempt))
            return outcome

        def end(session: Session) -> None:
            taken = job_rows.locked_job(session, row.job_id, row.attempt)
            assert taken is not None
            job_rows.end(taken, JobState.DONE, None, 1)

        await self._database.write(end)
        return outcome


def create_job(database: Database) -> None:
    database.write_now(lambda session: job_rows.create(session, "item", "record", "model", None))


async def run(database: Database, worker: Worker, steps: Callable[[LeasedQueue], None], jobs: int) -> None:
    """Start the queue, do `steps` once it rests, and wait until it has taken `jobs` and rests again."""
    queue = LeasedQueue(database)
    await queue.start(worker.work)
    await asyncio.sleep(0.2)
    worker.transactions = 0
    steps(queue)
    for _ in range(100):
        await asyncio.sleep(0.05)
        if len(worker.attempts) >= jobs:
            break
    await asyncio.sleep(0.2)
    await queue.stop()


async def test_no_transaction_follows_the_last_job(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leased_queue, "_POLL_SECONDS", 60.0)
    worker = Worker(database)

    def steps(queue: LeasedQueue) -> None:
        create_job(database)
        queue.kick()

    await run(database, worker, steps, 1)
    assert worker.attempts == [1]
    assert worker.transactions == AT_ONCE


@pytest.mark.parametrize("outcome", [Outcome.AGAIN, Outcome.FAULT])
async def test_released_job_is_taken_again_without_a_kick(
    database: Database, monkeypatch: pytest.MonkeyPatch, outcome: Outcome
) -> None:
    monkeypatch.setattr(leased_queue, "_POLL_SECONDS", 0.5 if outcome is Outcome.FAULT else 60.0)
    create_job(database)
    worker = Worker(database, outcome)
    await run(database, worker, lambda _queue: None, 2)
    assert worker.attempts == [1, 2]


async def test_job_without_a_kick_is_found_by_polling(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leased_queue, "_POLL_SECONDS", 0.3)
    worker = Worker(database)
    await run(database, worker, lambda _queue: create_job(database), 1)
    assert worker.attempts == [1]
