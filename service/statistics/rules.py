"""Decides what a record and an item contribute to the sums, and how a chart divides its days. Pure."""

from __future__ import annotations

import datetime as dt
import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntFlag, StrEnum
from typing import NamedTuple, cast

from shared import findings, results
from shared.codes import Origin
from shared.entries import Entry
from shared.wire.statistics import Period

MODEL_SIGN = "@"
"""Between id and version in the name of a model."""
LONGEST_NAME = 255

DAYS_BY_DAY = 45
DAYS_BY_WEEK = 400
"""A chart of more days than these has a bar for each week, or each month: at most some fifty bars."""
MOST_DAYS = 3_660
"""Ten years: a single record with a mistyped year does not make a chart of centuries."""
_EARLIEST, _LATEST = dt.date(1900, 1, 1).toordinal(), dt.date(2999, 12, 31).toordinal()


class Measure(StrEnum):
    """What is counted. The name says of what: a state, a label, an item name, an aircraft, a model."""

    STATE = "state"
    """Records, by their `record_state`."""
    FINISHED = "finished"
    """Records with a start and an end."""
    SECONDS = "seconds"
    """The seconds between the two."""
    LABEL = "label"
    """Present findings, by their label."""
    REGION = "region"
    """Present findings, by the name of their item."""
    AIRCRAFT = "aircraft"
    """Present findings, by the aircraft of their record."""
    SHOWN = "shown"
    """Findings of a model that a person has looked at: the item was corrected or decided."""
    REJECTED = "rejected"
    """Those of them that a correction took away."""
    MISSED = "missed"
    """Findings that a person drew."""


AGREEMENT = (Measure.SHOWN, Measure.REJECTED, Measure.MISSED)


class Scope(IntFlag):
    """Which sums: of days of all records, unless it says more."""

    ALL = 0
    MONTH = 1
    AIRCRAFT = 2
    EXECUTOR = 4


class CountingPlace(NamedTuple):
    """Where something is counted: day, aircraft, executor."""

    day: int
    aircraft_id: str
    executor_id: str


class Cell(NamedTuple):
    """The key of a sum, in the order of its columns."""

    measure: str
    scope: int
    aircraft_id: str
    executor_id: str
    day: int
    name: str


COMPLETE = Cell("complete", 0, "", "", 0, "")
"""The sum that is there once every record was counted."""
Counted = tuple[str, str]
"""A measure and a name."""


def name_of(text: object) -> str:
    """`text` as a name: short enough for a key, and with characters that every database stores."""
    name = text if isinstance(text, str) else ""
    return name.replace("\x00", "").encode("utf-8", "replace").decode()[:LONGEST_NAME]


def day_of(moment: dt.datetime) -> int:
    """The ordinal of the day of a moment in UTC, by the clock of this machine."""
    try:
        return moment.replace(tzinfo=dt.UTC).astimezone().toordinal()
    except (OverflowError, OSError, ValueError):
        # At the ends of the calendar a zone leads outside of it.
        return moment.toordinal()


def month_of(day: int) -> int:
    """The ordinal of the first day of the month of `day`."""
    return dt.date.fromordinal(day).replace(day=1).toordinal()


def item_counts(item_name: str, result: str) -> Counter[Counted]:
    """What an item with this result contributes."""
    entries = _entries(result)
    counted: Counter[Counted] = Counter()
    present = results.finished_detection(entries)
    boxes = list(findings.readable_boxes(present))
    for box in boxes:
        counted[Measure.LABEL, name_of(str(box["label"]))] += 1
    if boxes:
        counted[Measure.REGION, name_of(item_name)] = len(boxes)
    counted.update(_agreement(entries, present))
    return counted


def _entries(result: str) -> list[Entry]:
    try:
        content = json.loads(result)
    except ValueError:
        return []
    return (
        [cast(Entry, entry) for entry in content if isinstance(entry, dict)]
        if isinstance(content, list)
        else []
    )


