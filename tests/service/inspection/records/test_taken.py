from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.inspection.records.photos import taken_mark
from shared.wire.inspection import TakenMark

START = datetime(2026, 5, 1, 8)
END = datetime(2026, 5, 1, 12)
STORED = datetime(2026, 5, 20, 13, tzinfo=UTC)


@pytest.mark.parametrize(
    ("taken_at", "mark"),
    [
        ("2026-05-01T16:30:00+08:00", None),
        ("2026-05-01T15:56:00+08:00", None),
        ("2026-05-01T15:54:00+08:00", TakenMark.BEFORE_START),
        # In some time zone it was already later than the start.
        ("2026-04-30T20:01:00", None),
        ("2026-04-30T19:00:00", TakenMark.BEFORE_START),
        ("2026-05-02T12:00:00Z", None),
        ("2026-05-02T12:01:00Z", TakenMark.LONG_AFTER),
        ("2026-05-20T13:04:00Z", TakenMark.LONG_AFTER),
        ("2026-05-20T13:06:00Z", TakenMark.FUTURE),
        ("2026-05-21T03:00:00", TakenMark.LONG_AFTER),
        ("2026-05-21T03:06:00", TakenMark.FUTURE),
        ("0001-01-01T00:00:00", None),
        ("9999-12-31T23:59:59-12:00", None),
        (None, None),
    ],
)
def test_marks_of_unusual_times(taken_at: str | None, mark: TakenMark | None) -> None:
    assert taken_mark(taken_at, START, END, STORED) is mark


def test_record_without_an_end_or_a_start() -> None:
    assert taken_mark("2026-05-08T08:00:00Z", START, None, STORED) is None
    assert taken_mark("2026-05-08T08:01:00Z", START, None, STORED) is TakenMark.LONG_AFTER
    assert taken_mark("2020-01-01T00:00:00Z", None, None, STORED) is None


@given(st.datetimes(), st.none() | st.datetimes(), st.none() | st.datetimes())
def test_all_times_are_accepted(taken: datetime, start: datetime | None, end: datetime | None) -> None:
    taken_mark(taken.isoformat(), start, end, STORED)
