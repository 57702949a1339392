"""Jobs that one request made: how far they are in one place, cancelled and retried together."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.detection.service import DetectionService, _portions
from shared import samples
from tests.service.detection.conftest import Held
from tests.service.detection.test_entries import path, until
from tests.service.detection.test_jobs import detect, encoded, make_item, upload
from tests.service.detection.test_jobs import results as results_of


@pytest.fixture(params=["sqlite", "postgresql"])
def database_kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def more(client: TestClient, item: dict[str, Any], scene: samples.Scene, **fields: Any) -> dict[str, Any]:
    """Another item with a photo, in a record of its own unless `fields` name one."""
    given = {"model_id": "reference-difference", "item_point": item["item_point"], **fields}
    made = make_item(client, **given)
    photo = upload(client, "photo.png", encoded(scene.photo))
    client.post(path(made, "/photos"), json={"file_id": photo["file_id"]})
    return made


def batch(client: TestClient, batch_id: str, what: str = "") -> dict[str, Any]:
    place = f"/api/detection/batches/{batch_id}{what}"
    answer = client.post(place) if what else client.get(place)
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


def pending(client: TestClient, records: list[str] | None = None) -> dict[str, Any]:
    answer = client.post("/api/detection/batches", json={"inspection_ids": records})
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


def batch_jobs(client: TestClient, batch_id: str) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = client.get(f"/api/detection/jobs?batch_id={batch_id}").json()["data"]
    return listed


def test_a_record_s_open_items_are_one_batch(
    client: TestClient, item: dict[str, Any], scene: samples.Scene, held: Held
) -> None:
    record = item["inspection_id"]
    decided = more(client, item, scene, inspection_id=record)
    for _ in range(2):
        more(client, item, scene, inspection_id=record)
    make_item(client, inspection_id=record, model_id="reference-difference")
    client.post(path(decided, "/verdict"), json={"verdict": "passed"})
    jobs = client.post(f"/api/inspection/{record}/detect").json()["data"]
    assert len(jobs) == 3
    assert {job["version"] for job in jobs} == {1}
    (batch_id,) = {job["batch_id"] for job in jobs}
    assert held.begun.wait(10)
    # One is computed, the next one is prepared meanwhile.
    until(lambda: batch(client, batch_id)["running"] == 2)
    now = batch(client, batch_id)
    assert (now["total"], now["queued"], now["progress"]) == (3, 1, 0)
    again = client.post(f"/api/inspection/{record}/detect").json()["data"]
    assert {job["job_id"] for job in again} == {job["job_id"] for job in jobs}
    held.go.set()
    until(lambda: batch(client, batch_id)["done"] == 3)
    assert batch(client, batch_id)["progress"] == 100
    listed = client.get(f"/api/detection/jobs?batch_id={batch_id}").json()["data"]
    assert {job["job_id"] for job in listed} == {job["job_id"] for job in jobs}
    assert len(results_of(client, decided)) == 1


def test_all_pending_items_of_all_open_records_are_one_batch(
    client: TestClient, item: dict[str, Any], scene: samples.Scene
) -> None:
    cancelled, done, other = (more(client, item, scene) for _ in range(3))
    place = f"/api/inspection/updateInspection/{cancelled['inspection_id']}"
    client.put(place, json={"inspection_status": "cancelled"})
    detect(client, done)
    assert pending(client, [done["inspection_id"]])["total"] == 0
    made = pending(client)
    assert made["total"] == 2
    until(lambda: batch(client, made["batch_id"])["done"] == 2)
    assert [len(results_of(client, one)) for one in (item, other, done, cancelled)] == [1, 1, 1, 0]
    nothing = pending(client)
    assert (nothing["total"], nothing["progress"]) == (0, 100)
    assert client.get(f"/api/detection/batches/{nothing['batch_id']}").status_code == 404
    assert client.post("/api/detection/batches", json={}).status_code == 422


def test_a_batch_is_cancelled_and_retried(
    client: TestClient, item: dict[str, Any], scene: samples.Scene, held: Held
) -> None:
    other = more(client, item, scene)
    made = pending(client)
    assert made["total"] == 2
    assert held.begun.wait(10)
    stopped = batch(client, made["batch_id"], "/cancel")
    assert (stopped["canceled"], stopped["progress"]) == (2, 100)
    held.go.set()
    retried = batch(client, made["batch_id"], "/retry")
    assert retried["total"] == 2
    assert retried["batch_id"] != made["batch_id"]
    until(lambda: batch(client, retried["batch_id"])["done"] == 2)
    for one in (item, other):
        assert [entry["progress"] for entry in results_of(client, one)] == ["canceled", "done"]
    assert batch(client, retried["batch_id"], "/retry")["total"] == 0


def test_a_large_batch_is_answered_early_made_to_its_end_and_cancelled_at_once(
    client: TestClient,
    item: dict[str, Any],
    scene: samples.Scene,
    held: Held,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for _ in range(5):
        more(client, item, scene, inspection_id=item["inspection_id"])
    monkeypatch.setattr("service.detection.service.PORTION", 1)
    monkeypatch.setattr("service.detection.service.PATIENCE_SECONDS", 0)
    made = pending(client)
    assert (made["total"], made["progress"]) == (6, 0)
    until(lambda: len(batch_jobs(client, made["batch_id"])) == 6)
    assert batch(client, made["batch_id"])["total"] == 6
    batch(client, made["batch_id"], "/cancel")
    until(lambda: batch(client, made["batch_id"])["canceled"] == 6)


def test_a_batch_that_is_cancelled_while_it_is_made_makes_no_more(
    client: TestClient,
    item: dict[str, Any],
    scene: samples.Scene,
    held: Held,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for _ in range(3):
        more(client, item, scene, inspection_id=item["inspection_id"])
    monkeypatch.setattr("service.detection.service.PATIENCE_SECONDS", 0)
    monkeypatch.setattr("service.detection.service.PORTION", 1)
    making, go, make = threading.Event(), threading.Event(), DetectionService._enqueue
    calls: list[DetectionService] = []

    def slow(service: DetectionService, *given: Any, **named: Any) -> Any:
        calls.append(service)
        if len(calls) == 3:
            making.set()
            go.wait(10)
        return make(service, *given, **named)

    monkeypatch.setattr(DetectionService, "_enqueue", slow)
    batch_id = pending(client)["batch_id"]
    assert making.wait(10)
    assert batch(client, batch_id)["total"] == 4
    with ThreadPoolExecutor(1) as pool:
        stopped = pool.submit(batch, client, batch_id, "/cancel")
        until(lambda: calls[0]._making[batch_id].stopped)
        go.set()
        assert stopped.result(10)["total"] == 3
    until(lambda: batch(client, batch_id)["canceled"] == 3)


def test_portions_are_of_one_record_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.detection.service.PORTION", 2)
    assert list(_portions({"a": ["1", "2", "3"], "b": ["4"], "c": []})) == [["1", "2"], ["3"], ["4"]]
