"""Computes the contributions of records and items to the sums, and the periods of a chart. Pure."""

from __future__ import annotations

import datetime as dt
import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntFlag, StrEnum
from typing import NamedTuple, cast

from shared.record import findings, results
from shared.record.codes import Origin
from shared.record.entries import Entry
from shared.wire.statistics import Period

MODEL_SIGN = "@"
"""Separates id and version in the name of a model."""
LONGEST_NAME = 255

DAYS_BY_DAY = 45
DAYS_BY_WEEK = 400
"""The most days of a chart with a bar for each day, or each week, so that it has about fifty bars at most."""
MAX_DAYS = 3_660
"""Ten years, so that a single record with a mistyped year does not give a chart of centuries."""
_EARLIEST, _LATEST = dt.date(1900, 1, 1).toordinal(), dt.date(2999, 12, 31).toordinal()


class Measure(StrEnum):
    """What is counted; its name is a state, a label, the name of an item, an aircraft or a model."""

    STATE = "state"
    """Records, by their `record_state`."""
    FINISHED = "finished"
    """Records with a start and an end."""
    SECONDS = "seconds"
    """The seconds between start and end."""
    LABEL = "label"
    """Present findings, by their label."""
    REGION = "region"
    """Present findings, by the name of their item."""
    AIRCRAFT = "aircraft"
    """Present findings, by the aircraft of their record."""
    SHOWN = "shown"
    """Findings of a model in items that a person corrected or decided."""
    REJECTED = "rejected"
    """Findings of a model that a correction removed."""
    MISSED = "missed"
    """Findings that a person drew."""


AGREEMENT = (Measure.SHOWN, Measure.REJECTED, Measure.MISSED)


class Scope(IntFlag):
    """The scope of a sum: one day and all records, unless flags narrow or widen it."""

    ALL = 0
    MONTH = 1
    AIRCRAFT = 2
    EXECUTOR = 4


class CountingPlace(NamedTuple):
    """The day, aircraft and executor that something is counted for."""

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
"""The sum that exists once every record was counted."""
MeasureName = tuple[str, str]
"""A measure and a name."""


def clean_name(text: object) -> str:
    """Return `text` as a name: short enough for a key, and with characters that every database stores."""
    name = text if isinstance(text, str) else ""
    return name.replace("\x00", "").encode("utf-8", "replace").decode()[:LONGEST_NAME]


def local_day(moment: dt.datetime) -> int:
    """Return the ordinal of the local day of a moment in UTC, in the time zone of this machine."""
    try:
        return moment.replace(tzinfo=dt.UTC).astimezone().toordinal()
    except (OverflowError, OSError, ValueError):
        # At the ends of the calendar the conversion to a time zone leads out of it.
        return moment.toordinal()


def month_start(day: int) -> int:
    """Return the ordinal of the first day of the month of `day`."""
    return dt.date.fromordinal(day).replace(day=1).toordinal()


def item_counts(item_name: str, result: str) -> Counter[MeasureName]:
    """Return the contributions of an item with this result."""
    entries = _parse_entries(result)
    measure_name: Counter[MeasureName] = Counter()
    present = results.finished_detection(entries)
    boxes = list(findings.readable_boxes(present))
    for box in boxes:
        measure_name[Measure.LABEL, clean_name(str(box["label"]))] += 1
    if boxes:
        measure_name[Measure.REGION, clean_name(item_name)] = len(boxes)
    measure_name.update(_count_agreement(entries, present))
    return measure_name


def _parse_entries(result: str) -> list[Entry]:
    try:
        content = json.loads(result)
    except ValueError:
        return []
    return (
        [cast(Entry, entry) for entry in content if isinstance(entry, dict)]
        if isinstance(content, list)
        else []
    )


def _count_agreement(entries: Sequence[Entry], present: Entry | None) -> dict[MeasureName, int]:
    """Count how a person judged a model's findings; empty until a person has decided or corrected them."""
    if present is None:
        return {}
    is_correction = results.is_correction(present)
    current = results.current_entry(entries)
    if not is_correction and (current is None or not results.is_verdict(current)):
        return {}
    detection = results.original_detection(entries, present)
    model = None if detection is None else _model_name(detection)
    if detection is None or model is None:
        return {}
    model_findings = len(list(findings.readable_boxes(detection)))
    boxes = list(findings.readable_boxes(present)) if is_correction else []
    person_findings = sum(box.get("origin") == Origin.PERSON for box in boxes)
    # A box that a person moved or relabelled still counts as found by the model.
    rejected_findings = max(model_findings - (len(boxes) - person_findings), 0) if is_correction else 0
    counts = {
        Measure.SHOWN: model_findings,
        Measure.REJECTED: rejected_findings,
        Measure.MISSED: person_findings,
    }
    return {(measure, model): count for measure, count in counts.items() if count}


