"""Tests that job and entry agree after the service was killed, and that the next service continues."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import httpx
import pytest

from service.detection.jobs.job_rows import MAX_ATTEMPTS
from shared.record.codes import Progress
from shared.wire.detection import JobState
from tests.service.detection.dispatch.test_queue import items_to_detect
from tests.service.waiting import wait_until
from tests.service_process import ADMIN, create_first_admin, running_service

pytestmark = pytest.mark.slow

AGREE = {
    JobState.QUEUED: Progress.PENDING,
    JobState.RUNNING: Progress.DETECTING,
    JobState.DONE: Progress.DONE,
    JobState.FAILED: Progress.ERROR,
    JobState.CANCELED: Progress.CANCELED,
}


def test_a_killed_service_leaves_jobs_and_entries_in_agreement(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    snapshots: list[list[tuple[str, str]]] = []
    record, items = "", list[str]()
    # After another kill, a job that was running each time would be given up.
    for number in range(MAX_ATTEMPTS - 1):
        with running_service(data_dir) as running:
            if not number:
                headers = {"Authorization": f"Bearer {create_first_admin(running.url)}"}
                with httpx.Client(base_url=f"{running.url}/api", headers=headers, timeout=30) as client:
                    record, items = items_to_detect(client)
                    client.post(f"/inspection/{record}/detect").raise_for_status()
            wait_until(lambda: len([pair for pair in pairs(data_dir) if pair[0] == "running"]) >= 1)
            running.process.kill()
            running.process.wait(60)
        snapshots.append(pairs(data_dir))
    for snapshot in snapshots:
        assert [progress for _, progress in snapshot] == [
            str(AGREE[JobState(state)]) for state, _ in snapshot
        ]
    with (
        running_service(data_dir) as running,
        httpx.Client(base_url=f"{running.url}/api", timeout=30) as client,
    ):
        login = client.post("/auth/login", json={"username": ADMIN[0], "password": ADMIN[1]})
        headers = {"Authorization": f"Bearer {login.json()['data']['access_token']}"}
        wait_until(lambda: all(state == "done" for state, _ in pairs(data_dir)), 120)
        for item_id in items:
            (entry,) = client.get(f"/inspection_item/{item_id}", headers=headers).json()["result"]
            assert (entry["progress"], entry["version"]) == ("done", 1)


def pairs(data_dir: Path) -> list[tuple[str, str]]:
    """State and progress of each job and its entry, in one snapshot."""
    connection = sqlite3.connect(f"file:{data_dir / 'walkaround.db'}?mode=ro", uri=True, timeout=10)
    try:
        rows = connection.execute(
            "SELECT job.job_id, job.state, item.result FROM detection_job AS job"
            " JOIN item ON item.item_id = job.item_id ORDER BY job.created_at, job.job_id"
        ).fetchall()
    finally:
        connection.close()
    states = []
    for job_id, state, text in rows:
        (entry,) = json.loads(text)
        assert entry["job_id"] == job_id
        states.append((state, entry["progress"]))
    return states
