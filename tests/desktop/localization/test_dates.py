"""Times in one form everywhere, written and read back in both languages."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import pytest
from PySide6.QtWidgets import QApplication

from desktop.localization.dates import day, example, minute, minute_in_zone, nearby, second, typed_minute
from desktop.localization.language import Language


@pytest.fixture(params=["en", "zh_CN"], autouse=True)
def language(request: pytest.FixtureRequest, qapp: QApplication, catalogues: None) -> Iterator[None]:
    spoken = Language()
    spoken.use(request.param)
    yield
    spoken.use("en")
    spoken.end()


@pytest.mark.parametrize("text", ["2026-05-31 14:30", "2026/05/31 14:30", " 2026-05-31 14:30 "])
def test_a_minute_is_read_back_as_it_was_written(text: str) -> None:
    assert minute(typed_minute(text)) == "2026-05-31 14:30"


def test_the_example_is_one_that_can_be_typed() -> None:
    assert minute(typed_minute(example())) == example()


def test_a_day_alone_and_seconds_can_be_typed() -> None:
    assert minute(typed_minute("2026-05-31")) == "2026-05-31 00:00"
    assert minute(typed_minute("2026-05-31 14:30:59")) == "2026-05-31 14:30"
    assert typed_minute("  ") is None


@pytest.mark.parametrize("text", ["31.5.", "14:30", "2026-13-01", "0001-01-01"])
def test_invalid_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        typed_minute(text)


def test_every_form_says_the_day_alike() -> None:
    time = datetime(2026, 5, 31, 14, 30, 5).astimezone()
    assert day(date(2026, 5, 31)) == "2026-05-31"
    assert minute(time) == "2026-05-31 14:30"
    assert second(time).startswith("2026-05-31 14:30:05 ")
    assert minute_in_zone(time) == f"2026-05-31 14:30 {time.tzname()}"
    assert minute(None) == ""
    assert minute_in_zone(None) == "–"


def test_a_time_without_a_zone_is_utc() -> None:
    time = datetime(2026, 5, 31, 14, 30).astimezone()
    assert minute(time.astimezone(UTC).replace(tzinfo=None)) == "2026-05-31 14:30"


def test_today_and_yesterday_are_said_by_the_clock_and_older_days_by_their_date() -> None:
    noon = datetime.now().astimezone().replace(hour=12, minute=5)
    assert "12:05" in nearby(noon)
    assert "12:05" in nearby(noon - timedelta(days=1))
    assert nearby(noon) != nearby(noon - timedelta(days=1))
    assert nearby(datetime(2021, 5, 31, 12, 5).astimezone()) == "2021-05-31"
