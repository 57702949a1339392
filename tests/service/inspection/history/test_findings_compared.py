"""Tests the rules that map findings to the reference image and pair them with earlier ones."""

from __future__ import annotations

import json
import math
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.inspection.history import comparison
from service.inspection.history.comparison import (
    ComparedFinding,
    Comparison,
    RegionPlace,
    compare,
    invert,
    map_rect,
    overlap,
    region_place,
)
from shared.record import results
from shared.record.entries import Entry, EntryBox, EntryCorners
from shared.record.findings import Finding
from shared.record.geometry import Rect
from shared.wire.history import FindingChange
from tests.service.inspection.conftest import SHIFT

numbers = st.floats(-2, 2)
boxes = st.lists(
    st.builds(Rect, st.floats(0, 50), st.floats(0, 50), st.floats(1, 20), st.floats(1, 20)), max_size=6
)


def finding_at(rect: Rect | None) -> ComparedFinding:
    return ComparedFinding(Finding("裂纹", 0.5, Rect(0, 0, 1, 1)), rect)


def test_place_is_read_from_the_stored_text() -> None:
    stored = {"point": {"x": 0.1, "y": 0.2, "w": 0.3, "h": 1}, "fileInfo": {"ipfs_cid": "c"}}
    assert region_place(json.dumps(stored)) == RegionPlace((0.1, 0.2, 0.3, 1.0), "c")
    assert region_place(json.dumps({"point": {"x": 1, "y": 2, "w": 3, "h": 4}})) == RegionPlace(
        (1, 2, 3, 4), None
    )
    assert region_place(None) is None
    assert region_place('{"point":null}') is None
    assert region_place("{}") is None
    assert region_place(f'{{"point":{{"x":{10**400},"y":0,"w":1,"h":1}}}}') is None


def test_regions_overlap_in_fractions_and_in_pixels() -> None:
    half = RegionPlace((0.0, 0.0, 0.5, 1.0), None)
    third = RegionPlace((0.0, 0.0, 0.25, 1.0), None)
    pixels = RegionPlace((0.0, 0.0, 100.0, 80.0), None)
    assert overlap(half, half, None) == 1.0
    assert overlap(half, third, None) == pytest.approx(0.5)
    assert overlap(half, third, (200, 80)) == pytest.approx(0.5)
    assert overlap(half, pixels, (200, 80)) == 1.0
    assert overlap(half, pixels, None) == 0.0
    assert overlap(pixels, pixels, None) == 1.0


def test_regions_on_different_files_never_overlap() -> None:
    point = (0.0, 0.0, 0.5, 0.5)
    assert overlap(RegionPlace(point, "a"), RegionPlace(point, "b"), None) == 0.0
    assert overlap(RegionPlace(point, "a"), RegionPlace(point, "a"), None) == 1.0
    assert overlap(RegionPlace(point, "a"), RegionPlace(point, None), None) == 1.0


def entry_with(matrix: Any) -> Entry:
    return {"provenance": {"alignment": {"homography": matrix}}}


def test_homography_is_three_rows_of_three_finite_numbers() -> None:
    assert results.entry_homography(entry_with(SHIFT)) == SHIFT
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
        assert results.entry_homography(entry_with(matrix)) is None, matrix
    incomplete: list[Entry] = [
        {},
        cast(Entry, {"provenance": 1}),
        {"provenance": {"alignment": None}},
        {"provenance": {}},
    ]
    for broken in incomplete:
        assert results.entry_homography(broken) is None


def test_singular_mapping_has_no_inverse() -> None:
    assert invert([[1, 0, 0], [2, 0, 0], [0, 0, 1]]) is None
    assert invert([[0, 0, 0]] * 3) is None
    assert invert([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.0, 0.0, 1.0]]) is None
    assert invert([[1e200] * 3, [1e200, 0.0, 1e200], [0.0, 1e200, 1e200]]) is None


