"""Tests the result entry of a detection from the queue to its end, with changes in between."""

from __future__ import annotations

from typing import Any, cast

import pytest
from starlette.testclient import TestClient

from service.inspection.rules import cancel_running, with_entry
from shared import __version__, samples
from shared.record import results
from shared.record.entries import Entry
from tests.service.detection.conftest import Held
from tests.service.detection.dispatch.test_jobs import add_photo, detect, make_item
from tests.service.detection.dispatch.test_jobs import results as results_of
from tests.service.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]


def path(item: dict[str, Any], what: str = "") -> str:
    return f"/api/inspection_item/{item['item_id']}{what}"


def wait_for_end(client: TestClient, job: dict[str, Any]) -> dict[str, Any]:
    """The job after its end."""
    job_state: dict[str, Any] = {}

    def over() -> bool:
        job_state.update(client.get(f"/api/detection/jobs/{job['job_id']}").json()["data"])
        return job_state["state"] not in ("queued", "running")

    wait_until(over)
    return job_state


def test_an_entry_keeps_its_version_from_pending_to_done(
    client: TestClient, item: dict[str, Any], held: Held, scene: samples.Scene
) -> None:
    between, second = (
        make_item(client, model_id="reference-difference", item_point=item["item_point"]) for _ in range(2)
    )
    for one in (between, second):
        add_photo(client, one, scene.photo, "zweite.png")
    etag = client.get(path(item)).headers["etag"]
    job, _, waiting = (detect(client, one, wait=0) for one in (item, between, second))
    assert (job["version"], waiting["version"]) == (1, 1)
    assert held.started.wait(60)
    wait_until(lambda: [entry["progress"] for entry in results_of(client, between)] == ["detecting"])
    (taken,), (queued,) = results_of(client, item), results_of(client, second)
    assert (taken["progress"], taken["isPassed"], taken["version"]) == ("detecting", False, 1)
    assert taken["job_id"] == job["job_id"]
    assert taken["resultImage"] == {"boxes": [], "resultImage": {}}
    assert (queued["progress"], queued["isPassed"], queued["version"]) == ("pending", False, 1)
    assert queued["inputImage"]["filename"] == "zweite.png"
    assert queued["provenance"]["queued_at"].endswith("Z")
    # Progress is not an edit of a user: what was read before still counts as the newest.
    edit = client.put(path(item), json={"description": "x"}, headers={"If-Match": etag})
    assert edit.status_code == 200
    held.go.set()
    assert (wait_for_end(client, job)["state"], wait_for_end(client, waiting)["state"]) == ("done", "done")
    (done,) = results_of(client, item)
    assert (done["progress"], done["version"], done["job_id"]) == ("done", 1, job["job_id"])
    assert client.get(path(item)).headers["etag"] != edit.headers["etag"]
    origin = done["provenance"]
    assert origin["program_version"] == __version__
    assert origin["attempt"] == 1
    assert origin["queued_at"] <= origin["started_at"] <= origin["finished_at"]
    assert (origin["model_id"], origin["model_name"]) == ("reference-difference", "参考图比对")


def test_result_is_audited_and_progress_is_not(client: TestClient, item: dict[str, Any]) -> None:
    detect(client, item)
    rows = client.get(f"/api/audit?object_id={item['item_id']}&page_size=200").json()["data"]["data"]
    assert [row["action"] for row in rows] == ["update", "add_photo", "create"]


def test_cancel_is_in_the_entry_and_the_next_detection_has_a_new_one(
    client: TestClient, item: dict[str, Any], held: Held
) -> None:
    job = detect(client, item, wait=0)
    assert held.started.wait(60)
    etag = client.get(path(item)).headers["etag"]
    cancel = f"/api/detection/jobs/{job['job_id']}/cancel"
    canceled = client.post(cancel).json()["data"]
    assert (canceled["state"], canceled["version"]) == ("canceled", 1)
    (entry,) = results_of(client, item)
    assert (entry["progress"], entry["isPassed"]) == ("canceled", False)
    assert entry["error"] == {"code": "canceled", "message": "检测已取消"}
    assert entry["inputImage"]["filename"] == "今天.png"
    assert entry["provenance"]["finished_at"] >= entry["provenance"]["started_at"]
    assert client.get(path(item)).headers["etag"] == etag
    held.go.set()
    again = detect(client, item)
    assert (again["state"], again["version"]) == ("done", 2)
    assert [(one["version"], one["progress"]) for one in results_of(client, item)] == [
        (1, "canceled"),
        (2, "done"),
    ]
    assert client.post(cancel).json()["data"]["state"] == "canceled"


