"""Tests the photos of a record: adding, matching, assignment and deletion, with permissions."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from operator import methodcaller
from typing import Any

import pytest
from sqlalchemy import select

from service.detection.failure import MESSAGES
from service.inspection.records.matching import Matching
from service.inspection.tables import PHOTO, RECORD_PHOTO
from shared.record.entries import Entry
from shared.wire.files import CameraData
from shared.wire.photos import PhotoMatch
from tests.service.answers import read_data, read_list
from tests.service.inspection.conftest import SHIFT, Stage, stored_file
from tests.service.inspection.records.test_work import reference_image

POINT = {"x": 0.25, "y": 0.25, "w": 0.5, "h": 0.5}
CORNERS = [[170.0, 140.0], [490.0, 140.0], [490.0, 380.0], [170.0, 380.0]]
"""Of `POINT` on 640 x 480 px through `SHIFT`."""
OTHER = [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]]


class RecordSetup:
    """A record with a reference image and two items, and a file that is a photo."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        for name in ("reference", "photo", "second"):
            stage.files[name] = stored_file(name)
        stage.files["text"] = stored_file("text", "text/plain")
        stage.images["image"] = reference_image("reference")
        self.record = stage.record(reference_image_id="image")["inspection_id"]
        self.items = [
            stage.item(self.record, item_name=name, model_id="m", item_point={"point": POINT})["item_id"]
            for name in ("前缘", "口盖")
        ]
        self.path = f"/api/inspection/{self.record}/record-photos"

    def add(self, file_id: str = "photo") -> dict[str, Any]:
        return read_data(self.stage.client.post(self.path, json={"file_id": file_id}))

    def list_photos(self) -> list[dict[str, Any]]:
        return read_list(self.stage.client.get(self.path))

    def match(self, photo_id: str, wait: float = 20) -> dict[str, Any]:
        return read_data(self.stage.client.post(f"{self.path}/{photo_id}/match", params={"wait": wait}))

    def set_photo(self, photo_id: str, *items: Any) -> Any:
        body = {"items": [item if isinstance(item, dict) else {"item_id": item} for item in items]}
        return self.stage.client.put(f"{self.path}/{photo_id}/items", json=body)

    def assign(self, photo_id: str, *items: Any) -> dict[str, Any]:
        return read_data(self.set_photo(photo_id, *items))

    def delete(self, photo_id: str, **query: Any) -> Any:
        return self.stage.client.delete(f"{self.path}/{photo_id}", params=query)

    def set_matches(self, *covered: bool) -> None:
        """Let the matching find the first items, covered or not."""
        self.stage.matcher.matches = [
            PhotoMatch(
                item_id=item_id, visible=1, score=0.9, homography=SHIFT, corners=CORNERS, covered=is_covered
            )
            for item_id, is_covered in zip(self.items, covered, strict=False)
        ]

    def photos_of(self, item_id: str) -> list[dict[str, Any]]:
        return list(self.stage.client.get(f"/api/inspection_item/{item_id}/photos").json()["data"])


@pytest.fixture
def scene(stage: Stage) -> RecordSetup:
    return RecordSetup(stage)


def test_photo_belongs_to_the_record(scene: RecordSetup) -> None:
    scene.stage.put("executors", id="id-of-planner", name="计划员")
    photo = scene.add()
    assert (photo["state"], photo["matches"], photo["items"], photo["error"]) == ("waiting", None, [], None)
    assert (photo["file"]["filename"], photo["width"], photo["height"]) == ("photo.jpg", 640, 480)
    assert (photo["added_by"], photo["added_by_name"]) == ("id-of-planner", "计划员 (id-of-planner)")
    assert scene.list_photos() == [photo]
    newer = scene.add("second")
    assert [entry["photo_id"] for entry in scene.list_photos()] == [
        newer["photo_id"],
        photo["photo_id"],
    ]
    assert [scene.photos_of(item) for item in scene.items] == [[], []]


