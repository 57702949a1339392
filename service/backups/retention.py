"""Decides which backups are kept: all of the last day, then one a day, a week and a month. Pure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

ALL_WITHIN = dt.timedelta(hours=24)
"""Before the newest backup: so far back each one is kept."""


class Retention(NamedTuple):
    """For how many days, weeks and months with a backup the newest one of each is kept."""

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
    """The times, in UTC, of the backups to keep; the newest is always among them."""
    ordered = sorted(set(times), reverse=True)
    if not ordered:
        return set()
    keep = {time for time in ordered if ordered[0] - time < ALL_WITHIN}
    for period, count in ((_day, retention.daily), (_week, retention.weekly), (_month, retention.monthly)):
        keep.update(_newest_of_each(ordered, period, count))
    return keep


def _newest_of_each(
    ordered: Iterable[dt.datetime], period: Callable[[dt.datetime], Hashable], count: int
) -> list[dt.datetime]:
    newest: dict[Hashable, dt.datetime] = {}
    for time in ordered:
        newest.setdefault(period(time), time)
    return list(newest.values())[:count]
