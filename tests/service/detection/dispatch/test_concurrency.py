"""Tests many clients on the same items at once: no failures, and consistent jobs and entries."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

from shared import samples
from tests.service.answers import read_list
from tests.service.detection.dispatch.test_batches import more
from tests.service.detection.dispatch.test_entries import path
from tests.service.detection.dispatch.test_jobs import results as results_of
from tests.service.waiting import wait_until

WORKERS, ROUNDS = 6, 12

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]


def test_detect_cancel_edit_and_delete_at_once(
    client: TestClient, item: dict[str, Any], scene: samples.Scene
) -> None:
    record = item["inspection_id"]
    items = [item, *(more(client, item, scene, inspection_id=record) for _ in range(2))]

    def work(number: int) -> list[int]:
        rng = random.Random(number)
        statuses = []
        for _ in range(ROUNDS):
            one = rng.choice(items)
            match rng.randrange(8):
                case 0 | 1:
                    answer = client.post(path(one, "/detect"))
                case 2:
                    answer = client.post(f"/api/inspection/{record}/detect")
                case 3:
                    answer = client.post("/api/detection/batches", json={"inspection_ids": [record]})
                case 4:
                    jobs = client.get(f"/api/detection/jobs?inspection_id={record}").json()["data"]
                    job_id = jobs[0]["job_id"] if jobs else "none"
                    answer = client.post(f"/api/detection/jobs/{job_id}/cancel")
                case 5:
                    answer = client.post(path(one, "/verdict"), json={"verdict": "undecided"})
                case 6:
                    answer = client.put(path(one), json={"result": []})
                case _:
                    client.delete(path(one))
                    answer = client.post(path(one, "/restore"))
            statuses.append(answer.status_code)
        return statuses

    with ThreadPoolExecutor(WORKERS) as pool:
        statuses = [status for some in pool.map(work, range(WORKERS)) for status in some]
    assert set(statuses) <= {200, 404, 409}

    def jobs() -> list[dict[str, Any]]:
        return read_list(client.get(f"/api/detection/jobs?inspection_id={record}"))

    wait_until(lambda: all(job["state"] not in ("queued", "running") for job in jobs()), 60)
    states = {job["job_id"]: job["state"] for job in jobs()}
    agree = {"done": "done", "error": "failed", "canceled": "canceled"}
    for one in items:
        entries = [entry for entry in results_of(client, one) if "job_id" in entry]
        assert len({entry["job_id"] for entry in entries}) == len(entries)
        versions = [entry["version"] for entry in results_of(client, one)]
        assert versions == sorted(set(versions))
        for entry in entries:
            assert states[entry["job_id"]] == agree[entry["progress"]]
