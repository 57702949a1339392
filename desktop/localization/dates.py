"""Formats and parses days and times on this machine's clock, in the form of the language."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from PySide6.QtCore import QCoreApplication, QDate, QDateTime, QLocale, QTime

EXAMPLE = datetime(2026, 5, 31, 14, 30)
"""What to show a person who typed no time; without a zone, on this machine's clock."""


def day(when: date) -> str:
    """A day of this machine's calendar."""
    return QLocale().toString(QDate(when.year, when.month, when.day), _day_form())


def minute(time: datetime | None) -> str:
    """A time of the service (a value without zone is UTC) on this machine's clock; empty for None."""
    return "" if time is None else _formatted(_local(time), _minute_form())


def clock_minute(time: datetime) -> str:
    """A time as another clock showed it, with its offset from UTC where it has one."""
    offset = f"{time:%z}"
    return _formatted(time, _minute_form()) + (f" {offset[:3]}:{offset[3:5]}" if offset else "")


def second(time: datetime) -> str:
    """The same to the second, with the zone: for a log."""
    return f"{_formatted(_local(time), _second_form())} {_local(time).strftime('%z')}"


def minute_in_zone(time: datetime | None) -> str:
    """The same to the minute, with the name of the zone: for what is read elsewhere. A dash for None."""
    return "–" if time is None else f"{minute(time)} {_local(time).tzname()}"


def nearby(time: datetime) -> str:
    """A time of the service: today and yesterday by the clock, every other day by its date."""
    local, today = _local(time), datetime.now().astimezone().date()
    clock = QLocale().toString(QTime(local.hour, local.minute), _clock_form())
    if local.date() == today:
        return QCoreApplication.translate("Moments", "today {clock}").format(clock=clock)
    if local.date() == today - timedelta(days=1):
        return QCoreApplication.translate("Moments", "yesterday {clock}").format(clock=clock)
    return day(local.date())


def example() -> str:
    """A minute as a person may type it."""
    return _formatted(EXAMPLE, _minute_form())


def typed_minute(text: str) -> datetime | None:
    """What was typed as `minute` writes it (seconds and a date alone are fine too), in UTC; None for nothing.

    Raises ValueError when it is no time.
    """
    cleaned = text.strip()
    if not cleaned:
        return None
    entered = QLocale().toDateTime(cleaned, _minute_form())
    local = _from_qt(entered) if entered.isValid() else datetime.fromisoformat(_plain(cleaned))
    if not 1970 <= local.year <= 2200:
        raise ValueError("out of range")
    return local.astimezone(UTC)


def _plain(text: str) -> str:
    return text.replace("/", "-").replace("：", ":")


def _local(time: datetime) -> datetime:
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone()


def _formatted(local: datetime, form: str) -> str:
    moment = QDateTime(
        QDate(local.year, local.month, local.day), QTime(local.hour, local.minute, local.second)
    )
    return QLocale().toString(moment, form)


def _from_qt(moment: QDateTime) -> datetime:
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
