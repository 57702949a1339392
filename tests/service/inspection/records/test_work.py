"""Tests photos, templates, the last inspection, the input of detection and announced changes."""

from __future__ import annotations

import datetime as dt
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest
from starlette.testclient import TestClient

from service.web.envelope import Problem
from shared.record.entries import Entry
from shared.wire.catalogue import ReferenceImage, TemplateRegion
from tests.service.answers import read_data
from tests.service.inspection.conftest import Stage, stored_file
from tests.service_app import Answer

POINT = {"x": 0.1, "y": 0.2, "w": 0.3, "h": 0.4}
AT = dt.datetime(2026, 1, 2, tzinfo=dt.UTC)


def reference_image(file_id: str, *names: str) -> ReferenceImage:
    template = [
        TemplateRegion.model_validate({"item_name": name, "model_id": "m1", "point": POINT}) for name in names
    ]
    return ReferenceImage(
        reference_image_id="r1",
        reference_image_name="左翼",
        file_id=file_id,
        mm_per_pixel=0.5,
        template=template,
        aircraft_name=None,
        download_url=None,
        filename=None,
        ipfs_cid=None,
        mime_type=None,
        size=None,
        width=None,
        height=None,
        created_at=AT,
        updated_at=AT,
    )


def test_photos_of_an_item_are_newest_first(stage: Stage) -> None:
    stage.put("executors", id="id-of-planner", name="李伟")
    for name in ("one", "two"):
        stage.files[name] = stored_file(name)
    item = stage.item(stage.record()["inspection_id"])
    path = f"/api/inspection_item/{item['item_id']}/photos"
    assert stage.client.get(path).json() == {"code": 0, "data": [], "msg": None}
    older, newer = (stage.client.post(path, json={"file_id": name}).json()["data"] for name in ("one", "two"))
    assert older["file"] == {
        "download_url": "/api/files/one/content",
        "filename": "one.jpg",
        "ipfs_cid": stored_file("one").ipfs_cid,
        "mime_type": "image/jpeg",
        "size": 1234,
    }
    assert (older["item_id"], older["added_by"], older["added_by_name"]) == (
        item["item_id"],
        "id-of-planner",
        "李伟 (id-of-planner)",
    )
    assert older["created_at"].endswith("Z")
    assert stage.client.get(path).json()["data"] == [newer, older]
    assert stage.client.delete(f"{path}/{newer['photo_id']}").json()["data"] is True
    assert stage.client.delete(f"{path}/{newer['photo_id']}").status_code == 404
    assert stage.client.get(path).json()["data"] == [older]


def test_repeated_addition_returns_the_existing_photo(stage: Stage) -> None:
    for name in ("one", "two"):
        stage.files[name] = stored_file(name)
    record = stage.record()["inspection_id"]
    first, second = (f"/api/inspection_item/{stage.item(record)['item_id']}/photos" for _ in range(2))

    def add(name: str, key: str | None, path: str = first, client: TestClient = stage.client) -> Answer:
        headers = {} if key is None else {"Idempotency-Key": key}
        return client.post(path, json={"file_id": name}, headers=headers)

    photo = add("one", "k").json()["data"]
    assert add("one", "k").json()["data"] == photo
    assert stage.client.get(first).json()["data"] == [photo]
    other = add("two", "k")
    assert (other.status_code, other.json()["data"]["fields"][0]["type"]) == (422, "key_reused")
    # A key belongs to its user and to one item.
    elsewhere = (
        add("one", None),
        add("one", "k", client=stage.as_role("inspector")),
        add("one", "k", second),
    )
    ids = {answer.json()["data"]["photo_id"] for answer in elsewhere}
    assert len(ids - {photo["photo_id"]}) == 3
    assert len(stage.client.get(first).json()["data"]) == 3
    # A removed photo can be added again, because its key was deleted with it.
    stage.client.delete(f"{second}/{elsewhere[2].json()['data']['photo_id']}")
    assert add("one", "k", second).status_code == 200
    assert len(stage.client.get(second).json()["data"]) == 1


def test_parallel_additions_add_one_photo(stage: Stage) -> None:
    stage.files["one"] = stored_file("one")
    path = f"/api/inspection_item/{stage.item(stage.record()['inspection_id'])['item_id']}/photos"

    def add(_: int) -> int:
        headers = {"Idempotency-Key": "k"}
        return stage.client.post(path, json={"file_id": "one"}, headers=headers).status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(add, range(24))) == {200}
    assert len(stage.client.get(path).json()["data"]) == 1


