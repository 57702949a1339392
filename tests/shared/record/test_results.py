"""Tests the rules for the result entries of an item and its record."""

from __future__ import annotations

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.record import results
from shared.record.codes import Progress, Status, Verdict
from shared.record.entries import Entry, EntryRegion


def detection(version: int, passed: bool | None = True, progress: str = "done") -> Entry:
    return {**client_entry(version, passed, progress), "job_id": f"job {version}"}


def client_entry(version: int, passed: bool | None = True, progress: str = "done") -> Entry:
    return {"version": version, "isPassed": passed, "progress": progress, "resultImage": {"boxes": []}}


def decision(version: int, value: str) -> Entry:
    entry: Entry = {"version": version, "verdict": {"value": value, "by": "u1"}}
    if value == "undecided":
        return {**entry, "isPassed": None, "progress": "pending"}
    return {**entry, "isPassed": value == "passed", "progress": "done"}


def correction(version: int, of_version: int, boxes: int = 0) -> Entry:
    drawn = [{"label": "crack"}] * boxes
    # Only the keys that these rules read: boxes without points, a correction without its time.
    entry = {
        "version": version,
        "isPassed": not boxes,
        "progress": "done",
        "resultImage": {"boxes": drawn},
        "correction": {"of_version": of_version, "by": "u1"},
    }
    return cast(Entry, entry)


def test_unused_database_has_nothing_to_verify() -> None:
    assert results.current_entry([]) is None
    assert results.is_passed([]) is None
    assert results.next_version([]) == 1
    assert results.current_verdict([]) is Verdict.UNDECIDED


def test_verdict_overrules_the_model_and_the_opinion_stays() -> None:
    entries = [detection(1, passed=False), decision(2, "passed")]
    assert results.is_passed(entries) is True
    assert results.model_opinion(entries) is False
    assert results.current_verdict(entries) is Verdict.PASSED


def test_a_new_detection_makes_the_verdict_undecided_again() -> None:
    entries = [detection(1), decision(2, "passed"), detection(3, passed=False)]
    assert results.current_verdict(entries) is Verdict.UNDECIDED
    assert results.is_passed(entries) is False


@pytest.mark.parametrize("progress", ["pending", "detecting", "error", "canceled"])
def test_detection_without_a_result_hides_no_other_detection(progress: str) -> None:
    # The entry of a job says `isPassed` false from the start.
    entries = [detection(1), detection(2, passed=False, progress=progress)]
    assert results.current_entry(entries) is results.finished_detection(entries) is entries[0]
    assert results.newest_detection(entries) is entries[1]
    assert results.is_passed(entries) is results.model_opinion(entries) is True
    assert results.is_passed(entries[1:]) is None


def test_correction_replaces_findings_but_not_model_opinion() -> None:
    entries = [detection(1, passed=False), correction(2, 1)]
    assert results.finished_detection(entries) is entries[1]
    assert results.newest_detection(entries) is entries[1]
    assert results.newest_model_entry(entries) is entries[0]
    assert results.model_opinion(entries) is False
    assert results.is_passed(entries) is True
    assert results.is_correction(entries[1])
    assert not results.is_verdict(entries[1])
    assert results.model_opinion([correction(1, 1)]) is None


def test_a_correction_makes_the_verdict_undecided_again() -> None:
    entries = [detection(1), decision(2, "passed"), correction(3, 1, boxes=1)]
    assert results.current_verdict(entries) is Verdict.UNDECIDED
    assert results.is_passed(entries) is False
    assert results.current_verdict([*entries, decision(4, "failed")]) is Verdict.FAILED
    assert results.finished_detection([*entries, detection(4)]) == detection(4)


@pytest.mark.parametrize("progress", ["pending", "detecting", "error", "canceled"])
def test_unfinished_detection_does_not_hide_an_earlier_result(progress: str) -> None:
    entries = [detection(1), decision(2, "failed"), detection(3, None, progress)]
    assert results.is_passed(entries) is False
    assert results.current_verdict(entries) is Verdict.FAILED
    newest = results.newest_detection(entries)
    assert newest is not None
    assert newest["version"] == 3


def test_an_entry_without_a_version_has_its_place_in_the_list() -> None:
    entries: list[Entry] = [{"isPassed": True}, {"isPassed": False, "version": True}]
    assert [results.entry_version(entry, index) for index, entry in enumerate(entries)] == [1, 2]
    assert results.entry_version({"version": 9}, 1) == 9
    assert results.is_passed(entries) is False
    assert results.next_version(entries) == 3