def _agreement(entries: Sequence[Entry], present: Entry | None) -> dict[Counted, int]:
    """What a person made of a model's findings; empty until one has decided or corrected them."""
    if present is None:
        return {}
    corrected = results.is_correction(present)
    decided = results.current(entries)
    if not corrected and (decided is None or not results.is_verdict(decided)):
        return {}
    detection = results.model_origin(entries, present)
    model = None if detection is None else _model(detection)
    if detection is None or model is None:
        return {}
    shown = len(list(findings.readable_boxes(detection)))
    boxes = list(findings.readable_boxes(present)) if corrected else []
    drawn = sum(box.get("origin") == Origin.PERSON for box in boxes)
    # A box that was moved or given another label was found all the same.
    rejected = max(shown - (len(boxes) - drawn), 0) if corrected else 0
    counts = {Measure.SHOWN: shown, Measure.REJECTED: rejected, Measure.MISSED: drawn}
    return {(measure, model): count for measure, count in counts.items() if count}


def _model(detection: Entry) -> str | None:
    provenance = detection.get("provenance")
    model_id = provenance.get("model_id") if isinstance(provenance, Mapping) else None
    if not isinstance(model_id, str):
        return None
    version = provenance.get("model_version") if isinstance(provenance, Mapping) else None
    return name_of(f"{model_id}{MODEL_SIGN}{'' if version is None else version}")


def cells(place: CountingPlace, counted: Counted) -> Iterator[Cell]:
    """The sums that something counted at a place belongs to: of all and its own aircraft, executor, month."""
    measure, name = counted
    for scope in map(Scope, range(Scope.MONTH | Scope.AIRCRAFT | Scope.EXECUTOR, -1, -1)):
        yield Cell(
            str(measure),
            int(scope),
            place.aircraft_id if Scope.AIRCRAFT in scope else "",
            place.executor_id if Scope.EXECUTOR in scope else "",
            month_of(place.day) if Scope.MONTH in scope else place.day,
            name,
        )


class Division(NamedTuple):
    """How a chart from `first` to `last` (ordinals, inclusive) divides its days."""

    first: int
    last: int
    unit: str

    @property
    def starts(self) -> list[int]:
        """The ordinals of the first days of its parts; the first part may begin before `first`."""
        if self.unit == "day":
            return list(range(self.first, self.last + 1))
        if self.unit == "week":
            return list(range(week_of(self.first), self.last + 1, 7))
        starts = itertools.accumulate(itertools.repeat(None), next_month, initial=month_of(self.first))
        return list(itertools.takewhile(lambda start: start <= self.last, starts))

    @property
    def periods(self) -> list[Period]:
        """Its parts, cut off at both ends."""
        starts = self.starts
        ends = [start - 1 for start in starts[1:]] + [self.last]
        return [
            Period(first=dt.date.fromordinal(max(start, self.first)), last=dt.date.fromordinal(end))
            for start, end in zip(starts, ends, strict=True)
        ]

    def start_of(self, day: int) -> int:
        """The first day of the part that `day` is in."""
        if self.unit == "day":
            return day
        return week_of(day) if self.unit == "week" else month_of(day)

    @property
    def whole_months(self) -> tuple[int, int] | None:
        """The first days of the first and the last month that lie wholly in it; None without one."""
        first = month_of(self.first)
        first = first if first == self.first else next_month(first)
        last = month_of(self.last)
        last = last if next_month(last) - 1 == self.last else month_of(last - 1)
        return (first, last) if first <= last else None


def week_of(day: int) -> int:
    """The ordinal of the Monday of the week of `day`."""
    return day - (day - 1) % 7


def next_month(start: int, _: object = None) -> int:
    """The first day after the month that begins on `start`."""
    return month_of(start + 31)


def division(first: int, last: int) -> Division:
    """The division of these days that has a readable number of parts; at most the last ten years of them."""
    last = min(max(last, _EARLIEST), _LATEST)
    first = min(max(first, last - MOST_DAYS + 1, _EARLIEST), last)
    days = last - first + 1
    unit = "day" if days <= DAYS_BY_DAY else "week" if days <= DAYS_BY_WEEK else "month"
    return Division(first, last, unit)


def differences(
    before: Iterable[tuple[CountingPlace, Counted, int]], after: Iterable[tuple[CountingPlace, Counted, int]]
) -> dict[Cell, int]:
    """What has to be added to the sums, by their keys in order: all lock them in the same one."""
    amounts: Counter[tuple[CountingPlace, Counted]] = Counter()
    for place, counted, amount in before:
        amounts[place, counted] -= amount
    for place, counted, amount in after:
        amounts[place, counted] += amount
    changes: Counter[Cell] = Counter()
    for (place, counted), amount in amounts.items():
        if amount:
            for cell in cells(place, counted):
                changes[cell] += amount
    return {cell: amount for cell, amount in sorted(changes.items()) if amount}
