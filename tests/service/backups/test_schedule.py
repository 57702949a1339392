"""Tests when the next backup is due."""

from __future__ import annotations

import datetime as dt
import os
import time
from collections.abc import Iterator

import pytest
from pydantic import ValidationError

from service.backups.schedule import next_due_time, parse_schedule
from service.settings import Settings

NOON = dt.datetime(2026, 11, 23, 12, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A time zone with daylight saving time."""
    if os.name != "posix":
        pytest.skip("the zone of a process cannot be set")
    with monkeypatch.context() as context:
        context.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
        time.tzset()
        yield
    time.tzset()


def next_backup(
    text: str, last: dt.datetime | None, now: dt.datetime = NOON, failures: int = 0
) -> dt.datetime:
    return next_due_time(parse_schedule(text), last, failures, now if failures else None, now)


def test_first_backup_is_due_immediately() -> None:
    assert next_backup("02:30", None) == NOON
    assert next_backup("6h", None) == NOON


def test_backup_is_due_some_hours_after_the_last() -> None:
    assert next_backup("6h", NOON - 2 * HOUR) == NOON + 4 * HOUR


@pytest.mark.usefixtures("berlin")
def test_backup_is_due_at_the_local_time_of_day() -> None:
    assert next_backup("02:30", NOON) == dt.datetime(2026, 11, 24, 1, 30, tzinfo=dt.UTC)
    # A backup by command at midnight does not replace the scheduled one.
    assert next_backup("02:30", NOON.replace(hour=0)) == dt.datetime(2026, 11, 23, 1, 30, tzinfo=dt.UTC)
    # In the night without 02:30 the backup is at 01:30 or 03:30. In the night with 02:30 twice there is one.
    assert next_backup("02:30", dt.datetime(2026, 3, 28, 12, tzinfo=dt.UTC)).hour in (0, 1)
    first = next_backup("02:30", dt.datetime(2026, 10, 24, 12, tzinfo=dt.UTC))
    assert next_backup("02:30", first) - first > 20 * HOUR


def test_missed_backup_is_due_immediately() -> None:
    assert next_backup("02:30", NOON - 72 * HOUR) < NOON
    assert next_backup("6h", NOON - 7 * HOUR) < NOON


def test_clock_that_was_set_back_does_not_delay_a_backup() -> None:
    assert next_backup("6h", NOON + 1000 * HOUR) == NOON + 6 * HOUR


def test_each_failure_makes_the_wait_longer() -> None:
    waits = [next_backup("6h", NOON - 7 * HOUR, failures=number) - NOON for number in range(1, 8)]
    assert waits == [dt.timedelta(minutes=number) for number in (15, 30, 60, 120, 240, 360, 360)]
    assert next_backup("6h", None, failures=1) == NOON + HOUR / 4


@pytest.mark.parametrize("text", ["", "2:30", "24:00", "0h", "1000h", "6", "02:30 ", "h"])
def test_invalid_schedule_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="02:30"):
        parse_schedule(text)
    with pytest.raises(ValidationError):
        Settings(backup_at=text)


@pytest.mark.parametrize("place", ["backups", "./x", "ftp://host/x", "file:///x"])
def test_invalid_target_is_refused(place: str) -> None:
    with pytest.raises(ValidationError):
        Settings(backup_to=place)