def test_only_a_detection_of_the_service_is_under_way() -> None:
    running: Entry = {**detection(2, False, "detecting"), "job_id": "j1"}
    assert results.entry_job_id(running) == "j1"
    assert results.is_under_way(running)
    assert results.is_under_way({**running, "progress": "pending"})
    for progress in ("done", "error", "canceled", "50%"):
        assert not results.is_under_way({**running, "progress": progress})
    # No job will finish an entry of another client, a verdict or a correction.
    assert not results.is_under_way(client_entry(2, False, "detecting"))
    assert not results.is_under_way(cast(Entry, {**running, "job_id": 7}))
    corrected: Entry = {**correction(3, 2), "progress": "pending"}
    for by_person in (decision(3, "undecided"), corrected):
        assert results.entry_job_id({**by_person, "job_id": "j1"}) is None
        assert not results.is_under_way({**by_person, "job_id": "j1"})


def test_entry_of_a_client_is_not_a_model_opinion() -> None:
    entered = [client_entry(1)]
    assert results.is_passed(entered) is True
    assert results.has_client_result(entered)
    assert results.model_opinion(entered) is None
    assert results.acceptable_version(entered, "photo", None) is None
    assert results.finished_detection(entered) is results.newest_detection(entered) is None
    assert results.count_items([entered]) == results.Counters(items=1, undecided=1)


def test_entry_of_a_client_never_replaces_a_detection() -> None:
    failed = [detection(1, passed=False), client_entry(2)]
    assert results.model_opinion(failed) is False
    assert results.finished_detection(failed) is failed[0]
    without_result = [detection(1, False, "error"), client_entry(2)]
    assert results.newest_detection(without_result) is without_result[0]
    assert results.model_opinion(without_result) is None
    corrected = [client_entry(1), correction(2, 1, boxes=1)]
    assert results.finished_detection(corrected) is corrected[1]
    assert results.original_detection(corrected, corrected[1]) is None


def test_undecided_withdraws_the_verdict() -> None:
    entries = [detection(1), decision(2, "passed"), decision(3, "undecided")]
    assert results.is_passed(entries) is None
    assert results.current_verdict(entries) is Verdict.UNDECIDED


def test_label_of_another_client_counts_if_it_is_a_decision() -> None:
    assert results.is_passed([{"isPassed": True, "progress": "100%"}]) is True
    assert results.is_passed([{"isPassed": None, "progress": "done"}]) is None


@given(st.permutations([detection(1, passed=False), detection(2), decision(3, "failed"), detection(4)]))
def test_the_order_in_the_list_does_not_matter(entries: list[Entry]) -> None:
    assert results.is_passed(entries) is True
    assert results.next_version(entries) == 5


@pytest.mark.parametrize(
    ("items", "now", "status", "progress"),
    [
        ([], Status.NOT_STARTED, Status.NOT_STARTED, 0),
        ([], Status.IN_PROGRESS, Status.IN_PROGRESS, 0),
        ([], Status.PASSED, Status.IN_PROGRESS, 0),
        ([[]], Status.NOT_STARTED, Status.NOT_STARTED, 0),
        ([[]], Status.IN_PROGRESS, Status.IN_PROGRESS, 0),
        ([[]], Status.PASSED, Status.IN_PROGRESS, 0),
        ([[], [decision(1, "undecided")]], Status.FAILED, Status.IN_PROGRESS, 0),
        ([[]], Status.CANCELLED, Status.CANCELLED, 0),
        ([[detection(1)], []], Status.NOT_STARTED, Status.IN_PROGRESS, 50),
        ([[detection(1)], [detection(1)]], Status.IN_PROGRESS, Status.PASSED, 100),
        ([[detection(1)], [detection(1, passed=False)]], Status.IN_PROGRESS, Status.FAILED, 100),
        ([[detection(1)]], Status.CANCELLED, Status.CANCELLED, 100),
        ([[detection(1, None, Progress.PENDING)]], Status.NOT_STARTED, Status.NOT_STARTED, 0),
        ([[detection(1, None, Progress.PENDING)]], Status.IN_PROGRESS, Status.IN_PROGRESS, 0),
        ([[detection(1)], [], []], Status.PASSED, Status.IN_PROGRESS, 33),
    ],
)
def test_status_of_the_record_follows_its_items(
    items: list[list[Entry]], now: Status, status: Status, progress: int
) -> None:
    assert results.record_status(items, now) is status
    assert results.record_progress(items) == progress


