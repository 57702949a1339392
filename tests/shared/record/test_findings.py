from __future__ import annotations

import math
from typing import Any, cast

import pytest

from shared.record.entries import Entry, EntryBox, EntryCorrection
from shared.record.findings import Finding, match_boxes, measure_size_mm, read_findings
from shared.record.geometry import Rect
from shared.wire.detection import Severity
from shared.wire.memory import MemoryReason

BOX: EntryBox = {
    "label": "dent",
    "confidence": 1.0,
    "points": {"x1": 10, "y1": 20, "x2": 110, "y2": 80},
    "origin": "person",
}
BY_LI: EntryCorrection = {"of_version": 1, "by": "u1", "by_name": "Li", "at": None}


def author(box: EntryBox, correction: EntryCorrection | None = BY_LI) -> tuple[str, str, str]:
    finding = Finding.from_box(box, correction=correction)
    return finding.author_id, finding.author_name, finding.author


def test_finding_is_drawn_if_its_origin_is_a_person() -> None:
    assert author({**BOX, "by": "u2", "by_name": "Wang"}) == ("u2", "Wang", "Wang")
    assert author({**BOX, "by": "u2", "by_name": None}) == ("u2", "", "u2")
    assert author(BOX) == ("u1", "Li", "Li")
    assert author({**BOX, "origin": "model", "by": "u2", "by_name": "Wang"}) == ("", "", "")
    # An author in the entry of a client does not count.
    assert author({**BOX, "by": "u2", "by_name": "Wang"}, None) == ("", "", "")


def test_stored_severity_wins_over_catalogue() -> None:
    now = {"dent": Severity.MINOR}
    assert Finding.from_box({**BOX, "severity": "critical"}, severities=now).severity is Severity.CRITICAL
    assert Finding.from_box({**BOX, "severity": "awful"}, severities=now).severity is Severity.MINOR
    assert Finding.from_box(BOX).severity is None


def test_finding_with_a_key_of_an_earlier_version_is_read_without_it() -> None:
    opinion = {"value": 0.5, "photos": 3, "model_name": "patches", "model_version": 2}
    earlier = cast(EntryBox, {**BOX, "second_opinion": opinion})
    assert Finding.from_box(earlier) == Finding.from_box(BOX)
    assert read_findings({"resultImage": {"boxes": [earlier]}}) == [Finding.from_box(BOX)]


def test_reason_of_a_memory_is_read_and_an_unknown_one_left_out() -> None:
    assert Finding.from_box({**BOX, "memory_reason": "new_line"}).memory_reason is MemoryReason.NEW_LINE
    unknown: list[Any] = [None, 3, "later", []]
    for reason in unknown:
        assert Finding.from_box({**BOX, "memory_reason": reason}).memory_reason is None
    assert Finding.from_box(BOX).memory_reason is None


def test_finding_survives_conversion_to_a_box_and_back() -> None:
    drawn = Finding("dent", 1.0, Rect(10, 20, 100, 60), is_drawn=True, accepted=True)
    assert drawn.to_box() == {**BOX, "accepted": True}
    assert Finding.from_box(drawn.to_box()) == drawn
    finding = Finding("crack", 0.5, Rect(1, 2, 3, 4))
    assert finding.to_box()["origin"] == "model"
    assert Finding.from_box(finding.to_box()) == finding


def test_unreadable_boxes_are_left_out() -> None:
    points = BOX["points"]
    broken: list[Any] = [
        {"label": "x", "confidence": 1},
        {"label": "x", "points": points},
        {"label": "x", "confidence": None, "points": points},
        {"label": "x", "confidence": 1, "points": {**points, "x1": "left"}},
        {"label": "x", "confidence": 1, "points": {**points, "x1": 10**400}},
    ]
    swapped: EntryBox = {**BOX, "label": "hole", "points": {"x1": 110, "y1": 80, "x2": 10, "y2": 20}}
    findings = read_findings({"resultImage": {"boxes": [*broken, BOX, *broken, swapped]}})
    assert [(finding.label, finding.index) for finding in findings] == [("dent", 0), ("hole", 1)]
    assert [finding.box for finding in findings] == [Rect(10, 20, 100, 60)] * 2
    assert read_findings(None) == read_findings({}) == read_findings({"resultImage": None}) == []


def test_findings_have_a_size_if_scale_and_alignment_are_known() -> None:
    straight = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    entry: Entry = {"resultImage": {"boxes": [BOX]}, "provenance": {"alignment": {"homography": straight}}}
    assert [finding.size_mm for finding in read_findings(entry, mm_per_pixel=0.5)] == [(50, 30)]
    assert [finding.size_mm for finding in read_findings(entry)] == [None]
    assert [finding.size_mm for finding in read_findings({**entry, "provenance": {}}, mm_per_pixel=0.5)] == [
        None
    ]


def test_size_is_measured_on_the_reference_image() -> None:
    turn, scale = math.radians(30), 2.0
    cos, sin = scale * math.cos(turn), scale * math.sin(turn)
    to_photo = [[cos, -sin, 40.0], [sin, cos, -7.0], [0.0, 0.0, 1.0]]
    assert measure_size_mm(Rect(10, 20, 100, 60), to_photo, 0.5) == pytest.approx((25, 15))
    assert measure_size_mm(Rect(10, 20, 100, 60), to_photo, None) is None
    assert measure_size_mm(Rect(10, 20, 100, 60), None, 0.5) is None
    assert measure_size_mm(Rect(10, 20, 100, 60), [[0.0] * 3] * 3, 0.5) is None
    assert measure_size_mm(Rect(10, 20, 100, 60), [[1, 0, 0], [0, 1, 0], [0.01, 0, 1]], 0.5) is not None


def test_boxes_of_a_correction_are_matched_with_those_before() -> None:
    def box(label: str, confidence: float, left: float, **more: Any) -> Any:
        points = {"x1": left, "y1": 0, "x2": left + 5, "y2": 5}
        return {"label": label, "confidence": confidence, "points": points, **more}

    person = {"origin": "person", "by": "u1"}
    before = [
        box("crack", 0.9, 0),
        box("dent", 0.8, 10),
        box("dent", 0.8, 20),
        box("scratch", 1, 30, **person),
    ]
    after = [
        box("dent", 0.8, 20),
        box("stain", 0.8, 10),
        box("scratch", 1, 33, **person),
        box("hole", 1, 40, origin="person"),
        box("stain", 0.7, 0),
    ]

    assert match_boxes(before, after) == [2, 1, 3, None, None]
