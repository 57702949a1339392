"""The history of a region: pure rules, then the operation on both databases."""

from __future__ import annotations

import datetime as dt
import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import event, update

from service.inspection import comparison, history
from service.inspection.comparison import (
    Comparison,
    Finding,
    Place,
    compare,
    inverted,
    mapped,
    overlap,
    place,
)
from service.inspection.tables import RECORD
from shared.geometry import Rect
from shared.wire.catalogue import ReferenceImage
from shared.wire.history import FindingChange
from tests.service.inspection.conftest import Stage

SHIFT = [[1.0, 0.0, 10.0], [0.0, 1.0, 20.0], [0.0, 0.0, 1.0]]
"""Reference px to photo px: 10 to the right, 20 down."""


def seen(rect: Rect | None) -> Finding:
    return Finding("裂纹", 0.5, Rect(0, 0, 1, 1), rect)


# -- pure rules


def test_a_place_is_read_from_the_stored_text() -> None:
    stored = {"point": {"x": 0.1, "y": 0.2, "w": 0.3, "h": 1}, "fileInfo": {"ipfs_cid": "c"}}
    assert place(json.dumps(stored)) == Place((0.1, 0.2, 0.3, 1.0), "c")
    assert place(json.dumps({"point": {"x": 1, "y": 2, "w": 3, "h": 4}})) == Place((1, 2, 3, 4), None)
    assert place(None) is None
    assert place('{"point":null}') is None
    assert place("{}") is None
    assert place(f'{{"point":{{"x":{10**400},"y":0,"w":1,"h":1}}}}') is None


def test_regions_overlap_in_fractions_and_in_pixels() -> None:
    half = Place((0.0, 0.0, 0.5, 1.0), None)
    third = Place((0.0, 0.0, 0.25, 1.0), None)
    pixels = Place((0.0, 0.0, 100.0, 80.0), None)
    assert overlap(half, half, None) == 1.0
    assert overlap(half, third, None) == pytest.approx(0.5)
    assert overlap(half, third, (200, 80)) == pytest.approx(0.5)
    assert overlap(half, pixels, (200, 80)) == 1.0
    assert overlap(half, pixels, None) == 0.0
    assert overlap(pixels, pixels, None) == 1.0


def test_regions_on_different_files_never_overlap() -> None:
    point = (0.0, 0.0, 0.5, 0.5)
    assert overlap(Place(point, "a"), Place(point, "b"), None) == 0.0
    assert overlap(Place(point, "a"), Place(point, "a"), None) == 1.0
    assert overlap(Place(point, "a"), Place(point, None), None) == 1.0


def entry_with(matrix: Any) -> dict[str, Any]:
    return {"provenance": {"alignment": {"homography": matrix}}}


def test_a_homography_is_three_rows_of_three_finite_numbers() -> None:
    assert comparison.homography(entry_with(SHIFT)) == SHIFT
    wrong: list[Any] = [
        None,
        [],
        SHIFT[:2],
        [[1, 0], [0, 1], [0, 0]],
        [[1, 0, math.inf], [0, 1, 0], [0, 0, 1]],
        [[1, 0, "x"], [0, 1, 0], [0, 0, 1]],
        [[1, 0, 10**400], [0, 1, 0], [0, 0, 1]],
        [1, 2, 3],
        "SHIFT",
    ]
    for matrix in wrong:
        assert comparison.homography(entry_with(matrix)) is None, matrix
    for broken in ({}, {"provenance": 1}, {"provenance": {"alignment": None}}, {"provenance": {}}):
        assert comparison.homography(broken) is None


def test_a_singular_mapping_has_no_inverse() -> None:
    assert inverted([[1, 0, 0], [2, 0, 0], [0, 0, 1]]) is None
    assert inverted([[0, 0, 0]] * 3) is None


numbers = st.floats(-2, 2)


@settings(deadline=None, max_examples=60)
@given(
    st.tuples(st.floats(0.5, 2), st.floats(-0.3, 0.3), numbers, numbers),
    st.tuples(st.floats(0, 900), st.floats(0, 700), st.floats(1, 90), st.floats(1, 90)),
)
def test_there_and_back_is_where_it_was(
    turn: tuple[float, float, float, float], box: tuple[float, float, float, float]
) -> None:
    scale, skew, right, down = turn
    # A mirrored, scaled and tilted one too: the determinant may be negative.
    matrix = [[scale, 0.0, right * 100], [0.0, -scale, down * 100], [skew / 10_000, 0.0, 1.0]]
    rect = Rect(*box)
    there = mapped(rect, matrix, None)
    back = inverted(matrix)
    assert there is not None
    assert back is not None
    again = mapped(there, back, None)
    assert again is not None
    # The upright rectangle around a tilted one only grows.
    assert again.x <= rect.x + 1e-6
    assert again.y <= rect.y + 1e-6
    assert again.right >= rect.right - 1e-6
    assert again.bottom >= rect.bottom - 1e-6
    if skew == 0:
        assert (again.x, again.y, again.w, again.h) == pytest.approx((rect.x, rect.y, rect.w, rect.h))


