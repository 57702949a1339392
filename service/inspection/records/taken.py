"""Decides what is odd about the time that a camera wrote into a photo. Pure: no database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from shared.wire.inspection import TakenMark

_CLOCKS = timedelta(minutes=5)
"""Clocks that differ by no more are not marked."""
_WEST, _EAST = timedelta(hours=12), timedelta(hours=14)
"""The zones of the earth: a clock shows at most 12 h less and 14 h more than UTC."""
_AFTER_END = timedelta(days=1)
_AFTER_START = timedelta(days=7)


def taken_mark(
    taken_at: str | None, start: datetime | None, end: datetime | None, stored_at: datetime
) -> TakenMark | None:
    """What is odd about `taken_at` (`CameraData.taken_at`); None when nothing is, or that is not known.

    `start` and `end` of the record (UTC, without a zone) are None where it has none; `stored_at` is when its
    file was first uploaded (with a zone). A camera that gives no offset may be in any zone: only what is odd
    in all of them is marked.
    """
    if taken_at is None:
        return None
    taken = datetime.fromisoformat(taken_at)
    try:
        if taken.tzinfo is None:
            utc = taken.replace(tzinfo=UTC)
            earliest, latest = utc - _EAST, utc + _WEST
        else:
            earliest = latest = taken.astimezone(UTC)
        if earliest > stored_at + _CLOCKS:
            return TakenMark.FUTURE
        if start is not None and latest < start.replace(tzinfo=UTC) - _CLOCKS:
            return TakenMark.BEFORE_START
        last = end + _AFTER_END if end is not None else start + _AFTER_START if start is not None else None
    except OverflowError:
        # A time at the edge of what a clock can say.
        return None
    return TakenMark.LONG_AFTER if last is not None and earliest > last.replace(tzinfo=UTC) else None