def test_same_file_is_added_once(scene: RecordSetup) -> None:
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: scene.add()["photo_id"], range(4)))
    assert len(set(answers)) == 1
    assert len(scene.list_photos()) == 1
    assert sum(change.action == "add_photo" for change in scene.stage.changes) == 1


def test_file_that_is_not_a_photo_is_refused(scene: RecordSetup) -> None:
    post = scene.stage.client.post
    assert post(scene.path, json={"file_id": "none"}).status_code == 404
    assert post(scene.path, json={"file_id": "text"}).status_code == 415
    assert post("/api/inspection/none/record-photos", json={"file_id": "photo"}).status_code == 404
    assert scene.stage.client.get("/api/inspection/none/record-photos").status_code == 404
    assert scene.list_photos() == []


def test_matching_proposes_and_assigns_nothing(scene: RecordSetup) -> None:
    photo = scene.add()["photo_id"]
    scene.set_matches(True, False)
    matched = scene.match(photo)
    assert matched["state"] == "matched"
    assert [(entry["item_id"], entry["covered"]) for entry in matched["matches"]] == [
        (scene.items[0], True),
        (scene.items[1], False),
    ]
    assert matched["matches"][0]["homography"] == SHIFT
    assert matched["matches"][0]["corners"] == CORNERS
    assert matched["items"] == []
    ((file_id, regions),) = scene.stage.matcher.requests
    assert file_id == "photo"
    assert [(entry.item_id, entry.reference_file_id, entry.point) for entry in regions] == [
        (item_id, "reference", (0.25, 0.25, 0.5, 0.5)) for item_id in scene.items
    ]
    assert scene.list_photos() == [matched]


def test_items_on_another_file_are_matched_with_it(scene: RecordSetup) -> None:
    scene.stage.files["own"] = stored_file("own")
    point = {"point": POINT, "fileInfo": {"ipfs_cid": stored_file("own").ipfs_cid}}
    third = scene.stage.item(scene.record, item_point=point)["item_id"]
    scene.stage.item(scene.record, item_name="没有区域")
    scene.match(scene.add()["photo_id"])
    regions = scene.stage.matcher.requests[0][1]
    assert [region.reference_file_id for region in regions] == ["reference", "reference", "own"]
    assert regions[2].item_id == third


def test_photo_without_a_match_and_failed_match(scene: RecordSetup) -> None:
    photo = scene.add()["photo_id"]
    assert scene.match(photo)["state"] == "unmatched"
    scene.stage.matcher.error = "file_lost"
    failed = scene.match(photo)
    assert (failed["state"], failed["error"], failed["message"]) == (
        "failed",
        "file_lost",
        MESSAGES["file_lost"],
    )
    scene.stage.matcher.error = None
    scene.set_matches(True)
    again = scene.match(photo)
    assert (again["state"], again["error"], again["message"]) == ("matched", None, None)


