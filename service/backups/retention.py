"""Decides which backups are kept: all of the last day, then one a day, a week and a month. Pure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

KEEP_ALL_PERIOD = dt.timedelta(hours=24)
"""The period before the newest backup in which every backup is kept."""


class Retention(NamedTuple):
    """The number of days, weeks and months with a backup of which the newest one is kept."""

    daily: int
    weekly: int
    monthly: int


def _day(time: dt.datetime) -> Hashable:
    return time.date()


def _week(time: dt.datetime) -> Hashable:
    return time.isocalendar()[:2]


def _month(time: dt.datetime) -> Hashable:
    return (time.year, time.month)


def times_to_keep(times: Iterable[dt.datetime], retention: Retention) -> set[dt.datetime]:
    """Return the times (UTC) of the backups to keep, always including the newest."""
    newest_first = sorted(set(times), reverse=True)
    if not newest_first:
        return set()
    kept_times = {time for time in newest_first if newest_first[0] - time < KEEP_ALL_PERIOD}
    for period, count in ((_day, retention.daily), (_week, retention.weekly), (_month, retention.monthly)):
        kept_times.update(_newest_of_each(newest_first, period, count))
    return kept_times


def _newest_of_each(
    newest_first: Iterable[dt.datetime], period: Callable[[dt.datetime], Hashable], count: int
) -> list[dt.datetime]:
    newest: dict[Hashable, dt.datetime] = {}
    for time in newest_first:
        newest.setdefault(period(time), time)
    return list(newest.values())[:count]
