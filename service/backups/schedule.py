"""Computes when the next backup is due: each day at a time, or some hours after the last one. Pure."""

from __future__ import annotations

import datetime as dt
import re
from typing import NamedTuple

from service.settings import BACKUP_AT_PATTERN

FIRST_PAUSE = dt.timedelta(minutes=15)
LONGEST_PAUSE = dt.timedelta(hours=6)
LATE_TOLERANCE = dt.timedelta(hours=24)
"""How long a backup may be due before it is late: a machine may be off, and a first backup takes hours."""


class Schedule(NamedTuple):
    """A backup each day at `time_of_day` (local time), or every `hours`; the other field is None."""

    time_of_day: dt.time | None
    hours: int | None

    @property
    def interval(self) -> dt.timedelta:
        """The time from one backup to the next."""
        return dt.timedelta(hours=24 if self.hours is None else self.hours)


def parse_schedule(text: str) -> Schedule:
    """Parse a schedule such as "02:30" or "6h". Raises ValueError."""
    match = re.fullmatch(BACKUP_AT_PATTERN, text)
    if match is None:
        raise ValueError("enter a time of day such as 02:30, or hours such as 6h")
    if match["hours"]:
        return Schedule(None, int(match["hours"]))
    return Schedule(dt.time.fromisoformat(match["time"]), None)


def next_due_time(
    schedule: Schedule,
    last_good: dt.datetime | None,
    failures: int,
    last_failure: dt.datetime | None,
    now: dt.datetime,
) -> dt.datetime:
    """Return when the next backup is due; a past time means now. All times are in UTC.

    `failures` is the number of failed runs since the last good one. The next attempt waits 15 minutes, twice
    as long after each further failure, and at most six hours.
    """
    if last_good is None:
        due = now
    else:
        # `min`, so that a clock that was set back does not extend the wait.
        last = min(last_good, now)
        due = (
            last + schedule.interval
            if schedule.time_of_day is None
            else _next_day_time(schedule.time_of_day, last)
        )
    if failures and last_failure is not None:
        pause = min(FIRST_PAUSE * 2 ** min(failures - 1, 10), LONGEST_PAUSE)
        due = max(due, min(last_failure, now) + pause)
    return due


def _next_day_time(time_of_day: dt.time, last: dt.datetime) -> dt.datetime:
    day = last.astimezone().date()
    for days in range(3):
        # Without a time zone this is local time; the conversion finds the UTC offset of that day.
        due = dt.datetime.combine(day + dt.timedelta(days=days), time_of_day).astimezone(dt.UTC)
        if due > last:
            return due
    raise AssertionError("a day has this time")
