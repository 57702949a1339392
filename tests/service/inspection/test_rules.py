from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.db.database import now
from service.inspection.rules import (
    Outcome,
    outcome,
    progress_and_status,
    verdict_entry,
)
from shared.record import results
from shared.record.codes import Status, Verdict
from shared.record.entries import Entry
from tests.narrowing import not_none

ENTRIES = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "isPassed": st.sampled_from([True, False, None]),
            "progress": st.sampled_from(["done", "pending", "detecting", "error", "canceled", "自定义"]),
            "version": st.integers(-2, 5),
            "verdict": st.sampled_from([{"value": "passed"}, {"value": "undecided"}, {"value": 3}, "x"]),
        },
    ),
    max_size=4,
)


@settings(max_examples=200, deadline=None)
@given(st.lists(ENTRIES, max_size=6), st.sampled_from(Status))
def test_progress_and_status_from_outcomes_equal_those_from_all_entries(
    items: list[list[Entry]], status: Status
) -> None:
    outcomes = Counter(outcome(entries) for entries in items)
    expected = results.record_progress(items), results.record_status(items, status)
    assert progress_and_status(outcomes, status) == expected


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([], Outcome.EMPTY),
        ([{}], Outcome.OPEN),
        ([{"isPassed": True}], Outcome.PASSED),
        ([{"isPassed": True, "progress": "error"}], Outcome.OPEN),
        ([{"isPassed": False}, {"progress": "detecting"}], Outcome.FAILED),
        ([{"isPassed": False, "version": 2}, {"isPassed": True, "version": 1}], Outcome.FAILED),
    ],
)
def test_outcome_of_an_item(entries: list[Entry], expected: Outcome) -> None:
    assert outcome(entries) is expected


@pytest.mark.parametrize(
    ("outcomes", "before", "progress", "after"),
    [
        ({}, Status.PASSED, 0, Status.IN_PROGRESS),
        ({}, Status.IN_PROGRESS, 0, Status.IN_PROGRESS),
        ({Outcome.EMPTY: 2}, Status.IN_PROGRESS, 0, Status.IN_PROGRESS),
        ({Outcome.EMPTY: 2}, Status.NOT_STARTED, 0, Status.NOT_STARTED),
        ({Outcome.EMPTY: 2, Outcome.PASSED: 1}, Status.NOT_STARTED, 33, Status.IN_PROGRESS),
        ({Outcome.PASSED: 3}, Status.IN_PROGRESS, 100, Status.PASSED),
        ({Outcome.PASSED: 3, Outcome.FAILED: 1}, Status.IN_PROGRESS, 100, Status.FAILED),
        ({Outcome.OPEN: 1}, Status.NOT_STARTED, 0, Status.NOT_STARTED),
        ({Outcome.OPEN: 1}, Status.FAILED, 0, Status.IN_PROGRESS),
        ({Outcome.PASSED: 1}, Status.CANCELLED, 100, Status.CANCELLED),
    ],
)
def test_status_rules(outcomes: dict[Outcome, int], before: Status, progress: int, after: Status) -> None:
    assert progress_and_status(outcomes, before) == (progress, after)


@pytest.mark.parametrize("verdict", Verdict)
def test_verdict_is_read_as_it_was_written(verdict: Verdict) -> None:
    entries: list[Entry] = [{"isPassed": True, "version": 7, "job_id": "j"}]
    entry = verdict_entry(entries, verdict, "看过了", "u1", "李伟", now())
    assert entry["version"] == 8
    assert not_none(entry["verdict"]["at"]).endswith("Z")
    assert results.current_verdict([*entries, entry]) is verdict
    expected = {Verdict.PASSED: True, Verdict.FAILED: False, Verdict.UNDECIDED: None}
    assert results.is_passed([*entries, entry]) is expected[verdict]
    assert results.model_opinion([*entries, entry]) is True
    assert (entry["inputImage"], entry["resultImage"]) == ({}, {"boxes": [], "resultImage": {}})
    assert entry["isPassed"] is (verdict is Verdict.PASSED)
