"""What a report counts of the corrections of an item."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import cast

from desktop.report.content import ReportedCorrection, read_corrections
from shared.record.entries import Entry

AT = "2026-03-01T09:12:00Z"
TIME = datetime(2026, 3, 1, 9, 12, tzinfo=UTC)


def box(label: str, confidence: float, x: int = 0, **more: object) -> dict[str, object]:
    points = {"x1": x, "y1": 0, "x2": x + 9, "y2": 9}
    return {"label": label, "confidence": confidence, "points": points, "origin": "model", **more}


def detection(*boxes: dict[str, object]) -> Entry:
    entry = {"version": 1, "job_id": "j", "isPassed": False, "progress": "done"}
    return cast(Entry, {**entry, "resultImage": {"boxes": list(boxes)}})


def correction(version: int, of_version: int, by: str, *boxes: dict[str, object]) -> Entry:
    authorship = {"of_version": of_version, "by": by, "by_name": by.title(), "at": AT}
    entry = {"version": version, "isPassed": False, "progress": "done", "correction": authorship}
    return cast(Entry, {**entry, "resultImage": {"boxes": list(boxes)}})


def read(*entries: Entry) -> tuple[ReportedCorrection, ...]:
    return read_corrections(entries, entries[-1], {"u1": "zhang3"})


def test_findings_of_the_model_have_no_correction() -> None:
    assert read(detection(box("crack", 0.9))) == ()
    assert read_corrections([], None, {}) == ()


def test_each_kind_of_change_is_counted() -> None:
    found = detection(*(box("dent", (9 - number) / 10, 20 * number) for number in range(7)))
    corrected = correction(
        2,
        1,
        "u1",
        box("crack", 0.8, 20, accepted=True, severity="major", corrected_by="u1"),
        box("dent", 0.7, 40, accepted=True, severity="critical"),
        box("dent", 0.6, 63, accepted=True, corrected_by="u1"),
        box("dent", 0.5, 80, accepted=True),
        box("dent", 0.4, 100),
        box("leak", 1.0, 400, origin="person", by="u1", accepted=True),
    )
    changes = {"deleted": 2, "drawn": 1, "relabelled": 1, "moved": 1, "graded": 1, "accepted": 1}
    assert read(found, corrected) == (ReportedCorrection("U1 (zhang3)", TIME, **changes),)


def test_each_correction_names_its_person() -> None:
    found = detection(box("dent", 0.9), box("dent", 0.9, 30))
    first = correction(2, 1, "u1", box("dent", 0.9, 30))
    second = correction(3, 2, "u2", box("dent", 0.9, 30, severity="minor", accepted=True))
    assert read(found, first, second) == (
        ReportedCorrection("U1 (zhang3)", TIME, deleted=1),
        ReportedCorrection("U2", TIME, graded=1),
    )


def test_correction_of_a_missing_version_counts_nothing() -> None:
    assert read(correction(2, 9, "u1", box("dent", 0.9))) == (ReportedCorrection("U1 (zhang3)", TIME),)
    assert len(read(correction(2, 2, "u1"))) == 1