def test_a_client_cannot_take_the_entry_of_a_detection_away(
    client: TestClient, item: dict[str, Any], held: Held
) -> None:
    job = detect(client, item, wait=0)
    assert held.started.wait(60)
    entry = {"isPassed": True, "progress": "done", "version": 7}
    for body in ([entry], [], [entry]):
        assert client.put(path(item), json={"result": body}).json()["result"][1:] == body
    held.go.set()
    assert wait_for_end(client, job)["version"] == 1
    first, second = results_of(client, item)
    assert (first["version"], first["progress"], first["job_id"]) == (1, "done", job["job_id"])
    assert second == entry


def test_entry_sent_back_too_late_changes_nothing(
    client: TestClient, item: dict[str, Any], held: Held
) -> None:
    job = detect(client, item, wait=0)
    assert held.started.wait(60)
    read = results_of(client, item)
    assert client.put(path(item), json={"result": read}).json()["result"] == read
    held.go.set()
    wait_for_end(client, job)
    done = results_of(client, item)
    assert client.put(path(item), json={"result": read}).json()["result"] == done
    (copy,) = make_item(client, result=read)["result"]
    assert not results.is_under_way(copy)
    assert not results.is_service_entry(copy)
    foreign = {"isPassed": False, "progress": "detecting", "version": 1}
    assert make_item(client, result=[foreign])["result"] == [foreign]


def test_a_deleted_item_ends_its_detection_and_comes_back_without_it(
    client: TestClient, item: dict[str, Any], held: Held
) -> None:
    job = detect(client, item, wait=0)
    assert held.started.wait(60)
    client.delete(path(item))
    held.go.set()
    assert wait_for_end(client, job)["state"] == "canceled"
    assert client.post(path(item, "/restore")).json()["result"][0]["progress"] == "canceled"
    assert detect(client, item)["version"] == 2


def test_item_deleted_and_restored_is_detected_again_on_request(
    client: TestClient, item: dict[str, Any], held: Held
) -> None:
    job = detect(client, item, wait=0)
    assert held.started.wait(60)
    client.delete(path(item))
    client.post(path(item, "/restore"))
    again = detect(client, item, wait=0)
    assert again["job_id"] != job["job_id"]
    held.go.set()
    assert (wait_for_end(client, job)["state"], wait_for_end(client, again)["state"]) == ("canceled", "done")
    assert [entry["progress"] for entry in results_of(client, item)] == ["canceled", "done"]


def step(progress: str, job: str = "j", **fields: Any) -> Entry:
    return cast(Entry, {"job_id": job, "progress": progress, "isPassed": progress == "done", **fields})


def test_step_changes_only_its_entry() -> None:
    before: list[Entry] = [{"version": 3, "isPassed": False}]
    entries, version = with_entry(before, step("pending", provenance={"queued_at": 1})) or ([], 0)
    assert version == 4
    decided: list[Entry] = [*entries, {"version": 5, "verdict": {"value": "passed"}, "isPassed": True}]
    entries, version = with_entry(decided, step("done", provenance={"finished_at": 2})) or ([], 0)
    assert version == 4
    assert entries[1]["provenance"] == {"queued_at": 1, "finished_at": 2}
    assert (entries[0], entries[2]) == (decided[0], decided[2])
    # It was asked for before the person decided, so the decision stands and the opinion is seen beside it.
    assert results.is_passed(entries) is True
    assert results.model_opinion(entries) is True
    assert with_entry(entries, step("done")) is None
    assert with_entry(entries, step("pending", job="k")) is not None


def test_unfinished_entry_does_not_count() -> None:
    done: Entry = {"version": 1, "isPassed": True, "progress": "done", "job_id": "earlier"}
    entries = [done, step("detecting", version=2)]
    for progress in ("pending", "detecting", "canceled", "error"):
        history: list[Entry] = [entries[0], {**entries[1], "progress": progress}]
        assert results.is_passed(history) is True
        assert results.finished_detection(history) is history[0]
        assert results.record_progress([history, [history[1]]]) == 50
        assert results.is_under_way(history[1]) is (progress in ("pending", "detecting"))
    undecided = step("pending", isPassed=None, verdict={"value": "undecided"})
    assert not results.is_under_way(undecided)
    assert cancel_running([undecided]) == [undecided]
