"""Growth of findings over inspections."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.pages.workbench.trend.series import (
    DAYS_A_MONTH,
    Measured,
    Series,
    change_text,
    is_measured,
    point_text,
    series_of,
    series_text,
    table,
)
from shared.wire.history import Trend, TrendEntry

BEGIN = datetime(2026, 1, 10, 12, tzinfo=UTC)
IDENTITY = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def entry(number: int, *boxes: tuple[int | None, float, float], **more: Any) -> TrendEntry:
    """The inspection after `number` months, with findings given as (chain, width, height)."""
    corners = [{"x1": 0, "y1": 0, "x2": wide, "y2": high} for _, wide, high in boxes]
    photo = {"file_id": "f", "download_url": None, "ipfs_cid": None, "homography": IDENTITY}
    values = {
        "item_id": f"i{number}",
        "item_name": "蒙皮",
        "inspection_id": f"r{number}",
        "inspection_name": f"检查 {number}",
        "inspection_status": "in_progress",
        "at": BEGIN + timedelta(days=DAYS_A_MONTH * number),
        "passed": None,
        "verdict": "undecided",
        "reason": None,
        "decided_by": None,
        "found_by": None,
        "detected": True,
        "photo": photo,
        "findings": [
            {"label": "crack", "confidence": 0.9, "points": at, "reference": at, "chain": chain}
            for (chain, _, _), at in zip(boxes, corners, strict=True)
        ],
    }
    return TrendEntry.model_validate({**values, **more})


def trend(*entries: TrendEntry) -> Trend:
    return Trend(entries=list(entries), earlier=False)


def test_a_finding_is_one_series_and_its_size_is_the_longer_side() -> None:
    all_series = series_of(trend(entry(0, (0, 10, 4)), entry(1, (1, 3, 9), (0, 12, 4)), entry(2, (0, 8, 15))))
    assert [series.chain for series in all_series] == [0, 1]
    assert [point.size for series in all_series for point in series.points] == pytest.approx([10, 12, 15, 9])
    assert [point.index for point in all_series[0].points] == [0, 1, 2]


def test_the_size_does_not_grow_when_the_photo_is_turned() -> None:
    turned = [[0.8, -0.6, 50.0], [0.6, 0.8, 20.0], [0.0, 0.0, 1.0]]
    photo = {"file_id": "f", "download_url": None, "ipfs_cid": None, "homography": turned}
    (series,) = series_of(trend(entry(0, (0, 10, 4), photo=photo)))
    assert series.last.size == pytest.approx(10)


def test_finding_without_an_alignment_has_no_size() -> None:
    photo = {"file_id": "f", "download_url": None, "ipfs_cid": None, "homography": None}
    unaligned = entry(1, (None, 20, 4), photo=photo)
    assert series_of(trend(unaligned)) == []
    assert [is_measured(each) for each in (unaligned, entry(0), entry(0, photo=None))] == [False, True, False]
    assert not is_measured(entry(0, detected=False))


def test_a_series_is_broken_where_the_finding_was_not_seen() -> None:
    (series,) = series_of(
        trend(entry(0, (0, 10, 4)), entry(1, (0, 11, 4)), entry(2, photo=None), entry(3, (0, 14, 4)))
    )
    assert [[point.index for point in run] for run in series.runs()] == [[0, 1], [3]]
    before = series.before(3)
    assert before is not None
    assert before.index == 1


def make_series(*sizes: float, days: float = DAYS_A_MONTH) -> Series:
    points = (Measured(n, BEGIN + timedelta(days=days * n), size) for n, size in enumerate(sizes))
    return Series(0, "crack", tuple(points))


def test_a_line_needs_three_points_and_a_day() -> None:
    assert make_series(10, 12).monthly is None
    assert make_series(10, 12, 14).monthly == pytest.approx(2)
    assert make_series(10, 12, 14, days=0.1).monthly is None


@given(st.floats(-20, 20), st.floats(10, 1000), st.integers(3, 30), st.floats(1, 90))
def test_the_line_through_even_growth_is_that_growth(
    monthly: float, start: float, count: int, days: float
) -> None:
    sizes = [start + monthly * days * number / DAYS_A_MONTH for number in range(count)]
    assert make_series(*sizes, days=days).monthly == pytest.approx(monthly, abs=1e-3)


def test_growth_is_formatted_in_mm_or_in_px() -> None:
    series = make_series(10, 12.4, 15)
    assert series_text(series, 0.5) == (
        "crack 7.5 mm · +2.5 mm since 2026-01-10 · linear fit of 3 points: +1.3 mm per month"
    )
    assert point_text(series, series.points[1], 0.5) == "crack · 2026-02-09: 6.2 mm, +1.2 mm since 2026-01-10"
    assert point_text(series, series.points[0], None) == "crack · 2026-01-10: 10 px"
    assert series_text(make_series(10), None) == "crack 10 px"
    assert [change_text(change, 1.0) for change in (-1.0, 0.04)] == ["\N{MINUS SIGN}1.0 mm", "±0.0 mm"]


def test_the_table_has_a_row_for_each_finding_and_each_inspection_without() -> None:
    inspections = trend(
        entry(0, (0, 10, 4)), entry(1), entry(2, photo=None, detected=False), entry(3, (0, 14, 4), (1, 2, 6))
    )
    rows = table(inspections, series_of(inspections), 0.5)
    assert [row[5:] for row in rows[1:]] == [
        ["crack", 1, "10.0", "5.00", ""],
        ["No findings", "", "", "", ""],
        ["", "", "", "", ""],
        ["crack", 1, "14.0", "7.00", "2.00"],
        ["crack", 2, "6.0", "3.00", ""],
    ]
    assert [row[4] for row in rows[1:]] == ["", "", "Not photographed", "", ""]
    assert {len(row) for row in rows} == {10}