def test_broken_matching_is_reported(scene: RecordSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(_self: Any, _file_id: str, _regions: Any) -> Any:
        raise RuntimeError

    monkeypatch.setattr(type(scene.stage.matcher), "__call__", broken)
    failed = scene.match(scene.add()["photo_id"])
    assert (failed["state"], failed["error"]) == ("failed", "internal")


def test_second_request_joins_the_running_matching(scene: RecordSetup) -> None:
    photo, other = scene.add()["photo_id"], scene.add("second")["photo_id"]
    scene.set_matches(True)
    gate = scene.stage.matcher.gate = asyncio.Event()
    assert scene.match(photo, wait=0)["state"] == "waiting"
    assert scene.match(photo, wait=0.01)["state"] == "waiting"
    assert scene.match(other, wait=0.01)["state"] == "waiting"
    # Only one matching runs at a time.
    assert [file_id for file_id, _ in scene.stage.matcher.requests] == ["photo"]
    portal = scene.stage.client.portal
    assert portal is not None
    portal.call(gate.set)
    assert scene.match(photo)["state"] == "matched"
    assert scene.match(other)["state"] == "matched"
    matched = [file_id for file_id, _ in scene.stage.matcher.requests]
    assert matched[:2] == ["photo", "second"]


def test_matches_of_a_moved_region_are_deleted(scene: RecordSetup) -> None:
    photo = scene.add()["photo_id"]
    scene.set_matches(True, True)
    scene.match(photo)
    moved = {"item_point": {"point": {**POINT, "x": 0.1}}}
    scene.stage.client.put(f"/api/inspection_item/{scene.items[0]}", json=moved)
    (left,) = scene.list_photos()[0]["matches"]
    assert left["item_id"] == scene.items[1]
    scene.stage.client.delete(f"/api/inspection_item/{scene.items[1]}")
    assert scene.list_photos()[0]["matches"] == []
    # An item that is no longer proposed is assigned by hand.
    (assigned,) = scene.assign(photo, scene.items[0])["items"]
    assert (assigned["assigned"], assigned["homography"]) == ("person", None)


def test_photo_is_assigned_by_proposal_and_by_hand(scene: RecordSetup) -> None:
    photo = scene.add()["photo_id"]
    scene.set_matches(True, False)
    scene.match(photo)
    first, other = scene.assign(photo, *scene.items)["items"]
    assert (first["item_id"], first["item_name"], first["assigned"]) == (scene.items[0], "前缘", "alignment")
    assert (first["homography"], first["corners"]) == (SHIFT, CORNERS)
    assert (other["assigned"], other["homography"], other["corners"]) == ("person", None, None)
    for item_id, assignment in zip(scene.items, (first, other), strict=True):
        (item_photo,) = scene.photos_of(item_id)
        assert (item_photo["photo_id"], item_photo["file_id"]) == (assignment["photo_id"], "photo")
    by_hand = scene.assign(photo, {"item_id": scene.items[0], "homography": OTHER}, scene.items[1])["items"]
    assert [(it["assigned"], it["homography"]) for it in by_hand] == [("person", OTHER), ("person", None)]
    assert by_hand[0]["photo_id"] == first["photo_id"]
    # An existing assignment stays.
    assert scene.assign(photo, *scene.items)["items"] == by_hand
    assert scene.assign(photo, {"item_id": scene.items[0], "homography": SHIFT})["items"][0]["assigned"] == (
        "alignment"
    )
    assert scene.photos_of(scene.items[1]) == []
    assert scene.assign(photo)["items"] == []
    assert scene.photos_of(scene.items[0]) == []
    announced = [(change.action, change.object_id) for change in scene.stage.changes if change.kind == "item"]
    assert (
        announced.count(("add_photo", scene.items[0]))
        == announced.count(("delete_photo", scene.items[0]))
        == 1
    )


def test_photo_is_assigned_only_to_items_of_its_record(scene: RecordSetup) -> None:
    photo = scene.add()["photo_id"]
    foreign = scene.stage.item(scene.stage.record()["inspection_id"])["item_id"]
    assert scene.set_photo(photo, scene.items[0], foreign).status_code == 404
    assert scene.set_photo("none", scene.items[0]).status_code == 404
    assert scene.photos_of(scene.items[0]) == []
    singular = [[1, 0, 0], [2, 0, 0], [0, 0, 1]]
    assert scene.set_photo(photo, {"item_id": scene.items[0], "homography": singular}).status_code == 422
    elsewhere = scene.stage.record()["inspection_id"]
    path = f"/api/inspection/{elsewhere}/record-photos/{photo}"
    assert scene.stage.client.put(f"{path}/items", json={"items": []}).status_code == 404
    assert scene.stage.client.delete(path).status_code == 404
    assert scene.stage.client.post(f"{path}/match").status_code == 404


def test_photo_of_an_item_alone_is_not_a_record_photo(scene: RecordSetup) -> None:
    item_photo = scene.stage.client.post(
        f"/api/inspection_item/{scene.items[0]}/photos", json={"file_id": "photo"}
    ).json()["data"]
    assert scene.list_photos() == []
    photo = scene.add()["photo_id"]
    scene.assign(photo, scene.items[0])
    assert len(scene.photos_of(scene.items[0])) == 2
    scene.assign(photo)
    assert [entry["photo_id"] for entry in scene.photos_of(scene.items[0])] == [item_photo["photo_id"]]
    # A photo that is removed from the item still belongs to the record.
    (assigned,) = scene.assign(photo, scene.items[0])["items"]
    path = f"/api/inspection_item/{scene.items[0]}/photos/{assigned['photo_id']}"
    assert scene.stage.client.delete(path).status_code == 200
    assert scene.list_photos()[0]["items"] == []


def test_detection_gets_the_place_of_the_region(scene: RecordSetup) -> None:
    photo = scene.add()["photo_id"]
    scene.set_matches(True)
    scene.match(photo)
    scene.assign(photo, *scene.items)

    def read(item_id: str) -> Any:
        return scene.stage.database.write_now(
            lambda session: scene.stage.service.detections.lock(session, item_id).input()
        )

    detection_input = read(scene.items[0])
    assert (detection_input.photo_file_id, detection_input.reference_file_id) == ("photo", "reference")
    assert detection_input.photo_alignment is not None
    assert (detection_input.photo_alignment.homography, detection_input.photo_alignment.by_person) == (
        SHIFT,
        False,
    )
    assert read(scene.items[1]).photo_alignment is None
    scene.assign(photo, {"item_id": scene.items[0], "homography": OTHER})
    assert read(scene.items[0]).photo_alignment.by_person
    # The place is valid only for this reference image.
    scene.stage.files["own"] = stored_file("own")
    changed = {"item_point": {"point": POINT, "fileInfo": {"ipfs_cid": stored_file("own").ipfs_cid}}}
    scene.stage.client.put(f"/api/inspection_item/{scene.items[0]}", json=changed)
    assert read(scene.items[0]).photo_alignment is None
    assert scene.list_photos()[0]["items"][0]["homography"] is None


def test_deletion_of_a_photo_with_results_needs_confirmation(scene: RecordSetup) -> None:
    photo = scene.add()["photo_id"]
    scene.assign(photo, *scene.items)
    result: list[Entry] = [
        {"inputImage": {"file_id": "photo"}, "isPassed": True, "progress": "done", "version": 1}
    ]
    first = scene.stage.client.get(f"/api/inspection_item/{scene.items[0]}").json()
    scene.stage.write_entries(first, result)
    scene.stage.client.post(f"/api/inspection_item/{scene.items[1]}/verdict", json={"verdict": "passed"})
    refused = scene.delete(photo)
    assert refused.status_code == 409
    assert refused.json()["data"] == {
        "error": "photo_in_use",
        "count": 2,
        "items": [
            {"item_id": scene.items[0], "item_name": "前缘"},
            {"item_id": scene.items[1], "item_name": "口盖"},
        ],
    }
    assert "前缘、口盖" in refused.json()["msg"]
    assert len(scene.list_photos()) == 1
    # Also if the photo no longer belongs to the item, because the item still has its result.
    scene.assign(photo)
    assert scene.delete(photo).json()["data"]["count"] == 1
    assert scene.delete(photo, confirmed=True).status_code == 200
    assert scene.list_photos() == []
    assert scene.stage.client.get(f"/api/inspection_item/{scene.items[0]}").json()["result"] == result
    assert scene.delete(photo, confirmed=True).status_code == 404


def test_deletion_removes_the_photo_from_its_items(scene: RecordSetup) -> None:
    photo = scene.add()["photo_id"]
    scene.assign(photo, *scene.items)
    assert scene.delete(photo).status_code == 200
    assert [scene.photos_of(item) for item in scene.items] == [[], []]
    assert scene.add()["photo_id"] != photo


def test_deleted_item_is_restored_with_its_photo(scene: RecordSetup) -> None:
    photo = scene.add()["photo_id"]
    scene.assign(photo, {"item_id": scene.items[0], "homography": OTHER}, scene.items[1])
    before = scene.list_photos()
    path = f"/api/inspection_item/{scene.items[0]}"
    assert scene.stage.client.delete(path).status_code == 200
    assert [item["item_id"] for item in scene.list_photos()[0]["items"]] == [scene.items[1]]
    assert scene.stage.client.post(f"{path}/restore").status_code == 200
    assert scene.list_photos() == before
    # If the record no longer has the photo, it belongs only to the item.
    assert scene.stage.client.delete(path).status_code == 200
    assert scene.delete(photo).status_code == 200
    assert scene.stage.client.post(f"{path}/restore").status_code == 200
    (item_photo,) = scene.photos_of(scene.items[0])
    assert item_photo["file_id"] == "photo"
    rows = scene.stage.database.read_now(lambda session: session.execute(select(PHOTO)).all())
    assert [(row.record_photo_id, row.assigned, row.homography) for row in rows] == [(None, None, None)]


def test_deletion_of_a_record_deletes_its_photos(scene: RecordSetup) -> None:
    scene.assign(scene.add()["photo_id"], *scene.items)
    assert scene.stage.client.delete(f"/api/inspection/deleteInspection/{scene.record}").status_code == 200
    for table in (RECORD_PHOTO, PHOTO):
        rows = scene.stage.database.read_now(methodcaller("execute", select(table))).all()
        assert rows == []


def test_photos_of_a_sealed_record_cannot_change(scene: RecordSetup) -> None:
    photo = scene.add()["photo_id"]
    scene.set_matches(True)
    gate = scene.stage.matcher.gate = asyncio.Event()
    assert scene.match(photo, wait=0)["state"] == "waiting"
    scene.stage.finish(scene.record)
    sealed = scene.list_photos()
    for answer in (
        scene.stage.client.post(scene.path, json={"file_id": "second"}),
        scene.set_photo(photo, scene.items[0]),
        scene.delete(photo, confirmed=True),
    ):
        assert (answer.status_code, answer.json()["data"]["error"]) == (409, "record_sealed")
    # An existing photo is returned, and a matching that ends now changes nothing.
    assert scene.add()["photo_id"] == photo
    portal = scene.stage.client.portal
    assert portal is not None
    portal.call(gate.set)
    portal.call(has_ended, scene.stage.service.matching)
    refused = scene.stage.client.post(f"{scene.path}/{photo}/match")
    assert (refused.status_code, refused.json()["data"]["error"]) == (409, "record_sealed")
    assert scene.list_photos() == sealed
    assert scene.stage.client.get(f"/api/inspection/{scene.record}/seal/verify").json()["data"]["intact"]


async def has_ended(matching: Matching) -> None:
    await asyncio.gather(*matching._tasks.values())


def test_photos_have_camera_data_and_marks_for_unusual_times(scene: RecordSetup) -> None:
    camera = CameraData(taken_at="2020-01-01T00:00:00Z", make="Canon")
    scene.stage.files["photo"] = scene.stage.files["photo"].model_copy(update={"camera": camera})
    body = {"start_time": "2026-01-01T00:00:00"}
    scene.stage.client.put(f"/api/inspection/updateInspection/{scene.record}", json=body)
    photo = scene.add()
    scene.assign(photo["photo_id"], scene.items[0])

    of_item = scene.stage.client.get(f"/api/inspection_item/{scene.items[0]}/photos").json()["data"]
    of_items = scene.stage.client.get(f"/api/inspection/{scene.record}/photos").json()["data"]
    for each in (*scene.list_photos(), *of_item, *of_items):
        assert each["camera"]["make"] == "Canon"
        assert each["taken_mark"] == "before_start"