def test_only_existing_images_can_be_added(stage: Stage) -> None:
    stage.files["text"] = stored_file("text", "text/plain")
    stage.files["image"] = stored_file("image")
    item = stage.item(stage.record()["inspection_id"])
    path = f"/api/inspection_item/{item['item_id']}/photos"
    assert stage.client.post(path, json={"file_id": "none"}).status_code == 404
    assert stage.client.post(path, json={"file_id": "text"}).status_code == 415
    assert stage.client.post("/api/inspection_item/none/photos", json={"file_id": "image"}).status_code == 404
    assert stage.client.get(path).json()["data"] == []


def test_photo_is_deleted_only_through_its_item(stage: Stage) -> None:
    stage.files["image"] = stored_file("image")
    inspection_id = stage.record()["inspection_id"]
    item_id, other = stage.item(inspection_id)["item_id"], stage.item(inspection_id)["item_id"]
    photo = read_data(stage.client.post(f"/api/inspection_item/{item_id}/photos", json={"file_id": "image"}))
    answer = stage.client.delete(f"/api/inspection_item/{other}/photos/{photo['photo_id']}")
    assert answer.status_code == 404
    assert len(stage.client.get(f"/api/inspection_item/{item_id}/photos").json()["data"]) == 1


def test_missing_template_is_reported(stage: Stage) -> None:
    stage.images["r1"] = reference_image("ref")
    answers = {
        name: stage.client.post(f"/api/inspection/{number}/items-from-template")
        for name, number in {
            "no image": stage.record()["inspection_id"],
            "unknown image": stage.record(reference_image_id="r9")["inspection_id"],
            "no template": stage.record(reference_image_id="r1")["inspection_id"],
            "no record": "none",
        }.items()
    }
    statuses = {name: answer.status_code for name, answer in answers.items()}
    assert statuses == {"no image": 409, "unknown image": 409, "no template": 409, "no record": 404}


def _detection_input(stage: Stage, item_id: str) -> Any:
    return stage.database.write_now(lambda session: stage.service.detections.lock(session, item_id).input())


def test_detection_input_of_an_item(stage: Stage) -> None:
    stage.files |= {name: stored_file(name) for name in ("ref", "own", "old", "new")}
    stage.images["r1"] = reference_image("ref")
    inspection_id = stage.record(reference_image_id="r1")["inspection_id"]
    plain = stage.item(inspection_id, model_id="m1", item_point={"point": POINT})["item_id"]
    for name in ("old", "new"):
        stage.client.post(f"/api/inspection_item/{plain}/photos", json={"file_id": name})
    detection_input = _detection_input(stage, plain)
    assert (detection_input.model_id, detection_input.point.x, detection_input.reference_file_id) == (
        "m1",
        0.1,
        "ref",
    )
    assert (detection_input.mm_per_pixel, detection_input.photo_file_id) == (0.5, "new")

    own_image = stage.item(inspection_id, item_point={"fileInfo": {"ipfs_cid": stored_file("own").ipfs_cid}})[
        "item_id"
    ]
    detection_input = _detection_input(stage, own_image)
    assert (detection_input.point, detection_input.reference_file_id, detection_input.mm_per_pixel) == (
        None,
        "own",
        None,
    )
    assert (detection_input.model_id, detection_input.photo_file_id) == (None, None)

    alone = stage.item(stage.record()["inspection_id"], item_point={"fileInfo": {"ipfs_cid": "cid-?"}})
    assert _detection_input(stage, alone["item_id"]).reference_file_id is None
    with pytest.raises(Problem) as problem:
        _detection_input(stage, "none")
    assert problem.value.status == 404

    def to_detect(number: str) -> list[str]:
        return stage.database.read_now(lambda session: stage.service.detections.open_items(session, number))

    assert to_detect(inspection_id) == [plain]
    with pytest.raises(Problem):
        to_detect("none")


def test_appended_result_gets_the_next_version(stage: Stage) -> None:
    item = stage.item(stage.record()["inspection_id"], result=[{"version": 4}, {"isPassed": None}])
    # Keys that are not in `Entry` are stored too.
    entry = cast(Entry, {"isPassed": False, "progress": "done", "version": 1, "model": {"id": "m1"}})
    version = stage.database.write_now(
        lambda session: stage.service.detections.put_result(session, item["item_id"], entry)
    )
    assert version == 5
    result = stage.client.get(f"/api/inspection_item/{item['item_id']}").json()["result"]
    assert result == [{"version": 4}, {"isPassed": None}, {**entry, "version": 5}]
    assert stage.get(item["inspection_id"])["inspection_status"] == "failed"


