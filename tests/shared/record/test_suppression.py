"""Tests reading the suppressed findings of result entries."""

from __future__ import annotations

from typing import Any, cast

from shared.record import suppression
from shared.record.entries import Entry
from shared.record.geometry import Rect


def box(x: float, label: str = "stain") -> dict[str, Any]:
    points = {"x1": x, "y1": 10, "x2": x + 20, "y2": 40}
    return {"label": label, "confidence": 0.8, "points": points}


def entry(version: int, boxes: list[dict[str, Any]], **more: Any) -> Entry:
    return cast(Entry, {"version": version, "resultImage": {"boxes": boxes}, "isPassed": True, **more})


def suppressed_finding(x: float, alone: float = 0.8) -> dict[str, Any]:
    return {"box": box(x), "score": 0.1, "score_alone": alone, "photos": ["f1", "f2"]}


COMPARED = entry(
    1,
    [],
    memory={"photos": 4, "sha256": "0"},
    suppressed=[suppressed_finding(0, 0.6), suppressed_finding(100, 0.9)],
)


def test_suppressed_findings_are_sorted_by_confidence() -> None:
    first, second = suppression.read_suppressed_findings(COMPARED)
    assert first == suppression.SuppressedFinding("stain", Rect(100, 10, 20, 30), 0.1, 0.9, ("f1", "f2"))
    assert second.box.x == 0
    assert suppression.count_memory_photos(COMPARED) == 4


def test_correction_keeps_the_suppressed_findings_of_its_entry() -> None:
    once = entry(2, [], correction={"of_version": 1})
    twice = entry(3, [box(101)], correction={"of_version": 2})
    entries = [COMPARED, once, twice]
    assert len(suppression.read_suppressed_findings(once, entries)) == 2
    # A person reported the finding at 100.
    assert [finding.box.x for finding in suppression.read_suppressed_findings(twice, entries)] == [0]
    assert suppression.count_memory_photos(twice, entries) == 4


def test_cyclic_corrections_end() -> None:
    first, second = (entry(n, [], correction={"of_version": 3 - n}) for n in (1, 2))
    assert suppression.read_suppressed_findings(first, [first, second]) == []


def test_unreadable_suppressed_findings_are_ignored() -> None:
    bad: list[Any] = [
        None,
        {},
        {**suppressed_finding(0), "score": "much"},
        {**suppressed_finding(0), "box": {"label": "a"}},
    ]
    assert (
        len(suppression.read_suppressed_findings(entry(1, [], suppressed=[*bad, suppressed_finding(5)]))) == 1
    )
    assert suppression.read_suppressed_findings(entry(1, [], suppressed="all")) == []
    assert suppression.read_suppressed_findings(None) == []
    assert suppression.count_memory_photos(entry(1, [], memory={"photos": "many"})) == 0
    assert suppression.count_memory_photos(entry(1, [])) == 0
