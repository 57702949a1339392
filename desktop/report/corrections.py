"""Counts what people changed of a model's findings, for the entry of an item in a report. Pure: no Qt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from shared.names import signature
from shared.record import results
from shared.record.entries import Entry, EntryBox
from shared.record.findings import box_corners, match_boxes, readable_boxes


@dataclass(frozen=True, slots=True)
class ReportedCorrection:
    """A correction of findings: who made it, when, and how many findings it changed in which way.

    `by` is the name with the username, empty if unknown. A relabelled finding is not also `graded`, and
    `accepted` counts only those that changed in no other way.
    """

    by: str
    at: datetime | None
    deleted: int = 0
    drawn: int = 0
    relabelled: int = 0
    moved: int = 0
    graded: int = 0
    accepted: int = 0


def read_corrections(
    entries: Sequence[Entry], entry: Entry | None, usernames: Mapping[str, str]
) -> tuple[ReportedCorrection, ...]:
    """The corrections that led to the findings of `entry`, oldest first; empty without a correction.

    `usernames`: by the ids of users.
    """
    by_version = {results.entry_version(other, index): other for index, other in enumerate(entries)}
    found: list[ReportedCorrection] = []
    # A version is corrected by a later one: more steps than entries would be a circle.
    for _ in entries:
        if entry is None or not results.is_correction(entry):
            break
        before = by_version.get(entry["correction"]["of_version"])
        found.append(_read_correction(entry, before, usernames))
        entry = before
    return tuple(reversed(found))


def _read_correction(entry: Entry, before: Entry | None, usernames: Mapping[str, str]) -> ReportedCorrection:
    correction = entry["correction"]
    name = str(correction.get("by_name") or correction.get("by") or "")
    changes: Counter[str] = Counter()
    if before is not None:
        changes = _count_changes(list(readable_boxes(before)), list(readable_boxes(entry)))
    return ReportedCorrection(
        signature(name, usernames.get(str(correction.get("by")))),
        parse_time(correction.get("at")),
        **changes,
    )


def _count_changes(before: Sequence[EntryBox], after: Sequence[EntryBox]) -> Counter[str]:
    """Count the changes by the fields of `ReportedCorrection`."""
    matches = match_boxes(before, after)
    pairs = [(before[place], box) for place, box in zip(matches, after, strict=True) if place is not None]
    changes = Counter({"deleted": len(before) - len(pairs), "drawn": len(after) - len(pairs)})
    for old, new in pairs:
        is_moved = box_corners(old) != box_corners(new)
        changes["moved"] += is_moved
        if old["label"] != new["label"]:
            changes["relabelled"] += 1
        elif new.get("severity") and new.get("severity") != old.get("severity"):
            changes["graded"] += 1
        elif not is_moved:
            # Moving a finding also accepts it.
            changes["accepted"] += new.get("accepted") is True and old.get("accepted") is not True
    return changes


def parse_time(text: object) -> datetime | None:
    """A time as an entry has it; None for anything else."""
    try:
        return datetime.fromisoformat(str(text))
    except ValueError:
        return None
