"""Tests that the desktop's client lists all open jobs of a service."""

from __future__ import annotations

from collections.abc import Sequence

import httpx
import pytest
from starlette.testclient import TestClient

from desktop.client import Session
from desktop.record.live_changes import _poll_jobs
from service.db.database import Database
from service.detection.dispatch.dispatcher import Dispatcher
from shared.wire.detection import MAX_LISTED_JOBS, OPEN_JOB_STATES, Job, JobState
from tests.service.detection.dispatch.test_listing import RECORD, jobs_of
from tests.service_app import ADMIN, LOCAL_URL

pytestmark = pytest.mark.both_databases


@pytest.fixture(autouse=True)
def stopped_dispatcher(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prevent that jobs run: they stay as a test writes them."""

    async def start(_dispatcher: Dispatcher) -> None:
        pass

    monkeypatch.setattr(Dispatcher, "start", start)


class FirstReportError(Exception):
    """Ends a poll after its first report."""


class FirstReport:
    """Stores the first report of a poll, and ends the poll."""

    def __init__(self) -> None:
        self.jobs: Sequence[Job] = ()

    def __call__(self, news: tuple[Sequence[Job], set[str]]) -> None:
        self.jobs, ended = news
        assert not ended

    def wait(self, _seconds: float) -> None:
        raise FirstReportError


def test_workbench_polls_more_jobs_than_one_page(client: TestClient, database: Database) -> None:
    jobs_of(database, RECORD, *[JobState.DONE] * 30)
    waiting = jobs_of(database, "c3d4", JobState.RUNNING, *[JobState.QUEUED] * (MAX_LISTED_JOBS + 20))
    ended = jobs_of(database, "e5f6", *[JobState.DONE] * (MAX_LISTED_JOBS + 1))

    def forward(request: httpx.Request) -> httpx.Response:
        answer = client.request(
            request.method, str(request.url), content=request.read(), headers=dict(request.headers)
        )
        return httpx.Response(answer.status_code, content=answer.content)

    session = Session(LOCAL_URL, transport=httpx.MockTransport(forward))
    session.account.login(*ADMIN)
    report = FirstReport()
    with pytest.raises(FirstReportError):
        _poll_jobs(report, session, "c3d4", {f"item-{place}" for place in range(len(waiting))})  # type: ignore[arg-type]
    assert [job.job_id for job in report.jobs] == waiting[::-1]
    assert report.jobs[-1].state in OPEN_JOB_STATES
    # No job is open if all have ended.
    assert session.detection.open_jobs("e5f6") == []
    assert len(session.detection.jobs(record_id="e5f6")) == MAX_LISTED_JOBS < len(ended)
    session.close()
