"""Tests which sums an item contributes to, and how a chart divides its days."""

from __future__ import annotations

import datetime as dt
import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.statistics.rules import (
    DAYS_BY_DAY,
    LONGEST_NAME,
    MAX_DAYS,
    Cell,
    CountingPlace,
    Measure,
    Scope,
    cells,
    clean_name,
    differences,
    division,
    item_counts,
    local_day,
    month_start,
    week_start,
)

ORDINALS = st.dates(dt.date(1900, 1, 1), dt.date(2999, 12, 31)).map(dt.date.toordinal)


def make_box(label: str = "dent", origin: str = "model", x: int = 1) -> dict[str, Any]:
    points = {"x1": x, "y1": 1, "x2": x + 5, "y2": 6}
    return {"label": label, "confidence": 0.5, "points": points, "origin": origin}


def make_detection(*boxes: dict[str, Any], version: int = 1, model: int = 3) -> dict[str, Any]:
    return {
        "resultImage": {"boxes": list(boxes)},
        "isPassed": not boxes,
        "progress": "done",
        "version": version,
        "job_id": f"job-{version}",
        "provenance": {"model_id": "skin", "model_version": model},
    }


def make_correction(of_version: int, version: int, *boxes: dict[str, Any]) -> dict[str, Any]:
    entry = make_detection(*boxes, version=version)
    del entry["job_id"]
    return entry | {"provenance": {"alignment": None}, "correction": {"of_version": of_version}}


def make_verdict(version: int, value: str = "failed") -> dict[str, Any]:
    passed = None if value == "undecided" else value == "passed"
    return {"isPassed": passed, "progress": "done", "version": version, "verdict": {"value": value}}


def count_item(*entries: dict[str, Any]) -> dict[tuple[str, str], int]:
    return dict(item_counts("Nose", json.dumps(entries)))


def test_current_findings_are_counted_by_label_and_region() -> None:
    sums = count_item(make_detection(make_box("dent"), make_box("dent"), make_box("crack")))
    assert sums == {
        (Measure.LABEL, "dent"): 2,
        (Measure.LABEL, "crack"): 1,
        (Measure.REGION, "Nose"): 3,
    }


def test_unfinished_detection_is_not_counted() -> None:
    under_way = make_detection(make_box()) | {"progress": "detecting"}
    assert count_item(under_way) == {}
    assert item_counts("Nose", "no json") == {}
    assert item_counts("Nose", '{"a": 1}') == {}


def test_model_is_measured_after_a_decision() -> None:
    entries = [make_detection(make_box(), make_box("crack"))]
    assert (Measure.SHOWN, "skin@3") not in count_item(*entries)
    assert count_item(*entries, make_verdict(2))[Measure.SHOWN, "skin@3"] == 2
    assert (Measure.SHOWN, "skin@3") not in count_item(
        *entries, make_verdict(2, "passed"), make_detection(version=3)
    )


def test_removed_findings_are_false_alarms_and_drawn_ones_are_missed() -> None:
    first = make_detection(make_box("dent"), make_box("dent"), make_box("crack"))
    sums = count_item(
        first,
        make_correction(1, 2, make_box("crack", x=9), make_box("leak", "person"), make_box("leak", "person")),
    )
    assert sums[Measure.SHOWN, "skin@3"] == 3
    assert sums[Measure.REJECTED, "skin@3"] == 2
    assert sums[Measure.MISSED, "skin@3"] == 2
    assert sums[Measure.LABEL, "leak"] == 2


def test_second_correction_is_compared_with_the_detection() -> None:
    first = make_detection(make_box("dent"), make_box("crack"))
    second = make_correction(1, 2, make_box("dent"))
    sums = count_item(
        first, second, make_correction(2, 3, make_box("dent"), make_box("leak", "person")), make_verdict(4)
    )
    assert sums[Measure.SHOWN, "skin@3"] == 2
    assert sums[Measure.REJECTED, "skin@3"] == 1
    assert sums[Measure.MISSED, "skin@3"] == 1


def test_correction_of_a_removed_detection_is_not_counted_for_a_model() -> None:
    assert not [
        measure for measure, _ in count_item(make_correction(9, 2, make_box())) if measure == Measure.SHOWN
    ]
    in_a_circle = make_correction(2, 2, make_box())
    assert not [measure for measure, _ in count_item(in_a_circle) if measure == Measure.SHOWN]


@pytest.mark.parametrize("text", ["a\x00b", "\ud800", "界" * 400, "", None, 7])
def test_every_name_can_be_stored(text: object) -> None:
    name = clean_name(text)
    assert len(name) <= LONGEST_NAME
    assert "\x00" not in name
    assert name.encode()[:0] == b""


def test_day_begins_at_local_midnight() -> None:
    midnight = dt.datetime(2026, 5, 4).astimezone().astimezone(dt.UTC).replace(tzinfo=None)
    assert local_day(midnight) == dt.date(2026, 5, 4).toordinal()
    assert local_day(midnight - dt.timedelta.resolution) == dt.date(2026, 5, 3).toordinal()
    assert local_day(dt.datetime.min) >= 1
    assert local_day(dt.datetime.max) <= dt.date.max.toordinal()


def test_item_is_counted_in_eight_sums() -> None:
    day = dt.date(2026, 5, 14).toordinal()
    affected = list(cells(CountingPlace(day, "a", "e"), (Measure.LABEL, "dent")))
    assert len(set(affected)) == 8
    assert Cell("label", int(Scope.ALL), "", "", day, "dent") in affected
    assert Cell("label", int(Scope.MONTH | Scope.AIRCRAFT), "a", "", month_start(day), "dent") in affected


def test_only_differences_change_a_sum() -> None:
    place, other_place = CountingPlace(730_000, "a", ""), CountingPlace(730_000, "b", "")
    same = (place, (Measure.LABEL, "dent"), 2)
    assert differences([same], [same]) == {}
    changes = differences([same], [(other_place, (Measure.LABEL, "dent"), 2)])
    # The sums of all aircraft do not change.
    assert {cell.aircraft_id for cell in changes} == {"a", "b"}
    assert list(changes) == sorted(changes)


@given(ORDINALS, ORDINALS)
def test_periods_of_a_chart_cover_its_days_in_order(first: int, last: int) -> None:
    parts = division(first, last)
    periods = parts.periods
    assert periods[0].first.toordinal() == parts.first
    assert periods[-1].last.toordinal() == parts.last
    assert parts.last == max(last, parts.first)
    assert parts.last - parts.first < MAX_DAYS
    for before, after in itertools.pairwise(periods):
        assert after.first - before.last == dt.timedelta(days=1)
    assert len(periods) == len(parts.starts) <= 122
    for period, start in zip(periods, parts.starts, strict=True):
        assert (
            parts.part_start(period.first.toordinal()) == parts.part_start(period.last.toordinal()) == start
        )


@given(ORDINALS, st.integers(DAYS_BY_DAY, MAX_DAYS - 1))
def test_complete_months_are_within_the_days(last: int, days: int) -> None:
    parts = division(last - days, last)
    months = parts.whole_months
    if months is None:
        assert parts.last - parts.first < 62
        return
    first, final = months
    assert parts.first <= first <= parts.first + 31
    assert month_start(first) == first
    assert month_start(final) == final
    assert parts.last - 62 < final <= parts.last


@given(ORDINALS)
def test_week_begins_on_monday(day: int) -> None:
    assert dt.date.fromordinal(week_start(day)).weekday() == 0
    assert 0 <= day - week_start(day) <= 6
