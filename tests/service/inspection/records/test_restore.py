"""Tests that a deletion can be undone: the item returns as it was, in its place."""

from __future__ import annotations

import datetime as dt
from concurrent.futures import ThreadPoolExecutor
from operator import methodcaller

from sqlalchemy import func, select, update

from service.inspection.tables import DELETED
from shared.record.entries import Entry
from tests.service.inspection.conftest import Stage, item_path, stored_file

POINT = {
    "point": {"x": 0.1, "y": 0.25, "w": 0.3, "h": 0.4},
    "detection": {"sensitivity": 0.7, "smallest": None, "ignored": [{"x": 0, "y": 0, "w": 0.5, "h": 1}]},
    "own": [1, 2.0, "三"],
}
PASSED = {"isPassed": True, "progress": "done", "version": 1, "own": {"deleted_count": True}}
FAILED = {"isPassed": False, "progress": "done", "version": 1}


def deleted_count(stage: Stage) -> int:
    count: int = stage.database.read_now(
        lambda session: session.execute(select(func.count()).select_from(DELETED)).scalar_one()
    )
    return count


def test_item_is_restored_unchanged_in_its_place(stage: Stage) -> None:
    stage.put("models", id="m1", name="裂纹", description="第一版")
    stage.files["p1"], stage.files["p2"] = stored_file("p1"), stored_file("p2")
    record = stage.record()["inspection_id"]
    stage.item(record, item_name="一")
    item = stage.item(
        record, item_name="二", description="长", model_id="m1", item_point=POINT, result=[PASSED]
    )
    stage.item(record, item_name="三", result=[FAILED])
    for file_id in ("p1", "p2"):
        stage.client.post(item_path(item, "/photos"), json={"file_id": file_id})
    stage.client.post(item_path(item, "/verdict"), json={"verdict": "passed", "reason": "看过"})
    before, items = stage.client.get(item_path(item)), stage.items(record)
    photos = stage.client.get(item_path(item, "/photos")).json()

    assert stage.client.delete(item_path(item)).json() == {"code": 0, "data": True, "msg": "删除成功"}
    assert stage.client.get(item_path(item)).status_code == 404
    assert stage.client.get(item_path(item, "/photos")).status_code == 404
    assert [listed_item["item_name"] for listed_item in stage.items(record)] == ["一", "三"]

    answer = stage.client.post(item_path(item, "/restore"))
    assert answer.status_code == 200
    assert answer.text == before.text
    assert answer.headers["ETag"] == before.headers["ETag"]
    assert stage.client.get(item_path(item)).text == before.text
    assert stage.client.get(item_path(item, "/photos")).json() == photos
    assert stage.items(record) == items
    assert deleted_count(stage) == 0


def test_record_follows_a_restored_item(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    stage.item(record, result=[PASSED])
    failed = stage.item(record, result=[FAILED])
    open_one = stage.item(record)
    for item in (failed, open_one):
        stage.client.delete(item_path(item))
    assert (stage.get(record)["progress"], stage.get(record)["inspection_status"]) == (100, "passed")
    stage.client.post(item_path(failed, "/restore"))
    assert (stage.get(record)["progress"], stage.get(record)["inspection_status"]) == (100, "failed")
    stage.client.post(item_path(open_one, "/restore"))
    assert (stage.get(record)["progress"], stage.get(record)["inspection_status"]) == (66, "in_progress")


def test_restore_is_announced_once(stage: Stage) -> None:
    item = stage.item(stage.record()["inspection_id"], item_name="铆钉")
    stage.as_role("inspector").delete(item_path(item))
    del stage.changes[:]
    for _ in range(2):
        assert stage.client.post(item_path(item, "/restore")).status_code == 200
    (change_announced,) = (change for change in stage.changes if change.action == "bring_back")
    assert (change_announced.kind, change_announced.object_id, change_announced.actor) == (
        "item",
        item["item_id"],
        "id-of-planner",
    )
    assert change_announced.details["deleted_by"] == "id-of-inspector"
    assert change_announced.details["item_name"] == "铆钉"


def test_parallel_restores_create_one_item(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    item = stage.item(record)
    stage.client.delete(item_path(item))
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: stage.client.post(item_path(item, "/restore")), range(4)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.text for answer in answers}) == 1
    assert len(stage.items(record)) == 1


def test_item_can_be_deleted_and_restored_repeatedly(stage: Stage) -> None:
    item = stage.item(stage.record()["inspection_id"])
    for number in range(3):
        name = f"第{number}次"
        stage.client.put(item_path(item), json={"item_name": name})
        stage.client.delete(item_path(item))
        assert stage.client.post(item_path(item, "/restore")).json()["item_name"] == name