def test_verdict_has_user_and_reason(stage: Stage) -> None:
    item = stage.item(stage.record()["inspection_id"], result=[{"isPassed": True, "version": 1}])
    path = f"/api/inspection_item/{item['item_id']}"
    answer = stage.client.post(f"{path}/verdict", json={"verdict": "failed", "reason": "有裂纹"})
    stored = stage.client.get(path)
    assert answer.json()["data"] == stored.json()
    assert answer.headers["etag"] == stored.headers["etag"] != '"1"'
    first, second = stored.json()["result"]
    assert first == {"isPassed": True, "version": 1}
    assert (second["isPassed"], second["progress"], second["version"]) == (False, "done", 2)
    assert second["verdict"]["value"] == "failed"
    assert second["verdict"]["reason"] == "有裂纹"
    assert (second["verdict"]["by"], second["verdict"]["by_name"]) == (
        "id-of-planner",
        "姓名 planner (planner)",
    )
    missing = stage.client.post("/api/inspection_item/none/verdict", json={"verdict": "passed"})
    assert missing.status_code == 404
    assert stage.client.post(f"{path}/verdict", json={"verdict": "maybe"}).status_code == 422


def test_every_change_is_announced_with_the_changed_fields(stage: Stage) -> None:
    record = stage.record(inspection_name="甲")
    number = record["inspection_id"]
    item = stage.item(number, description="看" * 500)
    stage.client.put(
        f"/api/inspection/updateInspection/{number}", json={"inspection_name": "乙", "task_id": "t"}
    )
    stage.decide(item, "passed")
    stage.client.delete(f"/api/inspection_item/{item['item_id']}")
    stage.client.delete(f"/api/inspection/deleteInspection/{number}")
    announced = [(change.action, change.kind, change.object_id) for change in stage.changes]
    assert announced == [
        ("create", "record", number),
        ("create", "item", item["item_id"]),
        ("update", "record", number),
        ("update", "item", item["item_id"]),
        ("update", "record", number),
        ("delete", "item", item["item_id"]),
        ("update", "record", number),
        ("delete", "record", number),
    ]
    assert {change.actor for change in stage.changes} == {"id-of-planner"}
    assert stage.changes[2].details == {"inspection_name": {"old": "甲", "new": "乙"}}
    assert stage.changes[4].details == {
        "progress": {"old": 0, "new": 100},
        "inspection_status": {"old": "not_started", "new": "passed"},
        "record_state": {"old": "not_started", "new": "in_progress"},
    }
    assert stage.changes[1].details["description"]["new"]["size"] == 500


def test_photos_end_and_deletion_are_announced_with_user_and_object(stage: Stage) -> None:
    stage.files["p"] = stored_file("p")
    record = stage.record(inspection_name="航后")["inspection_id"]
    items = [stage.item(record) for _ in range(2)]
    path = f"/api/inspection_item/{items[0]['item_id']}/photos"
    stage.changes.clear()
    photo = stage.client.post(path, json={"file_id": "p"}).json()["data"]["photo_id"]
    stage.client.delete(f"{path}/{photo}")
    stage.finish(record)
    reopened = stage.client.post(f"/api/inspection/{record}/reopen", json={"reason": "补拍"})
    assert reopened.json()["data"]["newest"]["reopen_reason"] == "补拍"
    stage.client.delete(f"/api/inspection/deleteInspection/{record}")
    announced = [(change.action, change.kind, change.actor) for change in stage.changes]
    me = "id-of-planner"
    assert announced == [
        ("add_photo", "item", me),
        ("delete_photo", "item", me),
        *[("update", "item", me), ("update", "record", me)] * 2,
        ("update", "record", me),
        ("seal", "record", me),
        ("reopen", "record", me),
        ("update", "record", me),
        ("delete", "record", me),
    ]
    for change in stage.changes[:2]:
        assert change.details == {"photo_id": photo, "file_id": "p"}
    assert stage.changes[6].details["end_time"]["old"] is None
    assert stage.changes[7].details["edition"] == 1
    assert stage.changes[8].details["seal"] == stage.changes[7].details["seal"]
    assert stage.changes[10].details == {"inspection_name": "航后", "task_id": "t", "items": 2}


def test_failed_change_is_not_announced(stage: Stage) -> None:
    stage.client.put("/api/inspection/updateInspection/none", json={"inspection_name": "x"})
    stage.client.post("/api/inspection_item/create", json={"item_name": "x", "inspection_id": "none"})
    assert stage.changes == []


def test_repeated_create_creates_one_item(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    body = {"item_name": "前缘", "inspection_id": record}

    def make(key: str | None, client: TestClient = stage.client) -> str:
        headers = {} if key is None else {"Idempotency-Key": key}
        answer = client.post("/api/inspection_item/create", json=body, headers=headers)
        assert answer.status_code == 200
        return str(answer.json()["item_id"])

    first = make("k1")
    assert make("k1") == first
    # A key belongs to its user: the same key of another user creates another item.
    others = {make("k2"), make(None), make(None), make("k1", stage.as_role("inspector"))}
    assert len(others | {first}) == 5
    assert make("k1") == first
    assert len(stage.items(record)) == 5