def _model_name(detection: Entry) -> str | None:
    provenance = detection.get("provenance")
    model_id = provenance.get("model_id") if isinstance(provenance, Mapping) else None
    if not isinstance(model_id, str):
        return None
    version = provenance.get("model_version") if isinstance(provenance, Mapping) else None
    return clean_name(f"{model_id}{MODEL_SIGN}{'' if version is None else version}")


def cells(place: CountingPlace, measure_name: MeasureName) -> Iterator[Cell]:
    """Yield the sums that a count belongs to: each combination of all or its aircraft, executor and month."""
    measure, name = measure_name
    for scope in map(Scope, range(Scope.MONTH | Scope.AIRCRAFT | Scope.EXECUTOR, -1, -1)):
        yield Cell(
            str(measure),
            int(scope),
            place.aircraft_id if Scope.AIRCRAFT in scope else "",
            place.executor_id if Scope.EXECUTOR in scope else "",
            month_start(place.day) if Scope.MONTH in scope else place.day,
            name,
        )


class Division(NamedTuple):
    """The parts of a chart from `first` to `last` (ordinals, inclusive)."""

    first: int
    last: int
    unit: str

    @property
    def starts(self) -> list[int]:
        """The ordinals of the first days of the parts; the first part may begin before `first`."""
        if self.unit == "day":
            return list(range(self.first, self.last + 1))
        if self.unit == "week":
            return list(range(week_start(self.first), self.last + 1, 7))
        starts = itertools.accumulate(
            itertools.repeat(None), next_month_start, initial=month_start(self.first)
        )
        return list(itertools.takewhile(lambda start: start <= self.last, starts))

    @property
    def periods(self) -> list[Period]:
        """The parts as periods, cut off at both ends."""
        starts = self.starts
        ends = [start - 1 for start in starts[1:]] + [self.last]
        return [
            Period(first=dt.date.fromordinal(max(start, self.first)), last=dt.date.fromordinal(end))
            for start, end in zip(starts, ends, strict=True)
        ]

    def part_start(self, day: int) -> int:
        """Return the first day of the part that contains `day`."""
        if self.unit == "day":
            return day
        return week_start(day) if self.unit == "week" else month_start(day)

    @property
    def whole_months(self) -> tuple[int, int] | None:
        """The first days of the first and the last complete month; None if there is none."""
        first = month_start(self.first)
        first = first if first == self.first else next_month_start(first)
        last = month_start(self.last)
        last = last if next_month_start(last) - 1 == self.last else month_start(last - 1)
        return (first, last) if first <= last else None


def week_start(day: int) -> int:
    """Return the ordinal of the Monday of the week of `day`."""
    return day - (day - 1) % 7


def next_month_start(start: int, _: object = None) -> int:
    """Return the first day after the month that begins on `start`."""
    return month_start(start + 31)


def division(first: int, last: int) -> Division:
    """Divide these days, at most the last ten years of them, into a readable number of parts."""
    last = min(max(last, _EARLIEST), _LATEST)
    first = min(max(first, last - MAX_DAYS + 1, _EARLIEST), last)
    days = last - first + 1
    unit = "day" if days <= DAYS_BY_DAY else "week" if days <= DAYS_BY_WEEK else "month"
    return Division(first, last, unit)


def differences(
    old_amounts: Iterable[tuple[CountingPlace, MeasureName, int]],
    new_amounts: Iterable[tuple[CountingPlace, MeasureName, int]],
) -> dict[Cell, int]:
    """Return the amounts to add to the sums, by sorted keys: transactions that lock them cannot deadlock."""
    amounts: Counter[tuple[CountingPlace, MeasureName]] = Counter()
    for place, measure_name, amount in old_amounts:
        amounts[place, measure_name] -= amount
    for place, measure_name, amount in new_amounts:
        amounts[place, measure_name] += amount
    changes: Counter[Cell] = Counter()
    for (place, measure_name), amount in amounts.items():
        if amount:
            for cell in cells(place, measure_name):
                changes[cell] += amount
    return {cell: amount for cell, amount in sorted(changes.items()) if amount}
