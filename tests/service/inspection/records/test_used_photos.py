"""Tests photos whose content is a photo of another record."""

from __future__ import annotations

from typing import Any

from tests.service.inspection.conftest import Stage, stored_file


def add(stage: Stage, record: str, file_id: str, **more: Any) -> Any:
    return stage.client.post(f"/api/inspection/{record}/record-photos", json={"file_id": file_id, **more})


def test_a_photo_names_the_record_that_had_it_before(stage: Stage) -> None:
    stage.files["a"] = stored_file("a")
    # The same content under another name is another file.
    stage.files["b"] = stored_file("b").model_copy(update={"sha256": stage.files["a"].sha256})
    first, second = (stage.record(inspection_name=name)["inspection_id"] for name in ("昨天", "今天"))
    item = stage.item(first)["item_id"]
    photos = f"/api/inspection_item/{item}/photos"
    assert stage.client.post(photos, json={"file_id": "a"}).json()["data"]["used_in"] is None
    added = add(stage, second, "b").json()["data"]
    assert added["used_in"] == {"inspection_id": first, "inspection_name": "昨天"}
    # The record that had it first is not marked.
    assert stage.client.get(photos).json()["data"][0]["used_in"] is None


def test_a_used_photo_is_refused_on_request(stage: Stage) -> None:
    stage.files["a"] = stored_file("a")
    first, second = (stage.record(inspection_name=name)["inspection_id"] for name in ("昨天", "今天"))
    assert add(stage, first, "a", refuse_used=True).status_code == 200
    refused = add(stage, second, "a", refuse_used=True)
    assert refused.status_code == 409
    data = refused.json()["data"]
    assert (data["error"], data["inspection_id"], data["inspection_name"]) == ("photo_used", first, "昨天")
    item = stage.item(second)["item_id"]
    body = {"file_id": "a", "refuse_used": True}
    on_item = stage.client.post(f"/api/inspection_item/{item}/photos", json=body)
    assert on_item.json()["data"]["error"] == "photo_used"
    assert stage.client.get(f"/api/inspection_item/{item}/photos").json()["data"] == []
    assert add(stage, second, "a").status_code == 200


def test_a_photo_again_in_the_same_record_is_not_used(stage: Stage) -> None:
    stage.files["a"] = stored_file("a")
    record = stage.record()["inspection_id"]
    items = [stage.item(record)["item_id"] for _ in range(2)]
    for item in items:
        body = {"file_id": "a", "refuse_used": True}
        answer = stage.client.post(f"/api/inspection_item/{item}/photos", json=body)
        assert answer.json()["data"]["used_in"] is None
