"""Times in one form everywhere, written and read back in both languages."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import pytest
from PySide6.QtWidgets import QApplication

from desktop.localization.dates import (
    example_minute,
    format_day,
    format_minute,
    format_minute_in_zone,
    format_recent,
    format_second,
    parse_minute,
)
from desktop.localization.language import Language


@pytest.fixture(params=["en", "zh_CN"], autouse=True)
def language(request: pytest.FixtureRequest, qapp: QApplication, catalogues: None) -> Iterator[None]:
    spoken = Language()
    spoken.use(request.param)
    yield
    spoken.use("en")
    spoken.end()


@pytest.mark.parametrize("text", ["2026-05-31 14:30", "2026/05/31 14:30", " 2026-05-31 14:30 "])
def test_a_typed_minute_is_parsed(text: str) -> None:
    assert format_minute(parse_minute(text)) == "2026-05-31 14:30"


def test_the_example_can_be_parsed() -> None:
    assert format_minute(parse_minute(example_minute())) == example_minute()


def test_a_date_alone_and_seconds_are_parsed() -> None:
    assert format_minute(parse_minute("2026-05-31")) == "2026-05-31 00:00"
    assert format_minute(parse_minute("2026-05-31 14:30:59")) == "2026-05-31 14:30"
    assert parse_minute("  ") is None


@pytest.mark.parametrize("text", ["31.5.", "14:30", "2026-13-01", "0001-01-01"])
def test_invalid_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_minute(text)


def test_all_formats_show_the_same_day() -> None:
    local = datetime(2026, 5, 31, 14, 30, 5).astimezone()
    assert format_day(date(2026, 5, 31)) == "2026-05-31"
    assert format_minute(local) == "2026-05-31 14:30"
    assert format_second(local).startswith("2026-05-31 14:30:05 ")
    assert format_minute_in_zone(local).startswith(f"2026-05-31 14:30 {local.tzname()}")
    assert format_minute(None) == ""
    assert format_minute_in_zone(None) == "–"


def test_a_time_without_a_zone_is_utc() -> None:
    time = datetime(2026, 5, 31, 14, 30).astimezone()
    assert format_minute(time.astimezone(UTC).replace(tzinfo=None)) == "2026-05-31 14:30"


def test_recent_times_show_the_time_of_day_and_older_ones_the_date() -> None:
    noon = datetime.now().astimezone().replace(hour=12, minute=5)
    assert "12:05" in format_recent(noon)
    assert "12:05" in format_recent(noon - timedelta(days=1))
    assert format_recent(noon) != format_recent(noon - timedelta(days=1))
    assert format_recent(datetime(2021, 5, 31, 12, 5).astimezone()) == "2021-05-31"


@pytest.mark.parametrize(
    ("zone", "text"),
    [
        ("CST-8", "2026-05-31 14:30 CST (06:30 UTC)"),
        ("PST8", "2026-05-30 22:30 PST (2026-05-31 06:30 UTC)"),
        ("UTC0", "2026-05-31 06:30 UTC"),
    ],
)
def test_time_in_a_report_is_local_with_utc_beside_it(
    zone: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert format_minute_in_zone(datetime(2026, 5, 31, 6, 30, tzinfo=UTC)) == text
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()
