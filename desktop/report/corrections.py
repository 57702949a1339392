"""Counts what people changed of a model's findings, for the entry of an item in a report. Pure: no Qt."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from shared.names import signature
from shared.record import results
from shared.record.codes import Origin
from shared.record.entries import Entry, EntryBox
from shared.record.findings import box_corners, readable_boxes


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
    """Count the changes by the fields of `ReportedCorrection`.

    As the service does for the authors of findings, a changed finding of the model is recognised by its
    confidence, and one of a person by its author.
    """
    before, after, pairs = _pair(before, after, _core)
    deleted, drawn, changed_pairs = _pair(before, after, _recognition)
    changes = Counter({"deleted": len(deleted), "drawn": len(drawn)})
    for old, new in (*pairs, *changed_pairs):
        changes["moved"] += box_corners(old) != box_corners(new)
        if old["label"] != new["label"]:
            changes["relabelled"] += 1
        elif new.get("severity") and new.get("severity") != old.get("severity"):
            changes["graded"] += 1
        elif box_corners(old) == box_corners(new):
            # Moving a finding also accepts it.
            changes["accepted"] += new.get("accepted") is True and old.get("accepted") is not True
    return changes


def _pair(
    before: Sequence[EntryBox], after: Sequence[EntryBox], key: Callable[[EntryBox], object]
) -> tuple[list[EntryBox], list[EntryBox], list[tuple[EntryBox, EntryBox]]]:
    """The boxes that only one version has, and the pairs of boxes with the same key; None has no pair."""
    places: defaultdict[object, list[int]] = defaultdict(list)
    for place, box in reversed(list(enumerate(before))):
        places[key(box)].append(place)
    unpaired, pairs, paired = [], [], set()
    for box in after:
        wanted = key(box)
        if wanted is None or not places[wanted]:
            unpaired.append(box)
            continue
        place = places[wanted].pop()
        paired.add(place)
        pairs.append((before[place], box))
    return [box for place, box in enumerate(before) if place not in paired], unpaired, pairs


def _core(box: EntryBox) -> object:
    return box["label"], box["confidence"], box_corners(box)


def _recognition(box: EntryBox) -> object:
    """What a box keeps when it is moved or relabelled; None for a finding of an unknown person."""
    if box.get("origin") == Origin.PERSON:
        return None if box.get("by") is None else (Origin.PERSON, box.get("by"))
    return Origin.MODEL, box["confidence"]


def parse_time(text: object) -> datetime | None:
    """A time as an entry has it; None for anything else."""
    try:
        return datetime.fromisoformat(str(text))
    except ValueError:
        return None