@pytest.mark.parametrize(
    ("status", "sealed", "has_started", "state"),
    [
        (Status.NOT_STARTED, None, False, Status.NOT_STARTED),
        (Status.NOT_STARTED, None, True, Status.IN_PROGRESS),
        (Status.IN_PROGRESS, None, False, Status.IN_PROGRESS),
        (Status.PASSED, None, True, Status.IN_PROGRESS),
        (Status.FAILED, None, False, Status.IN_PROGRESS),
        (Status.CANCELLED, None, True, Status.CANCELLED),
        (Status.PASSED, Status.PASSED, True, Status.PASSED),
        (Status.PASSED, Status.FAILED, True, Status.FAILED),
    ],
)
def test_only_a_sealed_record_is_passed_or_failed(
    status: Status, sealed: Status | None, has_started: bool, state: Status
) -> None:
    assert results.record_state(status, sealed=sealed, has_started=has_started) is state


def test_incomplete_detection_has_findings_and_gives_no_opinion() -> None:
    passed: Entry = {"isPassed": True, "progress": "done", "version": 1, "job_id": "a"}
    incomplete: Entry = {"isPassed": False, "progress": "incomplete", "version": 2, "job_id": "b"}
    entries = [passed, incomplete]
    assert results.model_opinion(entries) is None
    assert results.is_passed(entries) is None
    assert results.acceptable_version(entries, "photo", None) is None
    assert results.finished_detection(entries) is incomplete


def test_light_from_another_side_is_known_only_where_a_detection_says_so() -> None:
    other: Entry = {"provenance": {"alignment": {"homography": [], "other_light": True}}}
    assert results.entry_other_light(other)
    assert not results.entry_other_light({"provenance": {"alignment": {"homography": []}}})
    assert not results.entry_other_light({"provenance": {"alignment": None}})
    assert not results.entry_other_light(None)


@pytest.mark.parametrize(
    ("entries", "photo", "gap"),
    [
        ([], None, "no_photo"),
        ([], "a", "not_detected"),
        # Another client says so.
        ([{"isPassed": True}], "a", "not_detected"),
        ([{"isPassed": True, "job_id": "j", "inputImage": {"file_id": "b"}}], "a", "not_detected"),
        ([{"isPassed": True, "job_id": "j", "inputImage": {"file_id": "a"}}], "a", None),
        (
            [
                {
                    "isPassed": False,
                    "job_id": "j",
                    "provenance": {"coverage": {"inspected": 0.9, "ignored": 0.0, "required": 0.95}},
                }
            ],
            "a",
            "incomplete_coverage",
        ),
    ],
)
def test_gap_of_an_inspection(entries: list[Entry], photo: str | None, gap: str | None) -> None:
    assert results.inspection_gap(entries, photo, None) == gap


_REGION: EntryRegion = {"x": 0.1, "y": 0.2, "w": 0.3, "h": 0.4, "ipfs_cid": "left"}
_MOVED: EntryRegion = {**_REGION, "x": 0.11}
_ON_ANOTHER_FILE: EntryRegion = {**_REGION, "ipfs_cid": "right"}
_ON_ANY_FILE: EntryRegion = {**_REGION, "ipfs_cid": None}


@pytest.mark.parametrize(
    ("inspected", "now", "is_changed"),
    [
        (_REGION, _REGION, False),
        (_REGION, _ON_ANY_FILE, False),
        (_REGION, _MOVED, True),
        (_REGION, _ON_ANOTHER_FILE, True),
        (_REGION, None, True),
        (None, _REGION, True),
        (None, None, False),
    ],
)
def test_result_of_another_region_is_none_of_this_one(
    inspected: EntryRegion | None, now: EntryRegion | None, is_changed: bool
) -> None:
    detected: Entry = {"isPassed": True, "job_id": "j", "version": 1, "provenance": {"region": inspected}}
    assert results.is_region_changed([detected], now) is is_changed
    assert (results.acceptable_version([detected], "photo", now) is None) is is_changed
    assert results.inspection_gap([detected], "photo", now) == ("region_changed" if is_changed else None)
    assert not results.is_region_changed([{**detected, "provenance": {}}], now), "of an earlier version"