def test_a_box_beyond_the_horizon_or_the_image_has_no_place() -> None:
    horizon = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-0.01, 0.0, 1.0]]
    assert mapped(Rect(50, 0, 100, 10), horizon, None) is None
    assert mapped(Rect(100, 0, 1, 1), horizon, None) is None
    assert mapped(Rect(0, 0, 10, 10), SHIFT, (10, 20)) is None
    assert mapped(Rect(0, 0, 10, 10), SHIFT, (15, 25)) == Rect(10, 20, 5, 5)


def test_findings_go_together_where_they_overlap_most() -> None:
    then = [seen(Rect(0, 0, 10, 10)), seen(Rect(100, 0, 10, 10)), seen(Rect(300, 0, 9, 9)), seen(None)]
    now = [seen(Rect(100, 0, 12, 10)), seen(Rect(0, 0, 10, 13)), seen(Rect(500, 0, 9, 9)), seen(None)]
    compared = compare(then, now)
    assert [change for change, _ in compared.changes] == [
        FindingChange.GROWN,
        FindingChange.UNCHANGED,
        FindingChange.GONE,
        None,
    ]
    assert [growth for _, growth in compared.changes] == [pytest.approx(1.3), pytest.approx(1.2), None, None]
    assert compared.appeared == (2,)


def test_each_finding_has_one_partner_at_most() -> None:
    then = [seen(Rect(0, 0, 10, 10))]
    now = [seen(Rect(0, 0, 10, 9)), seen(Rect(0, 0, 10, 10))]
    assert compare(then, now) == Comparison(((FindingChange.UNCHANGED, 1.0),), (0,))
    assert compare([], []) == Comparison((), ())
    apart = compare(then, [seen(Rect(9.5, 9.5, 10, 10))])
    assert apart == Comparison(((FindingChange.GONE, None),), (0,))


boxes = st.lists(
    st.builds(Rect, st.floats(0, 50), st.floats(0, 50), st.floats(1, 20), st.floats(1, 20)), max_size=6
)


@settings(deadline=None, max_examples=60)
@given(boxes, boxes)
def test_every_finding_is_told_once(then: list[Rect], now: list[Rect]) -> None:
    compared = compare([seen(rect) for rect in then], [seen(rect) for rect in now])
    pairs = sum(growth is not None for _, growth in compared.changes)
    assert len(compared.changes) == len(then)
    assert pairs + len(compared.appeared) == len(now)
    assert sum(change is FindingChange.GONE for change, _ in compared.changes) == len(then) - pairs
    for change, growth in compared.changes:
        assert (change is FindingChange.GROWN) == (growth is not None and growth > comparison.GROWTH)


def test_what_cannot_be_read_is_left_out() -> None:
    def box(x1: Any) -> dict[str, Any]:
        return {"label": "x", "confidence": 1, "points": {"x1": x1, "y1": 0, "x2": 5, "y2": 5}}

    entry = {"resultImage": {"boxes": [box(1), box(10**400), box(-1e300)]}}
    assert [one.box for one in comparison.findings(entry, None)] == [Rect(1, 0, 4, 5)]
    assert comparison.findings(None, None) == []
    assert comparison.findings({"resultImage": None}, None) == []


def test_only_the_surest_findings_count() -> None:
    points = {"x1": 0, "y1": 0, "x2": 5, "y2": 5}
    boxes = [{"label": str(n), "confidence": n / 1000, "points": points} for n in range(500)]
    found = comparison.findings({"resultImage": {"boxes": boxes}}, None)
    assert [one.label for one in found] == [str(n) for n in range(499, 299, -1)]


# -- the operation