def test_restore_of_an_unknown_item_is_404(stage: Stage) -> None:
    answer = stage.client.post("/api/inspection_item/none/restore")
    assert answer.status_code == 404
    assert answer.json()["data"]["error"] == "not_found"


def test_item_of_a_deleted_record_cannot_be_restored(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    item, other = stage.item(record), stage.item(record)
    stage.client.delete(item_path(item))
    assert deleted_count(stage) == 1
    stage.client.delete(f"/api/inspection/deleteInspection/{record}")
    assert deleted_count(stage) == 0
    for deleted in (item, other):
        assert stage.client.post(item_path(deleted, "/restore")).status_code == 404


def test_restore_requires_the_permission_to_add_items(stage: Stage) -> None:
    item = stage.item(stage.record()["inspection_id"])
    stage.client.delete(item_path(item))
    assert stage.as_role("viewer").post(item_path(item, "/restore")).status_code == 403
    assert stage.client.get(item_path(item)).status_code == 404
    # Another user's deletion can be undone too.
    assert stage.as_role("inspector").post(item_path(item, "/restore")).status_code == 200


def test_deleted_item_expires(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    old, young, newest = (stage.item(record) for _ in range(3))
    for item in (old, young):
        stage.client.delete(item_path(item))
    # The API document says 30 days.
    month_ago = dt.datetime.now(dt.UTC).replace(tzinfo=None) - dt.timedelta(days=30)
    for item, seconds in ((old, -1), (young, 600)):
        at = month_ago + dt.timedelta(seconds=seconds)
        deleted = update(DELETED).where(DELETED.c.item_id == item["item_id"]).values(deleted_at=at)
        stage.database.write_now(methodcaller("execute", deleted))
    assert stage.client.post(item_path(old, "/restore")).status_code == 404
    assert deleted_count(stage) == 2
    stage.client.delete(item_path(newest))
    assert deleted_count(stage) == 2
    assert stage.client.post(item_path(young, "/restore")).status_code == 200


def test_running_detection_is_restored_as_cancelled(stage: Stage) -> None:
    item = stage.item(stage.record()["inspection_id"], result=[PASSED])
    running: Entry = {"isPassed": False, "progress": "detecting", "job_id": "j"}
    stage.database.write_now(
        lambda session: stage.service.detections.put_result(session, item["item_id"], running)
    )
    stage.client.post(item_path(item, "/verdict"), json={"verdict": "undecided"})
    before = stage.client.get(item_path(item)).json()["result"]
    assert [entry["progress"] for entry in before] == ["done", "detecting", "pending"]
    stage.client.delete(item_path(item))
    entries = stage.client.post(item_path(item, "/restore")).json()["result"]
    assert entries[1].pop("error")["code"] == "canceled"
    assert entries == [before[0], {**before[1], "progress": "canceled"}, before[2]]


def test_key_that_created_another_item_stays_with_it(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    body, key = {"item_name": "a", "inspection_id": record}, {"Idempotency-Key": "k"}
    first = stage.client.post("/api/inspection_item/create", json=body, headers=key).json()
    stage.client.delete(item_path(first))
    second = stage.client.post("/api/inspection_item/create", json=body, headers=key).json()
    assert second["item_id"] != first["item_id"]
    assert stage.client.post(item_path(first, "/restore")).status_code == 200
    again = stage.client.post("/api/inspection_item/create", json=body, headers=key).json()
    assert again["item_id"] == second["item_id"]


def test_stale_verdict_is_refused_with_the_current_item(stage: Stage) -> None:
    item = stage.item(stage.record()["inspection_id"])
    body, first = {"verdict": "passed"}, {"If-Match": '"1"'}
    newest = stage.client.post(item_path(item, "/verdict"), json=body, headers=first).headers["ETag"]
    assert newest == stage.client.get(item_path(item)).headers["ETag"] != first["If-Match"]
    stale = stage.client.post(item_path(item, "/verdict"), json={"verdict": "failed"}, headers=first)
    assert stale.status_code == 412
    assert stale.headers["ETag"] == newest
    assert stale.json()["data"]["error"] == "stale"
    assert stale.json()["data"]["current"] == stage.client.get(item_path(item)).json()
    # Without the header the verdict is accepted.
    assert stage.client.post(item_path(item, "/verdict"), json=body).status_code == 200
