"""Tests the windows in which a backbone processes findings."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from service.detection.second_opinion.windows import MAX_WINDOWS, Cells, choose_windows, touched_cells
from shared.record.geometry import Rect

REGION = Rect(100, 50, 2000, 1000)


def box_at(x: float, y: float, side: float = 20) -> Rect:
    return Rect(x - side / 2, y - side / 2, side, side)


def test_finding_has_a_window_of_the_input_with_the_finding_near_its_middle() -> None:
    (window,) = choose_windows([box_at(1000, 500)], REGION, 448)
    assert (window.w, window.h) == (448, 448)
    x, y = window.centre
    assert max(abs(x - 1000), abs(y - 500)) <= 448 / 4


def test_findings_at_one_place_share_a_window() -> None:
    first, second, third = choose_windows(
        [box_at(1000, 500), box_at(1004, 497), box_at(2090, 60)], REGION, 448
    )
    assert first == second != third


def test_large_finding_has_a_larger_window() -> None:
    (window,) = choose_windows([box_at(1000, 500, 500)], REGION, 448)
    assert window.w == 4 * 448
    (whole,) = choose_windows([Rect(100, 50, 2000, 1000)], REGION, 448)
    assert whole.w == 2000


def test_small_region_is_enlarged_at_most_four_times() -> None:
    (window,) = choose_windows([box_at(60, 60)], Rect(0, 0, 300, 200), 448)
    assert (window.w, window.centre) == (300, (150, 100))
    (tiny,) = choose_windows([box_at(20, 20, 4)], Rect(0, 0, 40, 40), 448)
    assert (tiny.w, tiny.centre) == (112, (20, 20))


boxes = st.builds(
    Rect,
    st.floats(100, 2000),
    st.floats(50, 1000),
    st.floats(1, 100),
    st.floats(1, 50),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(boxes, min_size=1, max_size=30), st.sampled_from([64.0, 224.0, 448.0, 5000.0]))
def test_few_windows_contain_all_findings(findings: list[Rect], side: float) -> None:
    windows = choose_windows(findings, REGION, side)
    assert len(windows) == len(findings)
    assert len(set(windows)) <= MAX_WINDOWS
    for box, window in zip(findings, windows, strict=True):
        assert window.w == window.h
        # The part of the finding that is in the region.
        seen = box.intersection(REGION)
        assert window.intersection(seen).area >= 0.999 * seen.area


@settings(max_examples=100, deadline=None)
@given(boxes, st.integers(1, 64), st.integers(1, 64))
def test_cells_are_patches_of_the_window(box: Rect, rows: int, columns: int) -> None:
    cells = touched_cells(box, Rect(500, 200, 448, 448), rows, columns)
    assert 0 <= cells.top < cells.bottom <= rows
    assert 0 <= cells.left < cells.right <= columns


def test_cells_are_those_that_the_finding_touches() -> None:
    assert touched_cells(Rect(25, 9, 10, 2), Rect(0, 0, 100, 100), 10, 20) == Cells(0, 2, 5, 7)