@settings(deadline=None, max_examples=60)
@given(
    st.tuples(st.floats(0.5, 2), st.floats(-0.3, 0.3), numbers, numbers),
    st.tuples(st.floats(0, 900), st.floats(0, 700), st.floats(1, 90), st.floats(1, 90)),
)
def test_box_mapped_back_contains_the_original(
    turn: tuple[float, float, float, float], box: tuple[float, float, float, float]
) -> None:
    scale, skew, right, down = turn
    # Mirrored, scaled and tilted too: the determinant may be negative.
    matrix = [[scale, 0.0, right * 100], [0.0, -scale, down * 100], [skew / 10_000, 0.0, 1.0]]
    rect = Rect(*box)
    mapped_box = map_rect(rect, matrix, None)
    back = invert(matrix)
    assert mapped_box is not None
    assert back is not None
    again = map_rect(mapped_box, back, None)
    assert again is not None
    # The upright rectangle around a tilted one is never smaller.
    assert again.x <= rect.x + 1e-6
    assert again.y <= rect.y + 1e-6
    assert again.right >= rect.right - 1e-6
    assert again.bottom >= rect.bottom - 1e-6
    if skew == 0:
        assert (again.x, again.y, again.w, again.h) == pytest.approx((rect.x, rect.y, rect.w, rect.h))


def test_box_beyond_the_horizon_or_the_image_has_no_place() -> None:
    horizon = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-0.01, 0.0, 1.0]]
    assert map_rect(Rect(50, 0, 100, 10), horizon, None) is None
    assert map_rect(Rect(100, 0, 1, 1), horizon, None) is None
    assert map_rect(Rect(0, 0, 10, 10), SHIFT, (10, 20)) is None
    assert map_rect(Rect(0, 0, 10, 10), SHIFT, (15, 25)) == Rect(10, 20, 5, 5)


def test_findings_with_the_largest_overlap_are_paired() -> None:
    then = [
        finding_at(Rect(0, 0, 10, 10)),
        finding_at(Rect(100, 0, 10, 10)),
        finding_at(Rect(300, 0, 9, 9)),
        finding_at(None),
    ]
    now = [
        finding_at(Rect(100, 0, 12, 10)),
        finding_at(Rect(0, 0, 10, 13)),
        finding_at(Rect(500, 0, 9, 9)),
        finding_at(None),
    ]
    compared = compare(then, now)
    assert [change for change, _ in compared.changes] == [
        FindingChange.GROWN,
        FindingChange.UNCHANGED,
        FindingChange.GONE,
        None,
    ]
    assert [growth for _, growth in compared.changes] == [pytest.approx(1.3), pytest.approx(1.2), None, None]
    assert compared.appeared == (2,)


def test_each_finding_has_at_most_one_partner() -> None:
    then = [finding_at(Rect(0, 0, 10, 10))]
    now = [finding_at(Rect(0, 0, 10, 9)), finding_at(Rect(0, 0, 10, 10))]
    assert compare(then, now) == Comparison(((FindingChange.UNCHANGED, 1.0),), (0,))
    assert compare([], []) == Comparison((), ())
    apart = compare(then, [finding_at(Rect(9.5, 9.5, 10, 10))])
    assert apart == Comparison(((FindingChange.GONE, None),), (0,))


@settings(deadline=None, max_examples=60)
@given(boxes, boxes)
def test_every_finding_is_listed_once(then: list[Rect], now: list[Rect]) -> None:
    compared = compare([finding_at(rect) for rect in then], [finding_at(rect) for rect in now])
    pairs = sum(growth is not None for _, growth in compared.changes)
    assert len(compared.changes) == len(then)
    assert pairs + len(compared.appeared) == len(now)
    assert sum(change is FindingChange.GONE for change, _ in compared.changes) == len(then) - pairs
    for change, growth in compared.changes:
        assert (change is FindingChange.GROWN) == (growth is not None and growth > comparison.GROWTH)


def test_unreadable_findings_are_left_out() -> None:
    def box(x1: Any) -> EntryBox:
        return {"label": "x", "confidence": 1, "points": {"x1": x1, "y1": 0, "x2": 5, "y2": 5}}

    entry: Entry = {"resultImage": {"boxes": [box(1), box(10**400), box(-1e300)]}}
    assert [finding.finding.box for finding in comparison.findings(entry, None)] == [Rect(1, 0, 4, 5)]
    assert comparison.findings(None, None) == []
    assert comparison.findings({"resultImage": None}, None) == []


def test_only_the_most_confident_findings_count() -> None:
    points: EntryCorners = {"x1": 0, "y1": 0, "x2": 5, "y2": 5}
    boxes: list[EntryBox] = [{"label": str(n), "confidence": n / 1000, "points": points} for n in range(500)]
    surest = comparison.findings({"resultImage": {"boxes": boxes}}, None)
    assert [finding.finding.label for finding in surest] == [str(n) for n in range(499, 299, -1)]
