"""Tests that new records get the detection settings of a template or of an earlier record."""

from __future__ import annotations

from typing import Any

from shared.wire.catalogue import TemplateRegion
from tests.service.answers import read_list
from tests.service.inspection.conftest import Stage, stored_file
from tests.service.inspection.records.test_work import reference_image

POINT = {"x": 0.1, "y": 0, "w": 0.5, "h": 1}
DETECTION = {
    "sensitivity": 0.7,
    "smallest": None,
    "ignored": [{"x": 0, "y": 0.25, "w": 1, "h": 0.5}],
    "own": [1, 2.5],
}


def start_record(stage: Stage, record: str, way: str) -> list[dict[str, Any]]:
    return read_list(stage.client.post(f"/api/inspection/{record}/{way}"))


def test_template_has_the_settings_of_its_regions(stage: Stage) -> None:
    stage.files["ref"] = stored_file("ref")
    image = reference_image("ref")
    image.template.extend(
        TemplateRegion.model_validate(
            {"item_name": name, "description": "看", "model_id": "m1", "point": POINT, "detection": settings}
        )
        for name, settings in (("甲", DETECTION), ("乙", None))
    )
    stage.images["r1"] = image
    record = stage.record(reference_image_id="r1")["inspection_id"]
    first, second = items = start_record(stage, record, "items-from-template")
    assert [item["item_name"] for item in items] == ["甲", "乙"]
    assert first["item_point"]["point"] == POINT
    assert first["item_point"]["detection"] == DETECTION
    assert first["item_point"]["fileInfo"]["ipfs_cid"] == stored_file("ref").ipfs_cid
    assert (first["description"], first["model_id"]) == ("看", "m1")
    assert "detection" not in second["item_point"]
    assert stage.items(record) == items
    assert stage.client.post(f"/api/inspection/{record}/items-from-template").status_code == 409


def test_copy_of_the_last_inspection_has_no_results_and_photos(stage: Stage) -> None:
    stage.files["p"] = stored_file("p")
    last = stage.record()["inspection_id"]
    point = {"point": POINT, "fileInfo": {"ipfs_cid": "cid-x"}, "detection": DETECTION, "own": None}
    item = stage.item(
        last, description="长", model_id="m9", item_point=point, result=[{"isPassed": True, "version": 1}]
    )
    stage.client.post(f"/api/inspection_item/{item['item_id']}/photos", json={"file_id": "p"})
    second = stage.item(last, item_name="铆钉", item_point={"point": POINT})
    record = stage.record()["inspection_id"]
    new, new_second = start_record(stage, record, f"items-from/{last}")
    assert new["item_id"] != item["item_id"]
    assert new["item_point"] == point
    assert (new["item_name"], new["description"], new["model_id"]) == (item["item_name"], "长", "m9")
    assert new["result"] == []
    assert (new_second["item_name"], new_second["item_point"]) == ("铆钉", second["item_point"])
    assert stage.get(record)["inspection_status"] == "not_started"
    again = stage.client.post(f"/api/inspection/{record}/items-from/{last}")
    assert (again.status_code, again.json()["msg"]) == (
        409,
        "检查记录已有检查项，只能将检查项复制到没有检查项的记录",
    )
    photos = stage.client.get(f"/api/inspection_item/{new['item_id']}/photos")
    assert photos.json()["data"] == []


def test_items_that_cannot_be_copied_are_reported(stage: Stage) -> None:
    last, empty, another = (stage.record()["inspection_id"] for _ in range(3))
    stage.item(last)
    assert stage.client.post(f"/api/inspection/{another}/items-from/{empty}").status_code == 409
    assert stage.client.post(f"/api/inspection/{empty}/items-from/none").status_code == 404
    assert stage.client.post(f"/api/inspection/none/items-from/{last}").status_code == 404