def detected(
    *boxes: tuple[str, float, float, float, float], matrix: Any = SHIFT, **more: Any
) -> dict[str, Any]:
    found = [
        {"label": label, "confidence": 0.8, "points": {"x1": x, "y1": y, "x2": x + w, "y2": y + h}}
        for label, x, y, w, h in boxes
    ]
    return {
        "inputImage": {"file_id": "f"},
        "resultImage": {"boxes": found, "resultImage": None},
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


def inspected(
    stage: Stage, name: str, *entries: dict[str, Any], point: Any = None, **body: Any
) -> dict[str, Any]:
    record = stage.record(inspection_name=name, **{"reference_image_id": "r", **body})
    return stage.item(
        record["inspection_id"],
        item_name=f"条目 {name}",
        item_point=region() if point is None else point,
        result=list(entries),
    )


def of(stage: Stage, item: dict[str, Any], **query: Any) -> list[dict[str, Any]]:
    answer = stage.client.get(f"/api/inspection_item/{item['item_id']}/history", params=query)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert (body["code"], body["msg"]) == (0, None)
    data: list[dict[str, Any]] = body["data"]
    return data


def test_earlier_items_at_the_place_newest_first(stage: Stage) -> None:
    known_image(stage)
    stage.put("executors", id="u1", name="王芳")
    inspected(stage, "first", executor_id="u1", start_time="2026-01-02T03:04:05")
    inspected(stage, "elsewhere", point=region(0.45))
    inspected(stage, "other image", reference_image_id="other")
    inspected(stage, "no image", reference_image_id=None)
    inspected(stage, "other file", point=region(ipfs_cid="old"))
    inspected(stage, "without a region", point={"fileInfo": {"ipfs_cid": "new"}})
    inspected(stage, "in pixels", point={"point": {"x": 100, "y": 80, "w": 400, "h": 300}})
    now = inspected(stage, "now", point=region(0.12, ipfs_cid="new"))
    stage.item(now["inspection_id"], item_point=region())
    inspected(stage, "later")
    entries = of(stage, now)
    assert [entry["inspection_name"] for entry in entries] == ["in pixels", "first"]
    first = entries[1]
    assert first["executor_name"] == "王芳"
    assert first["start_time"] == "2026-01-02T03:04:05Z"
    assert first["created_at"].endswith("Z")
    assert first["item_name"] == "条目 first"
    assert first["overlap"] == pytest.approx(0.38 / 0.42)
    assert first["inspection_status"] == "not_started"
    assert (first["passed"], first["opinion"], first["verdict"]) == (None, None, "undecided")
    assert first["findings"] == first["appeared"] == []
    assert [entry["inspection_name"] for entry in of(stage, now, limit=1)] == ["in pixels"]


def test_findings_are_held_against_the_present_ones_on_the_reference_image(stage: Stage) -> None:
    known_image(stage)
    wide = [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]]
    # In reference px: (200, 200, 20, 20), (300, 300, 10, 10), (400, 250, 30, 30).
    inspected(
        stage,
        "then",
        detected(("裂纹", 210, 220, 20, 20), ("凹坑", 310, 320, 10, 10), ("划痕", 410, 270, 30, 30)),
    )
    now = inspected(
        stage,
        "now",
        detected(
            ("裂纹", 400, 400, 60, 40), ("凹坑", 602, 600, 20, 20), ("缺铆钉", 220, 220, 16, 16), matrix=wide
        ),
    )
    (entry,) = of(stage, now)
    told = {one["label"]: one for one in entry["findings"]}
    assert {label: one["change"] for label, one in told.items()} == {
        "裂纹": "grown",
        "凹坑": "unchanged",
        "划痕": "gone",
    }
    assert told["裂纹"]["growth"] == pytest.approx(1.5)
    assert told["裂纹"]["points"] == {"x1": 210, "y1": 220, "x2": 230, "y2": 240}
    assert told["裂纹"]["reference"] == pytest.approx({"x1": 200, "y1": 200, "x2": 220, "y2": 220})
    assert told["划痕"]["growth"] is None
    (new,) = entry["appeared"]
    assert (new["label"], new["change"], new["growth"]) == ("缺铆钉", "new", None)
    assert new["points"] == {"x1": 220, "y1": 220, "x2": 236, "y2": 236}
    assert new["reference"] == pytest.approx({"x1": 110, "y1": 110, "x2": 118, "y2": 118})


def test_without_an_alignment_nothing_is_claimed(stage: Stage) -> None:
    box = ("裂纹", 210, 220, 20, 20)
    inspected(stage, "aligned", detected(box))
    inspected(stage, "not aligned", detected(box, matrix=None))
    now = inspected(stage, "now", detected(box, matrix=None))
    for entry in of(stage, now):
        assert [one["change"] for one in entry["findings"]] == [None]
        assert entry["appeared"] == []
    later = inspected(stage, "later", detected(box))
    changes = {e["inspection_name"]: [f["change"] for f in e["findings"]] for e in of(stage, later)}
    assert changes == {"now": [None], "not aligned": [None], "aligned": ["unchanged"]}


