"""Formats and parses days and times in this machine's time zone, in the format of the language."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from PySide6.QtCore import QCoreApplication, QDate, QDateTime, QLocale, QTime

EXAMPLE_TIME = datetime(2026, 5, 31, 14, 30)
"""Example of a time for an empty input field; without a zone, so in this machine's time zone."""


def format_day(when: date) -> str:
    """Format a day."""
    return QLocale().toString(QDate(when.year, when.month, when.day), _day_form())


def format_minute(time: datetime | None) -> str:
    """Format a time of the service to the minute in this machine's time zone; an empty string for None.

    A value without a zone is UTC, here and in the functions below.
    """
    return "" if time is None else _format_local(_local(time), _minute_form())


def format_camera_minute(time: datetime) -> str:
    """Format the time of a camera's clock without converting it, with its offset from UTC if it has one."""
    offset = f"{time:%z}"
    return _format_local(time, _minute_form()) + (f" {offset[:3]}:{offset[3:5]}" if offset else "")


def format_second(time: datetime) -> str:
    """Format a time of the service to the second with the offset from UTC, for a log."""
    return f"{_format_local(_local(time), _second_form())} {_local(time).strftime('%z')}"


def format_minute_in_zone(time: datetime | None) -> str:
    """Format a time of the service to the minute with the name of the zone and in UTC, for a report.

    A dash for None. The day in UTC is left out if it is the same.
    """
    if time is None:
        return "–"
    local = _local(time)
    text = f"{format_minute(time)} {local.tzname()}"
    if not local.utcoffset():
        return text
    utc = local.astimezone(UTC)
    in_utc = _format_local(utc, _minute_form() if utc.date() != local.date() else _clock_form())
    return f"{text} ({in_utc} UTC)"


def format_recent(time: datetime) -> str:
    """Format a time of the service as "today" or "yesterday" with the time of day, or as a date."""
    local, today = _local(time), datetime.now().astimezone().date()
    clock = QLocale().toString(QTime(local.hour, local.minute), _clock_form())
    if local.date() == today:
        return QCoreApplication.translate("Moments", "today {clock}").format(clock=clock)
    if local.date() == today - timedelta(days=1):
        return QCoreApplication.translate("Moments", "yesterday {clock}").format(clock=clock)
    return format_day(local.date())


def example_minute() -> str:
    """Return an example of the format that `parse_minute` accepts."""
    return _format_local(EXAMPLE_TIME, _minute_form())


def parse_minute(text: str) -> datetime | None:
    """Parse typed text in the format of `format_minute`, also with seconds or a date only.

    Returns the time in UTC, or None for empty text. Raises ValueError when it is not a time.
    """
    cleaned = text.strip()
    if not cleaned:
        return None
    entered = QLocale().toDateTime(cleaned, _minute_form())
    local = _to_datetime(entered) if entered.isValid() else datetime.fromisoformat(_plain(cleaned))
    if not 1970 <= local.year <= 2200:
        raise ValueError("out of range")
    return local.astimezone(UTC)


def _plain(text: str) -> str:
    return text.replace("/", "-").replace("：", ":")


def _local(time: datetime) -> datetime:
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone()


def _format_local(local: datetime, form: str) -> str:
    moment = QDateTime(
        QDate(local.year, local.month, local.day), QTime(local.hour, local.minute, local.second)
    )
    return QLocale().toString(moment, form)


def _to_datetime(moment: QDateTime) -> datetime:
    on, at = moment.date(), moment.time()
    return datetime(on.year(), on.month(), on.day(), at.hour(), at.minute())


def _day_form() -> str:
    return QCoreApplication.translate("Moments", "yyyy-MM-dd", "a day, in the letters of QDate")


def _minute_form() -> str:
    return QCoreApplication.translate("Moments", "yyyy-MM-dd HH:mm", "a minute, in the letters of QDateTime")


def _second_form() -> str:
    return QCoreApplication.translate("Moments", "yyyy-MM-dd HH:mm:ss", "in the letters of QDateTime")


def _clock_form() -> str:
    return QCoreApplication.translate("Moments", "HH:mm", "a time of day, in the letters of QTime")
