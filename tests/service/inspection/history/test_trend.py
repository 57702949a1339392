"""Tests the trend of a region, on both databases."""

from __future__ import annotations

from typing import Any

import pytest

from service.inspection.history.region_history import MAX_MISSED, Chains
from shared.record.geometry import Rect
from tests.service.answers import read_data
from tests.service.inspection.conftest import Stage, stored_file
from tests.service.inspection.history.test_history import (
    create_inspected_item,
    detection_entry,
    known_image,
    region,
)


def read_trend(stage: Stage, item: dict[str, Any], **query: Any) -> dict[str, Any]:
    return read_data(stage.client.get(f"/api/inspection_item/{item['item_id']}/trend", params=query))


def inspection_names(trend: dict[str, Any]) -> list[str]:
    return [entry["inspection_name"] for entry in trend["entries"]]


def test_inspections_are_ordered_by_time_and_end_with_the_item(stage: Stage) -> None:
    known_image(stage)
    create_inspected_item(stage, "march", start_time="2026-03-01T08:00:00")
    create_inspected_item(stage, "january", start_time="2026-01-01T08:00:00")
    create_inspected_item(stage, "elsewhere", point=region(0.45))
    now = create_inspected_item(stage, "now", start_time="2026-02-01T08:00:00")
    create_inspected_item(stage, "later")
    trend = read_trend(stage, now)
    assert inspection_names(trend) == ["january", "march", "now"]
    assert trend["earlier"] is False
    first = trend["entries"][0]
    assert first["at"] == "2026-01-01T08:00:00Z"
    assert (first["passed"], first["verdict"], first["detected"]) == (None, "undecided", False)
    assert (first["photo"], first["findings"]) == (None, [])


def test_trend_contains_the_newest_inspections_and_reports_earlier_ones(stage: Stage) -> None:
    for number in range(3):
        create_inspected_item(stage, str(number))
    now = create_inspected_item(stage, "now")
    trend = read_trend(stage, now, limit=3)
    assert (inspection_names(trend), trend["earlier"]) == (["1", "2", "now"], True)
    trend = read_trend(stage, now, limit=4)
    assert (inspection_names(trend), trend["earlier"]) == (["0", "1", "2", "now"], False)
    assert inspection_names(read_trend(stage, now, limit=1)) == ["now"]


def test_finding_has_one_chain_through_all_inspections(stage: Stage) -> None:
    known_image(stage)
    wide = [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]]
    create_inspected_item(stage, "first", detection_entry(("裂纹", 210, 220, 20, 20)))
    create_inspected_item(stage, "without a place", detection_entry(("裂纹", 210, 220, 20, 20), matrix=None))
    create_inspected_item(stage, "missed", detection_entry())
    create_inspected_item(stage, "not looked at")
    now = create_inspected_item(
        stage, "now", detection_entry(("裂纹", 400, 400, 60, 44), ("凹坑", 602, 600, 20, 20), matrix=wide)
    )
    trend = read_trend(stage, now)
    chains = {
        entry["inspection_name"]: {finding["label"]: finding["chain"] for finding in entry["findings"]}
        for entry in trend["entries"]
    }
    assert chains == {
        "first": {"裂纹": 0},
        "without a place": {"裂纹": None},
        "missed": {},
        "not looked at": {},
        "now": {"裂纹": 0, "凹坑": 1},
    }
    last = trend["entries"][-1]["findings"][0]
    assert last["points"] == {"x1": 400, "y1": 400, "x2": 460, "y2": 444}
    assert last["reference"] == pytest.approx({"x1": 200, "y1": 200, "x2": 230, "y2": 222})
    assert [entry["detected"] for entry in trend["entries"]] == [True, True, True, False, True]


def test_photo_is_the_detected_one_else_the_newest(stage: Stage) -> None:
    image = {"file_id": "f1", "download_url": "/api/files/f1/content", "ipfs_cid": stored_file("f1").ipfs_cid}
    create_inspected_item(stage, "detected", detection_entry(("裂纹", 210, 220, 20, 20), inputImage=image))
    create_inspected_item(stage, "singular", detection_entry(inputImage=image, matrix=[[0.0] * 3] * 3))
    only_photos = create_inspected_item(stage, "only photos")
    stage.files["f1"], stage.files["f2"] = stored_file("f1"), stored_file("f2")
    for file_id in ("f1", "f2"):
        path = f"/api/inspection_item/{only_photos['item_id']}/photos"
        assert stage.client.post(path, json={"file_id": file_id}).status_code == 200
    of_findings, singular, newest, none = (
        entry["photo"] for entry in read_trend(stage, create_inspected_item(stage, "now"))["entries"]
    )
    assert of_findings == {**image, "homography": [[1.0, 0.0, 10.0], [0.0, 1.0, 20.0], [0.0, 0.0, 1.0]]}
    assert singular == {**image, "homography": None}
    assert newest == {
        "file_id": "f2",
        "download_url": "/api/files/f2/content",
        "ipfs_cid": stored_file("f2").ipfs_cid,
        "homography": None,
    }
    assert none is None


def test_trend_has_the_verdict_and_its_user(stage: Stage) -> None:
    then = create_inspected_item(stage, "then", detection_entry(("裂纹", 210, 220, 20, 20)))
    stage.decide(then, "failed", "有锈蚀")
    entry = read_trend(stage, create_inspected_item(stage, "now"))["entries"][0]
    assert (entry["verdict"], entry["passed"], entry["reason"]) == ("failed", False, "有锈蚀")
    assert entry["decided_by"] == "姓名 planner (planner)"


def test_trend_of_an_item_without_a_region_is_the_item(stage: Stage) -> None:
    create_inspected_item(stage, "then")
    assert inspection_names(read_trend(stage, create_inspected_item(stage, "now", point={}))) == ["now"]


def test_finding_after_a_long_gap_starts_a_new_chain() -> None:
    crack = Rect(10, 10, 30, 4)
    chains = Chains()
    assert chains.link([crack]) == [0]
    for _ in range(MAX_MISSED):
        chains.link([])
    assert chains.link([crack]) == [0]
    for _ in range(MAX_MISSED + 1):
        chains.link([])
    assert chains.link([crack, None]) == [1, None]


def test_two_findings_at_one_place_have_two_chains() -> None:
    chains = Chains()
    assert chains.link([Rect(0, 0, 10, 10), Rect(1, 0, 10, 10)]) == [0, 1]
    assert chains.link([Rect(1, 0, 10, 10), Rect(0, 0, 10, 10)]) == [1, 0]
