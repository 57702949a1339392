"""Which photos belong to a memory, decided on plain data."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import pytest

from service.detection.dispatch.variations import VaryingPhoto
from service.detection.rules import BackboneFacts
from service.memory import rules
from service.memory.facts import ItemFacts, PhotoFacts
from shared.record.entries import Entry
from shared.record.geometry import Rect
from shared.wire.memory import MemoryKind, MemoryStatus

NOON = dt.datetime(2026, 3, 1, 12)
ALL = (0.0, 0.0, 1.0, 1.0)


def photo(name: str, minutes: int = 0) -> PhotoFacts:
    inputs = VaryingPhoto(name, f"sha of {name}", "reference", "sha", ALL, None, {}, {}, None, False)
    return PhotoFacts(NOON + dt.timedelta(minutes=minutes), None, inputs)


def box(x: int, confidence: float = 0.9, **more: Any) -> dict[str, Any]:
    points = {"x1": x, "y1": 0, "x2": x + 10, "y2": 10}
    return {"label": "added", "confidence": confidence, "points": points, **more}


def detection(*boxes: Any, of: str = "a", version: int = 1) -> Entry:
    image = {"boxes": list(boxes), "resultImage": None}
    return {
        "inputImage": {"file_id": of},
        "resultImage": image,  # type: ignore[typeddict-item]
        "isPassed": not boxes,
        "progress": "done",
        "version": version,
        "job_id": "j",
    }


def correction(*boxes: Any, of_version: int = 1, version: int = 2, of: str = "a") -> Entry:
    entry = detection(*boxes, of=of, version=version)
    del entry["job_id"]
    correction = {"of_version": of_version, "by": "u", "by_name": "Wang", "at": "2026-03-01T12:20:00Z"}
    return {**entry, "correction": correction}  # type: ignore[typeddict-item]


def verdict(value: str = "passed", version: int = 9, minute: int = 30, **more: Any) -> Entry:
    decision = {"value": value, "by": "u", "by_name": "Wang", "at": f"2026-03-01T12:{minute}:00Z", **more}
    passed = None if value == "undecided" else value == "passed"
    return {"isPassed": passed, "progress": "done", "version": version, "verdict": decision}  # type: ignore[typeddict-item]


def item(*entries: Entry, photos: tuple[PhotoFacts, ...] = (photo("a"),), name: str = "i") -> ItemFacts:
    return ItemFacts(name, "r", "walk", ALL, entries, photos)


def kinds(*entries: Entry, **more: Any) -> list[MemoryKind]:
    return [member.kind for member in rules.members(item(*entries, **more))]


def test_a_photo_belongs_when_a_person_passed_its_item() -> None:
    (member,) = rules.members(item(detection(box(0)), verdict()))
    assert (member.kind, member.file_id, member.decided_by) == (MemoryKind.PASSED, "a", "Wang")
    assert member.decided_at == dt.datetime(2026, 3, 1, 12, 30, tzinfo=dt.UTC)
    assert (member.judged_findings, member.kept_findings) == ((), ())
    assert kinds(verdict()) == [MemoryKind.PASSED]


@pytest.mark.parametrize(
    "entries",
    [
        (),
        (detection(),),
        # Nothing is marked in the photo that failed.
        (detection(), verdict("failed")),
        (detection(box(0)), verdict("failed", accepted_opinion_of_version=1)),
        (detection(), verdict("undecided")),
        # A model's opinion that was signed with many others: nobody looked at the photo.
        (detection(), verdict(accepted_opinion_of_version=1)),
        # A detection after the verdict makes the item undecided again.
        (verdict(version=1), detection(version=2)),
        ({"isPassed": True, "progress": "done", "version": 1},),
        (detection(), verdict(at="yesterday")),
    ],
)
def test_only_a_verdict_of_a_person_passes_a_photo(entries: tuple[Entry, ...]) -> None:
    assert kinds(*entries) == []


def test_the_photo_is_the_newest_that_was_there_when_the_person_decided() -> None:
    photos = (photo("later", 45), photo("seen", 20), photo("first", 0))
    assert [member.file_id for member in rules.members(item(verdict(), photos=photos))] == ["seen"]
    assert kinds(verdict(), photos=(photo("later", 45),)) == []
    assert kinds(verdict(), photos=()) == []


def test_kept_findings_are_excluded_and_rejected_ones_count_separately() -> None:
    detected = detection(box(0, 0.91), box(50, 0.92), box(90, 0.93))
    corrected = correction(box(0, 0.91, origin="model"), box(200, 1, origin="person"))
    passed, rejected = rules.members(item(detected, corrected, verdict()))
    assert passed.kept_findings == (Rect(0, 0, 10, 10), Rect(200, 0, 10, 10))
    assert rejected.kind is MemoryKind.REJECTED
    assert rejected.judged_findings == (Rect(50, 0, 10, 10), Rect(90, 0, 10, 10))


def test_findings_rejected_in_a_failed_item_count_and_its_photo_does_not() -> None:
    entries = (detection(box(0, 0.91), box(50, 0.92)), correction(box(0, 0.91, origin="model")))
    rejected, failed = rules.members(item(*entries, verdict("failed")))
    assert (failed.kind, failed.judged_findings) == (MemoryKind.FAILED, (Rect(0, 0, 10, 10),))
    assert (rejected.kind, rejected.judged_findings) == (MemoryKind.REJECTED, (Rect(50, 0, 10, 10),))
    assert rejected.kept_findings == (Rect(0, 0, 10, 10),)
    assert kinds(*entries) == []


def test_a_finding_that_was_moved_or_drawn_again_is_not_rejected() -> None:
    moved = (detection(box(0, 0.91)), correction(box(30, 0.91, origin="model")))
    assert kinds(*moved, verdict()) == [MemoryKind.PASSED]
    redrawn = (detection(box(0, 0.91)), correction(box(5, 1, origin="person")))
    assert kinds(*redrawn, verdict()) == [MemoryKind.PASSED]


def test_rejections_are_those_of_all_corrections_in_a_row() -> None:
    entries = (
        detection(box(0, 0.91), box(50, 0.92)),
        correction(box(0, 0.91, origin="model"), version=2),
        correction(of_version=2, version=3),
    )
    _, rejected = rules.members(item(*entries, verdict()))
    assert rejected.judged_findings == (Rect(0, 0, 10, 10), Rect(50, 0, 10, 10))


def test_findings_of_a_photo_that_was_taken_off_the_item_are_not_learned() -> None:
    entries = (detection(box(0), of="gone"), correction(of="gone"))
    (member,) = rules.members(item(*entries, verdict()))
    assert (member.kind, member.kept_findings) == (MemoryKind.PASSED, ())


def test_the_findings_of_a_failed_item_are_counter_examples_and_its_photo_is_not_normal() -> None:
    (failed,) = rules.members(item(detection(box(0), box(50)), verdict("failed")))
    assert (failed.kind, failed.file_id, failed.kept_findings) == (MemoryKind.FAILED, "a", ())
    assert failed.judged_findings == (Rect(0, 0, 10, 10), Rect(50, 0, 10, 10))


@pytest.mark.parametrize("named", [{"origin": "model", "accepted": True}, {"origin": "person"}])
def test_of_a_failed_item_the_findings_count_that_a_person_accepted_or_drew(named: dict[str, Any]) -> None:
    entries = detection(box(0, 0.91), box(50, 0.92)), correction(box(0, 0.91), box(50, 0.92, **named))
    (failed,) = rules.members(item(*entries, verdict("failed")))
    assert failed.judged_findings == (Rect(50, 0, 10, 10),)


def test_failed_items_enter_a_frozen_memory_and_leave_one_that_starts_over() -> None:
    (failed,) = rules.members(item(detection(box(0)), verdict("failed", minute=40)))
    earlier, later = (dt.datetime(2026, 3, 1, 12, minute, tzinfo=dt.UTC) for minute in (20, 50))
    assert rules.decided_between([failed], None, earlier) == [failed]
    assert rules.decided_between([failed], later, None) == []


def test_memory_has_photos_decided_between_its_start_and_freeze() -> None:
    members = [rules.members(item(verdict(minute=minute)))[0] for minute in (10, 20, 40)]
    at = [dt.datetime(2026, 3, 1, 12, minute, tzinfo=dt.UTC) for minute in (15, 30)]
    assert rules.decided_between(members, None, None) == members
    assert rules.decided_between(members, at[0], None) == members[1:]
    assert rules.decided_between(members, None, at[1]) == members[:2]
    assert rules.decided_between(members, *at) == members[1:2]


def test_a_memory_keeps_the_oldest_and_the_newest_and_each_content_once() -> None:
    members = [
        rules.members(item(verdict(), photos=(photo(str(number), number - 20),), name=str(number)))[0]
        for number in range(10)
    ]
    twice = [*members, replace(members[4], item=members[4].item._replace(item_id="again"))]
    assert [member.file_id for member in rules.select_kept(twice, 2, 3)] == ["0", "1", "7", "8", "9"]
    assert len(rules.select_kept(twice, 5, 20)) == 10
    assert rules.count_passed(twice) == 10


def test_a_memory_counts_from_the_photos_that_are_required_on() -> None:
    members = rules.members(item(verdict()))
    assert rules.state([], [], 1, False) is MemoryStatus.EMPTY
    assert rules.state(members, [], 1, False) is MemoryStatus.TOO_FEW
    assert rules.state(members, members, 1, False) is MemoryStatus.COUNTS
    assert rules.state(members, members, 2, True) is MemoryStatus.TOO_FEW
    assert rules.state(members, members, 1, True) is MemoryStatus.FROZEN


def test_basis_of_a_comparison_stays_the_same() -> None:
    """Otherwise a release would compare all photos again without another `VERSION`."""
    (member,) = rules.members(item(verdict()))
    assert member.basis(1) == "a4e3db50013aa677579d82eb6ae090bcf3cb9791e715f3e1ce6164e350c1f64e"


def test_each_input_of_a_comparison_changes_its_basis() -> None:
    (member,) = rules.members(item(verdict()))
    inputs = member.photo.inputs
    others = [
        replace(member, kept_findings=(Rect(0, 0, 1, 1),)),
        replace(member, judged_findings=(Rect(0, 0, 1, 1),)),
        replace(member, kind=MemoryKind.FAILED),
        replace(member, photo=member.photo._replace(inputs=inputs._replace(settings={"smallest": 2}))),
        replace(member, photo=member.photo._replace(inputs=inputs._replace(point=(0, 0, 0.5, 1)))),
        replace(
            member,
            photo=member.photo._replace(
                inputs=inputs._replace(place=[[1, 0, 0], [0, 1, 0], [0, 0, 1]], place_by_person=True)
            ),
        ),
        replace(
            member,
            photo=member.photo._replace(inputs=inputs._replace(backbone=BackboneFacts("sha", {}))),
        ),
    ]
    assert member.basis(1) == replace(member).basis(1)
    assert len({member.basis(1), member.basis(2), *(one.basis(1) for one in others)}) == 9


def test_a_photo_of_too_little_of_the_region_is_not_learned() -> None:
    def covered(inspected: float) -> Entry:
        coverage = {"inspected": inspected, "ignored": 0.0, "required": 0.95}
        return {**detection(), "provenance": {"coverage": coverage}}  # type: ignore[typeddict-item]

    assert kinds(covered(0.75), verdict()) == []
    assert kinds(covered(0.95), verdict()) == [MemoryKind.PASSED]