def test_an_item_that_was_not_detected_yet_claims_nothing(stage: Stage) -> None:
    inspected(stage, "then", detected(("裂纹", 210, 220, 20, 20)))
    (entry,) = of(stage, inspected(stage, "now"))
    assert [one["change"] for one in entry["findings"]] == [None]
    clean = inspected(stage, "clean", detected())
    assert [one["change"] for one in of(stage, clean)[1]["findings"]] == ["gone"]


def test_verdict_and_opinion_of_that_time_are_two_facts(stage: Stage) -> None:
    then = inspected(stage, "then", detected(("裂纹", 210, 220, 20, 20)))
    path = f"/api/inspection_item/{then['item_id']}/verdict"
    stage.client.post(path, json={"verdict": "passed", "reason": "只是反光"})
    (entry,) = of(stage, inspected(stage, "now"))
    assert (entry["passed"], entry["opinion"], entry["verdict"]) == (True, False, "passed")
    assert entry["reason"] == "只是反光"
    assert [one["label"] for one in entry["findings"]] == ["裂纹"]


def test_who_found_and_who_decided_are_named(stage: Stage) -> None:
    box = ("裂纹", 210, 220, 20, 20)
    origin = {"model_name": "参考差分", "finished_at": "2026-02-03T04:05:06Z", "alignment": None}
    inspected(stage, "by the model", detected(box, provenance=origin))
    corrected = inspected(stage, "corrected", detected(box, provenance=origin))
    path = f"/api/inspection_item/{corrected['item_id']}"
    stage.client.post(f"{path}/boxes", json={"of_version": 1, "boxes": []})
    stage.client.post(f"{path}/verdict", json={"verdict": "failed", "reason": "锈"})
    inspected(stage, "of a stranger", detected(box, provenance={"model_name": 7, "finished_at": "soon"}))
    stranger, person, model = of(stage, inspected(stage, "now"))
    assert (model["found_by"], model["found_at"]) == ("参考差分", "2026-02-03T04:05:06Z")
    assert (model["decided_by"], model["decided_at"]) == (None, None)
    assert (person["found_by"], person["decided_by"]) == ("姓名 planner", "姓名 planner")
    assert person["found_at"].endswith("Z")
    assert person["decided_at"] >= person["found_at"]
    assert (stranger["found_by"], stranger["found_at"]) == (None, None)


def test_a_detection_that_has_no_result_yet_hides_none(stage: Stage) -> None:
    known_image(stage)
    box = ("裂纹", 210, 220, 20, 20)
    unfinished = [
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
    inspected(stage, "then", detected(box), *unfinished)
    (entry,) = of(stage, inspected(stage, "now", detected(box), *unfinished))
    assert [(one["label"], one["change"]) for one in entry["findings"]] == [("裂纹", "unchanged")]
    assert entry["appeared"] == []
    assert (entry["passed"], entry["opinion"]) == (False, False)


def test_records_of_one_moment_are_told_by_their_id(stage: Stage) -> None:
    items = [inspected(stage, str(number)) for number in range(5)]
    moment = dt.datetime(2026, 1, 1)
    stage.database.write_now(lambda session: session.execute(update(RECORD).values(created_at=moment)))
    by_id = sorted(items, key=lambda item: str(item["inspection_id"]))
    found = [entry["inspection_id"] for entry in of(stage, by_id[3])]
    assert found == [item["inspection_id"] for item in reversed(by_id[:3])]


def test_only_the_newest_items_are_looked_through(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "LOOKED_THROUGH", 5)
    for number in range(3):
        item = inspected(stage, str(number))
        stage.item(item["inspection_id"], item_point=region(0.5))
    now = inspected(stage, "now")
    assert [entry["inspection_name"] for entry in of(stage, now)] == ["2", "1"]


def test_one_query_on_the_indexes(stage: Stage) -> None:
    now = inspected(stage, "now")
    said: list[str] = []

    def listen(_c: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        said.append(statement)

    event.listen(stage.database.reader, "before_cursor_execute", listen)
    of(stage, now)
    event.remove(stage.database.reader, "before_cursor_execute", listen)
    assert len([text for text in said if "FROM record JOIN item" in text.replace("\n", " ")]) == 1


def test_an_item_without_a_region_has_no_history(stage: Stage) -> None:
    inspected(stage, "then")
    assert of(stage, inspected(stage, "now", point={})) == []


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_statuses(stage: Stage) -> None:
    item = inspected(stage, "now")
    path = f"/api/inspection_item/{item['item_id']}/history"
    assert stage.client.get("/api/inspection_item/none/history").status_code == 404
    for limit in ("0", "101", "x"):
        assert stage.client.get(path, params={"limit": limit}).status_code == 422
    assert stage.as_role("viewer").get(path).status_code == 200
    stage.client.headers.pop("Authorization")
    assert stage.client.get(path).status_code == 401
