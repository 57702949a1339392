"""Tests which backups are kept."""

from __future__ import annotations

import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from service.backups.making import KEEP_ALL_PERIOD, Retention, times_to_keep

NIGHT = dt.datetime(2026, 11, 23, 2, 30, tzinfo=dt.UTC)
NIGHTS = [NIGHT - dt.timedelta(days=days) for days in range(500)]


def test_backups_of_a_year_are_thinned_out() -> None:
    kept_times = sorted(times_to_keep(NIGHTS, Retention(7, 5, 12)), reverse=True)
    assert kept_times[:7] == NIGHTS[:7]
    # The newest backup of a week is that of Sunday, the newest of a month that of its last day.
    assert [time.isoformat()[:10] for time in kept_times[7:]] == [
        *("2026-11-15", "2026-11-08", "2026-11-01", "2026-10-31", "2026-09-30", "2026-08-31", "2026-07-31"),
        *("2026-06-30", "2026-05-31", "2026-04-30", "2026-03-31", "2026-02-28", "2026-01-31", "2025-12-31"),
    ]


def test_backups_of_the_last_day_are_all_kept() -> None:
    hours = [NIGHT - dt.timedelta(hours=6 * number) for number in range(12)]
    kept_times = times_to_keep(hours, Retention(2, 0, 0))
    assert kept_times == {time for time in hours if NIGHT - time < KEEP_ALL_PERIOD} | {
        NIGHT.replace(day=22, hour=20)
    }


def test_daily_pruning_keeps_the_same_as_pruning_once() -> None:
    backups: set[dt.datetime] = set()
    for night in reversed(NIGHTS):
        backups = times_to_keep({*backups, night}, Retention(7, 5, 12))
    assert backups == times_to_keep(NIGHTS, Retention(7, 5, 12))


@given(
    st.sets(
        st.datetimes(dt.datetime(2020, 1, 1), dt.datetime(2030, 1, 1), timezones=st.just(dt.UTC)), max_size=60
    ),
    st.builds(Retention, st.integers(1, 9), st.integers(0, 9), st.integers(0, 9)),
)
def test_newest_backup_is_kept_and_no_time_is_added(times: set[dt.datetime], retention: Retention) -> None:
    kept_times = times_to_keep(times, retention)
    assert kept_times <= times
    assert not times or max(times) in kept_times
    assert len({time.date() for time in kept_times}) >= min(
        len({time.date() for time in times}), retention.daily
    )
    assert times_to_keep(kept_times, retention) == kept_times
