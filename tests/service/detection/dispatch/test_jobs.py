"""Tests detection through the real service: jobs, results, failures, and a compute process that dies."""

from __future__ import annotations

import datetime as dt
import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.db.database import Database, now
from service.detection.compute.compute_process import ComputeProcess
from service.detection.jobs import job_rows
from service.detection.tables import JobRow
from shared import samples
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.wire.detection import JobState
from tests.service.answers import read_body, read_data
from tests.service.detection.graphs import brightness_model

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]


# What it decides with has no SQL of its own: the other tests run its statements on both databases.
ON_ONE_DATABASE = pytest.mark.parametrize("database_kind", ["sqlite"])


ASK = ComputeProcess.ask


def encode(image: samples.Image) -> bytes:
    return bytes(cv2.imencode(".png", image)[1])


def upload(client: TestClient, name: str, data: bytes) -> dict[str, Any]:
    return read_data(client.post("/api/files", files={"file": (name, data, "image/png")}))


def add_photo(
    client: TestClient, item: dict[str, Any], image: samples.Image, name: str = "photo.png"
) -> dict[str, Any]:
    """Add a photo to the item. Returns its file."""
    file = upload(client, name, encode(image))
    path = f"/api/inspection_item/{item['item_id']}/photos"
    read_data(client.post(path, json={"file_id": file["file_id"]}))
    return file


def make_item(client: TestClient, **fields: Any) -> dict[str, Any]:
    record = client.post("/api/inspection/create", json={"task_id": "t"}).json()["data"]
    body = {"item_name": "a", "inspection_id": record["inspection_id"], **fields}
    return read_body(client.post("/api/inspection_item/create", json=body))


def detect(client: TestClient, item: dict[str, Any], wait: int = 60) -> dict[str, Any]:
    """Start a detection. Returns its job, after its end unless `wait` is 0."""
    job = read_data(client.post(f"/api/inspection_item/{item['item_id']}/detect?wait={wait}"))
    deadline = time.monotonic() + 120
    # The service answers after `wait` seconds at the latest, which do not suffice on a busy machine.
    while wait and job["state"] in ("queued", "running"):
        assert time.monotonic() < deadline, job
        time.sleep(0.1)
        job = client.get(f"/api/detection/jobs/{job['job_id']}").json()["data"]
    return job


def results(client: TestClient, item: dict[str, Any]) -> list[dict[str, Any]]:
    answer: list[dict[str, Any]] = client.get(f"/api/inspection_item/{item['item_id']}").json()["result"]
    return answer


def test_a_run_writes_one_result_with_its_provenance(
    client: TestClient, item: dict[str, Any], scene: samples.Scene
) -> None:
    job = detect(client, item)
    assert (job["state"], job["progress"], job["version"], job["error"]) == ("done", 100, 1, None)
    (entry,) = results(client, item)
    assert entry["isPassed"] is False
    assert entry["progress"] == "done"
    assert entry["inputImage"]["filename"] == "今天.png"
    assert (entry["inputImage"]["width"], entry["inputImage"]["height"]) == (640, 480)
    boxes = [
        Rect(p["x1"], p["y1"], p["x2"] - p["x1"], p["y2"] - p["y1"])
        for p in (box["points"] for box in entry["resultImage"]["boxes"])
    ]
    assert len(boxes) == len(scene.defects)
    picture = client.get(entry["resultImage"]["resultImage"]["download_url"])
    assert picture.headers["content-type"] == "image/jpeg"
    provenance = entry["provenance"]
    assert provenance["model_id"] == "reference-difference"
    assert provenance["thresholds"]["min_confidence"] == 0.5
    assert provenance["started_at"] <= provenance["finished_at"]
    assert len(provenance["alignment"]["homography"]) == 3
    record = client.get(f"/api/inspection/getInspectionById/{item['inspection_id']}").json()["data"]
    assert (record["progress"], record["inspection_status"]) == (100, "failed")
    again = detect(client, item)
    assert again["version"] == 2


@ON_ONE_DATABASE
def test_a_photo_of_something_else_never_passes(client: TestClient, item: dict[str, Any]) -> None:
    other = samples.draw_panel(640, 480, 77).image[::-1, ::-1].copy()
    cv2.randn(other, (90, 90, 90), (60, 60, 60))
    add_photo(client, item, other)
    job = detect(client, item)
    assert (job["state"], job["error"]) == ("failed", "alignment_failed")
    assert "重新拍摄" in job["message"]
    in_english = client.get(f"/api/detection/jobs/{job['job_id']}", headers={"Accept-Language": "en"})
    assert "retake it" in in_english.json()["data"]["message"]
    (entry,) = results(client, item)
    assert entry["isPassed"] is False
    assert entry["progress"] == "error"
    assert entry["error"]["code"] == "alignment_failed"


