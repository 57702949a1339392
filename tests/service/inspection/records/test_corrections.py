"""Tests that findings corrected by a person become a new version of the result."""

from __future__ import annotations

from typing import Any

import pytest

from service.inspection.records import items
from service.inspection.rules import json_text
from shared.record import results
from shared.record.codes import Verdict
from tests.service.inspection.conftest import Stage

PHOTO = {"download_url": "/api/files/f/content", "file_id": "f", "width": 640}
MATRIX = [[1, 0, 2], [0, 1, 3], [0, 0, 1]]


def box(label: str = "crack", **more: Any) -> dict[str, Any]:
    points = {"x1": 1, "y1": 2.5, "x2": 30, "y2": 40}
    return {"label": label, "confidence": 0.8, "points": points, "origin": "model", "accepted": False, **more}


def detection_entry(**more: Any) -> dict[str, Any]:
    return {
        "inputImage": PHOTO,
        "resultImage": {"boxes": [box()], "resultImage": {"fileInfo": {"file_id": "r"}}},
        "isPassed": False,
        "progress": "done",
        "version": 1,
        "provenance": {"model_id": "m", "alignment": {"homography": MATRIX}},
        **more,
    }


def correction_path(item: dict[str, Any]) -> str:
    return f"/api/inspection_item/{item['item_id']}/boxes"


def test_corrected_findings_are_the_next_version(stage: Stage) -> None:
    item = stage.item(stage.record()["inspection_id"], result=[detection_entry()])
    boxes = [box(accepted=True), box("dent", origin="person", confidence=1, note="kept")]
    answer = stage.client.post(correction_path(item), json={"of_version": 1, "boxes": boxes})
    assert answer.status_code == 200
    newest = stage.client.get(f"/api/inspection_item/{item['item_id']}").headers["ETag"]
    assert answer.headers["ETag"] == newest != '"1"'
    first, entry = answer.json()["data"]["result"]
    boxes[1] |= {"by": "id-of-planner", "by_name": "姓名 planner (planner)"}
    assert first == detection_entry()
    at = entry["correction"].pop("at")
    assert at.endswith("Z")
    assert entry == {
        "inputImage": PHOTO,
        "resultImage": {"boxes": boxes, "resultImage": {}},
        "isPassed": False,
        "progress": "done",
        "version": 2,
        "provenance": {"alignment": {"homography": MATRIX}},
        "correction": {"of_version": 1, "by": "id-of-planner", "by_name": "姓名 planner (planner)"},
    }


def test_corrections_cannot_grow_without_end_but_verdicts_stay_possible(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = stage.item(stage.record()["inspection_id"], result=[detection_entry()])
    path = correction_path(item)
    assert stage.client.post(path, json={"of_version": 1, "boxes": [box()]}).status_code == 200
    length = len(json_text(stage.client.get(f"/api/inspection_item/{item['item_id']}").json()["result"]))
    monkeypatch.setattr(items, "MAX_RESULT", length)
    answer = stage.client.post(path, json={"of_version": 1, "boxes": [box()]})
    assert (answer.status_code, answer.json()["data"]["error"]) == (413, "too_large")
    stage.decide(item, "passed", "只是反光")


def test_correction_without_findings_passes_and_the_record_follows(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    item = stage.item(record, result=[detection_entry()])
    assert stage.get(record)["inspection_status"] == "failed"
    stage.decide(item, "failed")
    answer = stage.client.post(correction_path(item), json={"of_version": 1, "boxes": []})
    entries = answer.json()["data"]["result"]
    assert [entry["version"] for entry in entries] == [1, 2, 3]
    assert entries[-1]["isPassed"] is True
    assert results.current_verdict(entries) is Verdict.UNDECIDED
    assert results.model_opinion(entries) is False
    assert stage.get(record)["inspection_status"] == "passed"


def test_failed_run_and_correction_can_be_corrected(stage: Stage) -> None:
    failed = detection_entry(isPassed=None, progress="error", resultImage={"boxes": []}, provenance=None)
    item = stage.item(stage.record()["inspection_id"], result=[failed])
    for of_version in (1, 2):
        answer = stage.client.post(correction_path(item), json={"of_version": of_version, "boxes": [box()]})
        assert answer.status_code == 200
    last = answer.json()["data"]["result"][-1]
    assert last["inputImage"] == PHOTO
    assert last["provenance"] == {"alignment": None}
    assert last["correction"]["of_version"] == 2


def test_verdict_against_the_models_opinion_needs_a_reason(stage: Stage) -> None:
    item = stage.item(stage.record()["inspection_id"], result=[detection_entry()])
    path = f"/api/inspection_item/{item['item_id']}"
    for reason in ({}, {"reason": None}, {"reason": ""}, {"reason": "a"}):
        refused = stage.client.post(f"{path}/verdict", json={"verdict": "passed", **reason})
        assert (refused.status_code, refused.json()["data"]["error"]) == (422, "reason_too_short")
        assert stage.client.get(path).json()["result"] == [detection_entry()]
    agreed = stage.client.post(f"{path}/verdict", json={"verdict": "failed"})
    undecided = stage.client.post(f"{path}/verdict", json={"verdict": "undecided"})
    passed = stage.client.post(f"{path}/verdict", json={"verdict": "passed", "reason": "只是反光"})
    assert [answer.status_code for answer in (agreed, undecided, passed)] == [200, 200, 200]


@pytest.mark.parametrize("of_version", [2, 3, 0])
def test_verdict_and_unknown_version_cannot_be_corrected(stage: Stage, of_version: int) -> None:
    item = stage.item(stage.record()["inspection_id"], result=[detection_entry()])
    stage.decide(item, "passed", "只是反光")
    answer = stage.client.post(correction_path(item), json={"of_version": of_version, "boxes": []})
    assert answer.status_code == 409
    assert answer.json()["data"] == {"error": "conflict", "of_version": of_version}


def test_stale_correction_is_refused_with_the_current_item(stage: Stage) -> None:
    item = stage.item(stage.record()["inspection_id"], result=[detection_entry()])
    body = {"of_version": 1, "boxes": []}
    corrected = stage.client.post(correction_path(item), json=body, headers={"If-Match": '"1"'})
    assert corrected.status_code == 200
    stale = stage.client.post(correction_path(item), json=body, headers={"If-Match": '"1"'})
    assert stale.status_code == 412
    assert stale.headers["ETag"] == corrected.headers["ETag"] != '"1"'
    assert len(stale.json()["data"]["current"]["result"]) == 2


def test_correction_requires_the_permission_to_change_items(stage: Stage) -> None:
    item = stage.item(stage.record()["inspection_id"], result=[detection_entry()])
    body = {"of_version": 1, "boxes": []}
    assert stage.as_role("viewer").post(correction_path(item), json=body).status_code == 403
    assert stage.as_role("inspector").post(correction_path(item), json=body).status_code == 200
    assert stage.client.post("/api/inspection_item/none/boxes", json=body).status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"of_version": 1},
        {"of_version": True, "boxes": []},
        {"of_version": 1, "boxes": [{**box(), "origin": "nobody"}]},
        {"of_version": 1, "boxes": [{**box(), "accepted": "yes"}]},
        {"of_version": 1, "boxes": [{**box(), "points": {"x1": 1}}]},
        {"of_version": 1, "boxes": [{**box(), "label": None}]},
    ],
)
def test_invalid_correction_is_refused(stage: Stage, body: dict[str, Any]) -> None:
    item = stage.item(stage.record()["inspection_id"], result=[detection_entry()])
    assert stage.client.post(correction_path(item), json=body).status_code == 422
