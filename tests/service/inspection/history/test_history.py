"""Tests the history of a region, on both databases."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from sqlalchemy import event, update

from service.inspection.history import earlier_items
from service.inspection.tables import RECORD
from shared.wire.catalogue import ReferenceImage
from tests.service.answers import read_body
from tests.service.inspection.conftest import SHIFT, Stage, item_path, stored_file


def detection_entry(
    *boxes: tuple[str, float, float, float, float], matrix: Any = SHIFT, **more: Any
) -> dict[str, Any]:
    entry_boxes = [
        {"label": label, "confidence": 0.8, "points": {"x1": x, "y1": y, "x2": x + w, "y2": y + h}}
        for label, x, y, w, h in boxes
    ]
    return {
        "inputImage": {"file_id": "f"},
        "resultImage": {"boxes": entry_boxes, "resultImage": None},
        "isPassed": not boxes,
        "progress": "done",
        "version": 1,
        "provenance": {"alignment": None if matrix is None else {"homography": matrix}},
        **more,
    }


def region(x: float = 0.1, **info: Any) -> dict[str, Any]:
    return {"point": {"x": x, "y": 0.1, "w": 0.4, "h": 0.4}, **({"fileInfo": info} if info else {})}


def known_image(stage: Stage, width: int | None = 1000, height: int | None = 800) -> None:
    at = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    unknown = ("aircraft_name", "download_url", "filename", "ipfs_cid", "mime_type", "size")
    stage.files["f"] = stored_file("f").model_copy(update={"width": width, "height": height})
    stage.images["r"] = ReferenceImage(
        reference_image_id="r",
        reference_image_name="左翼",
        file_id="f",
        width=width,
        height=height,
        created_at=at,
        updated_at=at,
        **dict.fromkeys(unknown),
    )


def create_inspected_item(
    stage: Stage, name: str, *entries: dict[str, Any], point: Any = None, **body: Any
) -> dict[str, Any]:
    record = stage.record(inspection_name=name, **{"reference_image_id": "r", **body})
    return stage.item(
        record["inspection_id"],
        item_name=f"条目 {name}",
        item_point=region() if point is None else point,
        result=list(entries),
    )


def read_history(stage: Stage, item: dict[str, Any], **query: Any) -> list[dict[str, Any]]:
    body = read_body(stage.client.get(f"/api/inspection_item/{item['item_id']}/history", params=query))
    assert (body["code"], body["msg"]) == (0, None)
    data: list[dict[str, Any]] = body["data"]
    return data


def test_earlier_items_at_the_place_newest_first(stage: Stage) -> None:
    known_image(stage)
    stage.put("executors", id="u1", name="王芳")
    create_inspected_item(stage, "first", executor_id="u1", start_time="2026-01-02T03:04:05")
    create_inspected_item(stage, "elsewhere", point=region(0.45))
    create_inspected_item(stage, "other image", reference_image_id="other")
    create_inspected_item(stage, "no image", reference_image_id=None)
    create_inspected_item(stage, "other file", point=region(ipfs_cid="old"))
    create_inspected_item(stage, "without a region", point={"fileInfo": {"ipfs_cid": "new"}})
    create_inspected_item(stage, "in pixels", point={"point": {"x": 100, "y": 80, "w": 400, "h": 300}})
    now = create_inspected_item(stage, "now", point=region(0.12, ipfs_cid="new"))
    stage.item(now["inspection_id"], item_point=region())
    create_inspected_item(stage, "later")
    entries = read_history(stage, now)
    assert [entry["inspection_name"] for entry in entries] == ["in pixels", "first"]
    first = entries[1]
    assert first["executor_name"] == "王芳 (u1)"
    assert first["start_time"] == "2026-01-02T03:04:05Z"
    assert first["created_at"].endswith("Z")
    assert first["item_name"] == "条目 first"
    assert first["overlap"] == pytest.approx(0.38 / 0.42)
    assert first["inspection_status"] == "not_started"
    assert (first["passed"], first["opinion"], first["verdict"]) == (None, None, "undecided")
    assert first["findings"] == first["appeared"] == []
    assert [entry["inspection_name"] for entry in read_history(stage, now, limit=1)] == ["in pixels"]


def test_place_is_the_same_from_half_an_overlap_on_in_pixels(stage: Stage) -> None:
    known_image(stage)
    create_inspected_item(stage, "half", point={"point": {"x": 0.25, "y": 0.25, "w": 0.5, "h": 0.25}})
    create_inspected_item(stage, "less", point={"point": {"x": 0.25, "y": 0.25, "w": 0.5, "h": 0.24}})
    # The same region in 1000 x 800 px. In 800 x 1000 px it would extend beyond the image.
    create_inspected_item(stage, "in pixels", point={"point": {"x": 250, "y": 200, "w": 500, "h": 400}})
    now = create_inspected_item(stage, "now", point={"point": {"x": 0.25, "y": 0.25, "w": 0.5, "h": 0.5}})
    places = [(entry["inspection_name"], entry["overlap"]) for entry in read_history(stage, now)]
    assert places == [("in pixels", 1.0), ("half", 0.5)]


def test_findings_are_compared_with_the_current_ones_on_the_reference_image(stage: Stage) -> None:
    known_image(stage)
    wide = [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]]
    # In reference px: (200, 200, 20, 20), (300, 300, 10, 10), (400, 250, 30, 30).
    create_inspected_item(
        stage,
        "then",
        detection_entry(("裂纹", 210, 220, 20, 20), ("凹坑", 310, 320, 10, 10), ("划痕", 410, 270, 30, 30)),
    )
    now = create_inspected_item(
        stage,
        "now",
        detection_entry(
            ("裂纹", 400, 400, 60, 40), ("凹坑", 602, 600, 20, 20), ("缺铆钉", 220, 220, 16, 16), matrix=wide
        ),
    )
    (entry,) = read_history(stage, now)
    findings = {finding["label"]: finding for finding in entry["findings"]}
    assert {label: finding["change"] for label, finding in findings.items()} == {
        "裂纹": "grown",
        "凹坑": "unchanged",
        "划痕": "gone",
    }
    assert findings["裂纹"]["growth"] == pytest.approx(1.5)
    assert findings["裂纹"]["points"] == {"x1": 210, "y1": 220, "x2": 230, "y2": 240}
    assert findings["裂纹"]["reference"] == pytest.approx({"x1": 200, "y1": 200, "x2": 220, "y2": 220})
    assert findings["划痕"]["growth"] is None
    (new,) = entry["appeared"]
    assert (new["label"], new["change"], new["growth"]) == ("缺铆钉", "new", None)
    assert new["points"] == {"x1": 220, "y1": 220, "x2": 236, "y2": 236}
    assert new["reference"] == pytest.approx({"x1": 110, "y1": 110, "x2": 118, "y2": 118})


def test_findings_without_an_alignment_are_not_compared(stage: Stage) -> None:
    box = ("裂纹", 210, 220, 20, 20)
    create_inspected_item(stage, "aligned", detection_entry(box))
    create_inspected_item(stage, "not aligned", detection_entry(box, matrix=None))
    now = create_inspected_item(stage, "now", detection_entry(box, matrix=None))
    for entry in read_history(stage, now):
        assert [finding["change"] for finding in entry["findings"]] == [None]
        assert entry["appeared"] == []
    later = create_inspected_item(stage, "later", detection_entry(box))
    changes = {e["inspection_name"]: [f["change"] for f in e["findings"]] for e in read_history(stage, later)}
    assert changes == {"now": [None], "not aligned": [None], "aligned": ["unchanged"]}


def test_findings_are_not_compared_with_an_undetected_item(stage: Stage) -> None:
    create_inspected_item(stage, "then", detection_entry(("裂纹", 210, 220, 20, 20)))
    (entry,) = read_history(stage, create_inspected_item(stage, "now"))
    assert [finding["change"] for finding in entry["findings"]] == [None]
    clean = create_inspected_item(stage, "clean", detection_entry())
    assert [finding["change"] for finding in read_history(stage, clean)[1]["findings"]] == ["gone"]


def test_history_has_the_verdict_and_the_opinion_of_an_earlier_item(stage: Stage) -> None:
    then = create_inspected_item(stage, "then", detection_entry(("裂纹", 210, 220, 20, 20)))
    stage.decide(then, "passed", "只是反光")
    (entry,) = read_history(stage, create_inspected_item(stage, "now"))
    assert (entry["passed"], entry["opinion"], entry["verdict"]) == (True, False, "passed")
    assert entry["reason"] == "只是反光"
    assert [finding["label"] for finding in entry["findings"]] == ["裂纹"]


def test_history_names_the_model_and_the_user_who_decided(stage: Stage) -> None:
    box = ("裂纹", 210, 220, 20, 20)
    origin = {"model_name": "参考差分", "finished_at": "2026-02-03T04:05:06Z", "alignment": None}
    create_inspected_item(stage, "by the model", detection_entry(box, provenance=origin))
    corrected = create_inspected_item(stage, "corrected", detection_entry(box, provenance=origin))
    stage.client.post(item_path(corrected, "/boxes"), json={"of_version": 1, "boxes": []})
    stage.decide(corrected, "failed", "有锈蚀")
    create_inspected_item(
        stage, "of a stranger", detection_entry(box, provenance={"model_name": 7, "finished_at": "soon"})
    )
    stranger, person, model = read_history(stage, create_inspected_item(stage, "now"))
    assert (model["found_by"], model["found_at"]) == ("参考差分", "2026-02-03T04:05:06Z")
    assert (model["decided_by"], model["decided_at"]) == (None, None)
    assert (person["found_by"], person["decided_by"]) == ("姓名 planner (planner)", "姓名 planner (planner)")
    assert person["found_at"].endswith("Z")
    assert person["decided_at"] >= person["found_at"]
    assert (stranger["found_by"], stranger["found_at"]) == (None, None)


def test_unfinished_detection_does_not_hide_an_earlier_result(stage: Stage) -> None:
    known_image(stage)
    box = ("裂纹", 210, 220, 20, 20)
    unfinished: list[dict[str, Any]] = [
        {
            "inputImage": None,
            "resultImage": {"boxes": []},
            "isPassed": False,
            "progress": progress,
            "version": 2 + number,
            "job_id": f"j{number}",
        }
        for number, progress in enumerate(["error", "canceled", "pending", "detecting"])
    ]
    create_inspected_item(stage, "then", detection_entry(box), *unfinished)
    (entry,) = read_history(stage, create_inspected_item(stage, "now", detection_entry(box), *unfinished))
    assert [(finding["label"], finding["change"]) for finding in entry["findings"]] == [("裂纹", "unchanged")]
    assert entry["appeared"] == []
    assert (entry["passed"], entry["opinion"]) == (False, False)


def test_records_of_same_time_are_ordered_by_id(stage: Stage) -> None:
    items = [create_inspected_item(stage, str(number)) for number in range(5)]
    moment = dt.datetime(2026, 1, 1)
    stage.database.write_now(lambda session: session.execute(update(RECORD).values(created_at=moment)))
    by_id = sorted(items, key=lambda item: str(item["inspection_id"]))
    record_ids = [entry["inspection_id"] for entry in read_history(stage, by_id[3])]
    assert record_ids == [item["inspection_id"] for item in reversed(by_id[:3])]


def test_only_the_newest_items_are_searched(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(earlier_items, "MAX_SCANNED_ITEMS", 5)
    for number in range(3):
        item = create_inspected_item(stage, str(number))
        stage.item(item["inspection_id"], item_point=region(0.5))
    now = create_inspected_item(stage, "now")
    assert [entry["inspection_name"] for entry in read_history(stage, now)] == ["2", "1"]


def test_history_is_read_by_one_query_on_indexes(stage: Stage) -> None:
    now = create_inspected_item(stage, "now")
    statements: list[str] = []

    def listen(_c: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        statements.append(statement)

    event.listen(stage.database.reader, "before_cursor_execute", listen)
    read_history(stage, now)
    event.remove(stage.database.reader, "before_cursor_execute", listen)
    assert len([text for text in statements if "FROM record JOIN item" in text.replace("\n", " ")]) == 1


def test_item_without_a_region_has_no_history(stage: Stage) -> None:
    create_inspected_item(stage, "then")
    assert read_history(stage, create_inspected_item(stage, "now", point={})) == []


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.parametrize(("name", "above_limit"), [("history", "101"), ("trend", "201")])
def test_statuses(stage: Stage, name: str, above_limit: str) -> None:
    item = create_inspected_item(stage, "now")
    path = f"/api/inspection_item/{item['item_id']}/{name}"
    assert stage.client.get(f"/api/inspection_item/none/{name}").status_code == 404
    for limit in ("0", above_limit, "x"):
        assert stage.client.get(path, params={"limit": limit}).status_code == 422
    assert stage.as_role("viewer").get(path).status_code == 200
    stage.client.headers.pop("Authorization")
    assert stage.client.get(path).status_code == 401
