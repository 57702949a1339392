"""Tests batches of jobs: one progress, cancelled and retried together."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, select
from starlette.testclient import TestClient

from service.db.database import Database
from service.detection.dispatch.enqueuing import BatchMaker, JobEnqueuer
from service.detection.jobs import batch_rows
from service.detection.tables import BatchRow, ChunkRow
from shared import samples
from tests.service.answers import read_data, read_list
from tests.service.detection.conftest import Held
from tests.service.detection.dispatch.test_entries import path
from tests.service.detection.dispatch.test_jobs import add_photo, detect, make_item
from tests.service.detection.dispatch.test_jobs import results as results_of
from tests.service.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]


def more(client: TestClient, item: dict[str, Any], scene: samples.Scene, **fields: Any) -> dict[str, Any]:
    """Another item with a photo, in a record of its own unless `fields` name one."""
    given = {"model_id": "reference-difference", "item_point": item["item_point"], **fields}
    created = make_item(client, **given)
    add_photo(client, created, scene.photo)
    return created


def batch(client: TestClient, batch_id: str, what: str = "") -> dict[str, Any]:
    place = f"/api/detection/batches/{batch_id}{what}"
    return read_data(client.post(place) if what else client.get(place))


def pending(client: TestClient, records: list[str] | None = None) -> dict[str, Any]:
    return read_data(client.post("/api/detection/batches", json={"inspection_ids": records}))


def batch_jobs(client: TestClient, batch_id: str) -> list[dict[str, Any]]:
    return read_list(client.get(f"/api/detection/jobs?batch_id={batch_id}"))


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
    assert held.started.wait(60)
    # One is computed, the next one is prepared meanwhile.
    wait_until(lambda: batch(client, batch_id)["running"] == 2)
    now = batch(client, batch_id)
    assert (now["total"], now["queued"], now["progress"]) == (3, 1, 0)
    again = client.post(f"/api/inspection/{record}/detect").json()["data"]
    assert {job["job_id"] for job in again} == {job["job_id"] for job in jobs}
    held.go.set()
    wait_until(lambda: batch(client, batch_id)["done"] == 3)
    assert batch(client, batch_id)["progress"] == 100
    listed = client.get(f"/api/detection/jobs?batch_id={batch_id}").json()["data"]
    assert {job["job_id"] for job in listed} == {job["job_id"] for job in jobs}
    assert len(results_of(client, decided)) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"point": {"x": 0.3, "y": 0.3, "w": 0.2, "h": 0.2}},
        {"detection": {"sensitivity": 0.9}},
        {"fileInfo": None},
    ],
)
def test_a_result_of_another_region_or_setting_is_outdated(
    client: TestClient, item: dict[str, Any], scene: samples.Scene, changed: dict[str, Any]
) -> None:
    record = item["inspection_id"]
    detect(client, item)

    def outdated() -> list[str]:
        jobs = read_list(client.post(f"/api/inspection/{record}/detect?outdated=true"))
        for job in jobs:
            client.post(f"/api/detection/jobs/{job['job_id']}/cancel")
        return [job["item_id"] for job in jobs]

    assert outdated() == []
    stored = client.get(path(item)).json()["item_point"]
    body = {"item_point": {**stored, **changed}}
    assert client.put(f"/api/inspection_item/{item['item_id']}", json=body).status_code == 200
    assert outdated() == [item["item_id"]]
    client.put(f"/api/inspection_item/{item['item_id']}", json={"item_point": stored})
    assert outdated() == []


def test_all_pending_items_of_all_open_records_are_one_batch(
    client: TestClient, item: dict[str, Any], scene: samples.Scene
) -> None:
    cancelled, done, other = (more(client, item, scene) for _ in range(3))
    place = f"/api/inspection/updateInspection/{cancelled['inspection_id']}"
    client.put(place, json={"inspection_status": "cancelled"})
    detect(client, done)
    assert pending(client, [done["inspection_id"]])["total"] == 0
    batch_state = pending(client)
    assert batch_state["total"] == 2
    wait_until(lambda: batch(client, batch_state["batch_id"])["done"] == 2)
    assert [len(results_of(client, one)) for one in (item, other, done, cancelled)] == [1, 1, 1, 0]
    nothing = pending(client)
    assert (nothing["total"], nothing["progress"]) == (0, 100)
    assert batch(client, nothing["batch_id"]) == nothing
    assert batch(client, nothing["batch_id"], "/cancel") == nothing
    assert batch(client, nothing["batch_id"], "/retry")["total"] == 0
    assert client.get("/api/detection/batches/none").status_code == 404
    assert client.post("/api/detection/batches", json={}).status_code == 422


def test_a_batch_is_cancelled_and_retried(
    client: TestClient, item: dict[str, Any], scene: samples.Scene, held: Held
) -> None:
    other = more(client, item, scene)
    answer = pending(client)
    assert answer["total"] == 2
    assert held.started.wait(60)
    stopped = batch(client, answer["batch_id"], "/cancel")
    assert (stopped["canceled"], stopped["progress"]) == (2, 100)
    held.go.set()
    retried = batch(client, answer["batch_id"], "/retry")
    assert retried["total"] == 2
    assert retried["batch_id"] != answer["batch_id"]
    wait_until(lambda: batch(client, retried["batch_id"])["done"] == 2)
    for one in (item, other):
        assert [entry["progress"] for entry in results_of(client, one)] == ["canceled", "done"]
    assert batch(client, retried["batch_id"], "/retry")["total"] == 0


class Slow:
    """The creation of jobs pauses after two chunks until `go` is set."""

    def __init__(self) -> None:
        self.started, self.go = threading.Event(), threading.Event()
        self.made = 0


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    """Chunks of one item, the third of which has to wait."""
    gate, step = Slow(), BatchMaker._step

    async def waiting(making: BatchMaker) -> bool:
        if gate.made == 2:
            gate.started.set()
            await asyncio.to_thread(gate.go.wait, 30)
        went_on = await step(making)
        gate.made += went_on
        return went_on

    monkeypatch.setattr(BatchMaker, "_step", waiting)
    monkeypatch.setattr(batch_rows, "CHUNK_SIZE", 1)
    yield gate
    gate.go.set()


def test_batch_is_answered_whole_before_its_jobs_are_created(
    client: TestClient, item: dict[str, Any], scene: samples.Scene, slow: Slow
) -> None:
    for _ in range(3):
        more(client, item, scene)
    answer = pending(client)
    assert (answer["total"], answer["progress"]) == (4, 0)
    assert slow.started.wait(60)
    wait_until(lambda: batch(client, answer["batch_id"])["done"] == 2)
    now = batch(client, answer["batch_id"])
    assert (now["total"], now["queued"], now["progress"]) == (4, 2, 50)
    # What is about to be made is not asked for twice.
    assert pending(client)["total"] == 0
    slow.go.set()
    wait_until(lambda: batch(client, answer["batch_id"])["done"] == 4)
    assert len(batch_jobs(client, answer["batch_id"])) == 4


def test_batch_cancelled_during_creation_is_retried_whole(
    client: TestClient,
    item: dict[str, Any],
    scene: samples.Scene,
    held: Held,
    slow: Slow,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("service.detection.service.PATIENCE_SECONDS", 0)
    others = [more(client, item, scene, inspection_id=item["inspection_id"]) for _ in range(4)]
    answer = pending(client)
    assert slow.started.wait(60)
    stopped = batch(client, answer["batch_id"], "/cancel")
    assert (stopped["total"], stopped["canceled"]) == (5, 3)
    slow.go.set()
    wait_until(lambda: batch(client, answer["batch_id"])["canceled"] == 5)
    now = batch(client, answer["batch_id"])
    assert (now["total"], now["queued"], now["progress"]) == (5, 0, 100)
    assert len(batch_jobs(client, answer["batch_id"])) == 2
    held.go.set()
    again = batch(client, answer["batch_id"], "/retry")
    assert again["total"] == 5
    wait_until(lambda: batch(client, again["batch_id"])["done"] == 5)
    for one in (item, *others):
        assert [entry["progress"] for entry in results_of(client, one)][-1] == "done"
        assert [entry["progress"] for entry in results_of(client, one)].count("done") == 1


def test_failing_chunk_does_not_block_others_and_is_retried(
    client: TestClient, item: dict[str, Any], scene: samples.Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [more(client, item, scene) for _ in range(2)]
    monkeypatch.setattr("service.detection.dispatch.enqueuing._POLL_SECONDS", 0.1)
    make, failures = JobEnqueuer.jobs, list[str]()

    def failing(enqueuing: JobEnqueuer, session: Session, item_ids: list[str], *arguments: Any) -> None:
        make(enqueuing, session, item_ids, *arguments)
        if item["item_id"] in item_ids and len(failures) < 3:
            failures.append(item["item_id"])
            raise OperationalError("nothing", None, Exception("away"))

    monkeypatch.setattr(JobEnqueuer, "jobs", failing)
    answer = pending(client)
    wait_until(lambda: batch(client, answer["batch_id"])["done"] == 3)
    assert len(failures) == 3
    assert [len(results_of(client, one)) for one in (item, *others)] == [1, 1, 1]


def test_chunks_are_of_one_record_bounded_and_created_in_turn(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_rows, "CHUNK_SIZE", 2)
    large = database.write_now(
        lambda session: batch_rows.create(session, lambda _: {"a": ["1", "2", "3"], "b": ["4"]}, None, None)
    )
    small = database.write_now(
        lambda session: batch_rows.create(session, lambda _: {"c": [], "d": ["5"], "b": ["4"]}, None, None)
    )

    def take(session: Session) -> tuple[str, list[str]] | None:
        chunk = batch_rows.take_chunk(session, [])
        if chunk is None:
            return None
        session.delete(chunk[1])
        return chunk[1].batch_id, chunk[1].item_ids

    taken = [database.write_now(take) for _ in range(5)]
    assert taken == [(large, ["1", "2"]), (small, ["5"]), (large, ["3"]), (large, ["4"]), None]


def test_first_chunk_of_a_batch_is_small(database: Database) -> None:
    def find(_session: Session) -> dict[str, list[str]]:
        return {"a": [str(number) for number in range(6)], "b": ["6", "7"]}

    database.write_now(lambda session: batch_rows.create(session, find, None, None))

    def sizes(session: Session) -> list[int]:
        return list(session.exec(select(ChunkRow.size).order_by(col(ChunkRow.number))))

    assert database.read_now(sizes) == [4, 2, 2]


def test_services_share_chunks_and_skip_cancelled_batches(database: Database, database_kind: str) -> None:
    wish = {"a": ["1"], "b": ["2"]}
    batch_id = database.write_now(lambda session: batch_rows.create(session, lambda _: wish, None, None))

    def key(chunk: tuple[BatchRow, ChunkRow] | None) -> list[str]:
        return [] if chunk is None else chunk[1].item_ids

    if database_kind == "postgresql":
        with Session(database.writer) as one, Session(database.writer) as other:
            seen = [key(batch_rows.take_chunk(session, [])) for session in (one, other, other)]
            assert seen[:2] == [["1"], ["2"]]
    assert key(database.write_now(lambda session: batch_rows.take_chunk(session, [(batch_id, 0)]))) == ["2"]
    database.write_now(lambda session: batch_rows.cancel(session, batch_id, None, None))
    assert database.write_now(lambda session: batch_rows.take_chunk(session, [])) is None
    assert database.read_now(batch_rows.has_work_left) == (False, False)
    assert database.read_now(lambda session: batch_rows.is_settled(session, batch_id))
