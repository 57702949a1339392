"""The desktop's client lists the jobs of a service, however many wait."""

from __future__ import annotations

from collections.abc import Sequence

import httpx
import pytest
from starlette.testclient import TestClient

from desktop.client import Session
from desktop.pages.workbench.open_record.live_changes import _poll_jobs
from service.db.database import Database
from service.detection.dispatch.dispatcher import Dispatcher
from shared.wire.detection import MAX_LISTED_JOBS, OPEN_JOB_STATES, Job, JobState
from tests.service.detection.dispatch.test_listing import RECORD, jobs_of
from tests.service_app import ADMIN, HERE


@pytest.fixture(params=["sqlite", "postgresql"])
def database_kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(autouse=True)
def nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs stay as a test writes them."""

    async def start(_dispatcher: Dispatcher) -> None:
        pass

    monkeypatch.setattr(Dispatcher, "start", start)


class Reported(Exception):
    """One report is enough."""


class FirstReport:
    """Keeps what a poll reports and ends it after the first report."""

    def __init__(self) -> None:
        self.jobs: Sequence[Job] = ()

    def __call__(self, news: tuple[Sequence[Job], set[str]]) -> None:
        self.jobs, ended = news
        assert not ended

    def wait(self, _seconds: float) -> None:
        raise Reported


def test_the_workbench_polls_the_oldest_of_many_waiting_jobs_too(
    client: TestClient, database: Database
) -> None:
    jobs_of(database, RECORD, *[JobState.DONE] * 30)
    waiting = jobs_of(database, "c3d4", JobState.RUNNING, *[JobState.QUEUED] * (MAX_LISTED_JOBS + 20))
    ended = jobs_of(database, "e5f6", *[JobState.DONE] * (MAX_LISTED_JOBS + 1))

    def through(request: httpx.Request) -> httpx.Response:
        answer = client.request(
            request.method, str(request.url), content=request.read(), headers=dict(request.headers)
        )
        return httpx.Response(answer.status_code, content=answer.content)

    session = Session(HERE, transport=httpx.MockTransport(through))
    session.account.login(*ADMIN)
    report = FirstReport()
    with pytest.raises(Reported):
        _poll_jobs(report, session, "c3d4", {f"item-{place}" for place in range(len(waiting))})  # type: ignore[arg-type]
    assert [job.job_id for job in report.jobs] == waiting[::-1]
    assert report.jobs[-1].state in OPEN_JOB_STATES
    # Nothing is open where all have ended, however many those are.
    assert session.detection.open_jobs("e5f6") == []
    assert len(session.detection.jobs(record_id="e5f6")) == MAX_LISTED_JOBS < len(ended)
    session.close()