def test_missing_input_is_reported_at_once(client: TestClient) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "no_model"),
        ({"model_id": "reference-difference"}, "no_photo"),
    ]
    for fields, code in cases:
        item = make_item(client, **fields)
        answer = client.post(f"/api/inspection_item/{item['item_id']}/detect")
        assert answer.status_code == 409
        assert answer.json()["data"]["error"] == code


def test_unknown_model_and_broken_photo_are_in_the_result(client: TestClient, scene: samples.Scene) -> None:
    item = make_item(client, model_id="not-here")
    add_photo(client, item, scene.photo)
    assert detect(client, item)["error"] == "model_unknown"
    item = make_item(client, model_id="reference-difference")
    add_photo(client, item, scene.photo)
    assert detect(client, item)["error"] == "no_region"


def test_a_record_is_detected_item_by_item_and_an_open_job_is_not_made_twice(
    client: TestClient, item: dict[str, Any]
) -> None:
    answer = client.post(f"/api/inspection/{item['inspection_id']}/detect")
    assert answer.status_code == 200, answer.text
    (first,) = answer.json()["data"]
    second = detect(client, item)
    listed = client.get(f"/api/detection/jobs?inspection_id={item['inspection_id']}").json()["data"]
    if second["job_id"] == first["job_id"]:
        assert len(listed) == 1
    assert len(results(client, item)) == len(listed)


def ask_a_process_that_dies(process: ComputeProcess, *arguments: Any) -> Any:
    """Ask a process that ends by itself: one that is killed before the request is replaced unnoticed."""
    process.kill()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process._child, "_command", [sys.executable, "-c", ""])
        return ASK(process, *arguments)


def test_a_compute_process_that_dies_is_started_again(
    client: TestClient, item: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    deaths: list[ComputeProcess] = []

    def dying(process: ComputeProcess, *arguments: Any) -> Any:
        if len(deaths) == 2:
            return ASK(process, *arguments)
        deaths.append(process)
        return ask_a_process_that_dies(process, *arguments)

    monkeypatch.setattr(ComputeProcess, "ask", dying)
    assert detect(client, item)["state"] == "done"
    assert len(deaths) == 2
    assert len(results(client, item)) == 1


def test_a_job_that_always_kills_its_process_fails_in_the_end(
    client: TestClient, item: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ComputeProcess, "ask", ask_a_process_that_dies)
    job = detect(client, item)
    assert (job["state"], job["error"]) == ("failed", "worker_died")
    assert len(results(client, item)) == 1


def queue_jobs(database: Database, count: int) -> None:
    def write(session: Any) -> None:
        for number in range(count):
            job_rows.create(session, f"item-{number}", "record", "reference-difference", None)

    database.write_now(write)


def test_two_workers_never_get_the_same_job(database: Database) -> None:
    queue_jobs(database, 6)
    taken = [
        database.write_now(
            lambda session: row and row.job_id if (row := job_rows.take_oldest(session)) else None
        )
        for _ in range(7)
    ]
    assert taken[-1] is None
    assert len(set(taken[:-1])) == 6


def test_a_lease_that_ran_out_is_taken_again_and_only_the_last_taker_may_end_it(database: Database) -> None:
    queue_jobs(database, 1)

    def take(session: Any) -> tuple[str, int]:
        row = job_rows.take_oldest(session)
        assert row is not None
        return row.job_id, row.attempt

    job_id, first = database.write_now(take)
    assert database.write_now(job_rows.take_oldest) is None

    def expire(session: Any) -> None:
        session.get(JobRow, job_id).lease_until = now() - dt.timedelta(seconds=1)

    database.write_now(expire)
    _, second = database.write_now(take)
    assert second == first + 1
    assert not database.write_now(lambda session: job_rows.renew(session, job_id, first, 50))
    assert database.write_now(lambda session: job_rows.locked_job(session, job_id, first)) is None
    assert database.write_now(lambda session: job_rows.renew(session, job_id, second, 50))

    def finish(session: Any) -> None:
        row = job_rows.locked_job(session, job_id, second)
        assert row is not None
        job_rows.end(row, JobState.DONE, None, 1)

    database.write_now(finish)
    assert database.write_now(lambda session: job_rows.locked_job(session, job_id, second)) is None


@ON_ONE_DATABASE
def test_a_result_tells_from_what_confidence_on_its_model_reports(
    client: TestClient, item: dict[str, Any], tmp_path: Path, scene: samples.Scene
) -> None:
    detect(client, item)
    assert results(client, item)[0]["provenance"]["thresholds"]["least_confidence"] == 0.5
    path = brightness_model(tmp_path / "bright.onnx")
    settings = {"confidence": 0.3, "per_label": {"dent": 0.2, "crack": 0.6}}
    with path.open("rb") as file:
        fields = {"model_name": "bright", "settings": json.dumps(settings)}
        added = client.post("/api/detection/models", data=fields, files={"file": file}).json()["data"]
    place = f"/api/inspection_item/{item['item_id']}"
    client.put(place, json={"model_id": added["model_id"]})
    detect(client, item)
    assert results(client, item)[1]["provenance"]["thresholds"]["least_confidence"] == 0.2
