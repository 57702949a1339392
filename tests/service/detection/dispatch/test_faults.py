"""Tests database outages, clock changes and lost notifications: still one finished entry per job."""

from __future__ import annotations

import datetime as dt
import threading
from typing import Any

import pytest
from sqlalchemy import text, update
from sqlalchemy.exc import OperationalError
from sqlmodel import Session
from starlette.testclient import TestClient

from service.db.database import Database, now
from service.detection.dispatch.dispatcher import Dispatcher
from service.detection.jobs import job_rows
from service.detection.queue.procrastinate_queue import ProcrastinateQueue
from service.detection.tables import JobRow
from shared.wire.detection import JobState
from tests.service.detection.conftest import Held
from tests.service.detection.dispatch.test_entries import wait_for_end
from tests.service.detection.dispatch.test_jobs import detect
from tests.service.detection.dispatch.test_jobs import results as results_of
from tests.service.detection.dispatch.test_queue import waiting
from tests.service.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]


class FailingDatabase:
    """A database that refuses every statement until `left` is used up."""

    def __init__(self, left: int) -> None:
        self.left = left
        self.again = threading.Event()

    def refuse(self) -> None:
        if self.left:
            self.left -= 1
            raise OperationalError("nothing", None, Exception("locked"))
        self.again.set()


@pytest.fixture
def short_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leases that end soon where they are not renewed."""
    monkeypatch.setattr(job_rows, "LEASE", dt.timedelta(seconds=1))
    monkeypatch.setattr("service.detection.dispatch.dispatcher._RENEW_SECONDS", 0.1)


@pytest.mark.usefixtures("short_lease")
def test_unreachable_database_at_the_end_of_a_job_costs_the_attempt_only(
    client: TestClient, item: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    away, writing = FailingDatabase(1), Dispatcher._result_writer

    def refusing(dispatcher: Dispatcher, *arguments: Any) -> Any:
        write = writing(dispatcher, *arguments)

        def late(session: Session) -> None:
            write(session)
            away.refuse()

        return late

    monkeypatch.setattr(Dispatcher, "_result_writer", refusing)
    job = detect(client, item, wait=0)
    assert wait_for_end(client, job)["state"] == "done"
    (entry,) = results_of(client, item)
    assert (entry["progress"], entry["version"], entry["provenance"]["attempt"]) == ("done", 1, 2)


@pytest.mark.usefixtures("short_lease")
def test_worker_keeps_its_job_while_the_database_is_unreachable(
    client: TestClient, item: dict[str, Any], held: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    away, renew = FailingDatabase(2), job_rows.renew

    def refusing(*arguments: Any) -> bool:
        away.refuse()
        return renew(*arguments)

    monkeypatch.setattr(job_rows, "renew", refusing)
    job = detect(client, item, wait=0)
    assert held.started.wait(60)
    assert away.again.wait(60), "nobody renews any more"
    held.go.set()
    assert wait_for_end(client, job)["state"] == "done"
    (entry,) = results_of(client, item)
    assert entry["progress"] == "done"


def test_a_clock_that_is_set_forward_while_a_job_is_computed_leaves_one_result(
    client: TestClient, item: dict[str, Any], held: Held, database: Database
) -> None:
    job = detect(client, item, wait=0)
    assert held.started.wait(60)

    def an_hour_later(session: Session) -> None:
        past = now() - dt.timedelta(hours=1)
        session.execute(update(JobRow).where(JobRow.job_id == job["job_id"]).values(lease_until=past))
        if not database.is_sqlite:
            late = "UPDATE procrastinate_workers SET last_heartbeat = last_heartbeat - INTERVAL '1 hour'"
            session.execute(text(late))

    database.write_now(an_hour_later)
    if database.is_sqlite:
        # The one who works on it is still there, and takes it for dead.
        wait_until(lambda: database.read_now(lambda session: attempt(session, job["job_id"])) == 2)
    else:
        # The search for dead workers waits for their next heartbeat.
        wait_until(lambda: database.read_now(is_beating))
        assert database.read_now(lambda session: attempt(session, job["job_id"])) == 1
    held.go.set()
    assert wait_for_end(client, job)["state"] == "done"
    (entry,) = results_of(client, item)
    assert (entry["progress"], entry["version"]) == ("done", 1)


def is_beating(session: Session) -> bool:
    beating = "SELECT bool_and(last_heartbeat > NOW() - INTERVAL '1 minute') FROM procrastinate_workers"
    return bool(session.execute(text(beating)).scalar_one())


def attempt(session: Session, job_id: str) -> int:
    return session.get_one(JobRow, job_id).attempt


@pytest.mark.parametrize("database_kind", ["postgresql"])
@pytest.mark.postgresql
def test_job_that_ended_without_queue_update_is_not_repeated(
    client: TestClient, item: dict[str, Any], database: Database
) -> None:
    job = detect(client, item)
    assert job["state"] == "done"
    before = results_of(client, item)

    def as_if_unheard(session: Session) -> None:
        row = session.get_one(JobRow, job["job_id"])
        assert row.state == JobState.DONE
        ProcrastinateQueue(database).add(session, row)

    wait_until(lambda: waiting(database) == [])
    database.write_now(as_if_unheard)
    wait_until(lambda: waiting(database) == [])
    assert results_of(client, item) == before
    assert database.read_now(lambda session: attempt(session, job["job_id"])) == 1
