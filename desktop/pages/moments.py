"""Times as a person reads and types them: on this machine's clock, to the minute."""

from __future__ import annotations

from datetime import UTC, datetime

FORM = "%Y-%m-%d %H:%M"
EXAMPLE = "2026-05-31 14:30"


def minute(time: datetime | None) -> str:
    """A time of the service (a value without zone is UTC) on this machine's clock; empty for None."""
    if time is None:
        return ""
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone().strftime(FORM)


def typed_minute(text: str) -> datetime | None:
    """What was typed as `minute` writes it (seconds and a date alone are fine too), in UTC; None for nothing.

    Raises ValueError when it is no time.
    """
    cleaned = text.strip().replace("/", "-").replace("：", ":")
    if not cleaned:
        return None
    here = datetime.fromisoformat(cleaned)
    if not 1970 <= here.year <= 2200:
        raise ValueError("out of range")
    return here.astimezone(UTC)
