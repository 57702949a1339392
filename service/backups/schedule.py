"""Says when the next backup is due: each day at a time, or some hours after the last one. Pure."""

from __future__ import annotations

import datetime as dt
import re
from typing import NamedTuple

from service.settings import BACKUP_AT

FIRST_PAUSE = dt.timedelta(minutes=15)
LONGEST_PAUSE = dt.timedelta(hours=6)
LATE = dt.timedelta(hours=24)
"""A backup that is due for longer is late: a machine may be off at night, and a first backup takes hours."""


class Schedule(NamedTuple):
    """Each day at `at` (local time), or every `hours`; the other one is None."""

    at: dt.time | None
    hours: int | None

    @property
    def interval(self) -> dt.timedelta:
        """The time from one backup to the next."""
        return dt.timedelta(hours=24 if self.hours is None else self.hours)


def parse_schedule(text: str) -> Schedule:
    """The schedule that `text` says, like "02:30" or "6h". Raises ValueError."""
    match = re.fullmatch(BACKUP_AT, text)
    if match is None:
        raise ValueError("give a time of day like 02:30, or hours like 6h")
    if match["hours"]:
        return Schedule(None, int(match["hours"]))
    return Schedule(dt.time.fromisoformat(match["time"]), None)


def due_at(
    schedule: Schedule,
    last_good: dt.datetime | None,
    failures: int,
    last_failure: dt.datetime | None,
    now: dt.datetime,
) -> dt.datetime:
    """When the next backup is due; a time that has passed means at once. All times in UTC.

    `failures` counts the runs that failed since the last good one: the next attempt waits 15 minutes,
    twice as long after each further failure, at most six hours.
    """
    if last_good is None:
        due = now
    else:
        # A clock that was set back makes no wait longer.
        last = min(last_good, now)
        due = last + schedule.interval if schedule.at is None else _next_day_time(schedule.at, last)
    if failures and last_failure is not None:
        pause = min(FIRST_PAUSE * 2 ** min(failures - 1, 10), LONGEST_PAUSE)
        due = max(due, min(last_failure, now) + pause)
    return due


def _next_day_time(at: dt.time, last: dt.datetime) -> dt.datetime:
    day = last.astimezone().date()
    for ahead in range(3):
        # Without a zone, the local one: the offset of that day is found by the conversion.
        due = dt.datetime.combine(day + dt.timedelta(days=ahead), at).astimezone(dt.UTC)
        if due > last:
            return due
    raise AssertionError("a day has this time")
