"""Reads what the memory of a region suppressed in a comparison: what, how sure, and which photos. Pure.

A comparison that used a memory writes ``memory`` (of how many photos, and its SHA-256) and ``suppressed``
(findings that the memory explains) into its result entry. A correction of that entry does not repeat them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from shared import findings, results
from shared.entries import Entry
from shared.geometry import Rect, from_corners

_SAME = 0.5
"""A finding that overlaps a suppressed one so much (intersection over union) is that one, reported."""


@dataclass(frozen=True, slots=True)
class SuppressedFinding:
    """A finding that the memory of its region explains.

    `box` is in px of the upright photo. `score` is the confidence (0..1) in what the memory leaves of it,
    `score_alone` the one without a memory. `photos`: the ids of the files of the photos that explain it.
    """

    label: str
    box: Rect
    score: float
    score_alone: float
    photos: tuple[str, ...]

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        """The finding of a JSON object. Raises KeyError, TypeError, ValueError, OverflowError otherwise."""
        box = fields["box"]
        return cls(
            label=str(box["label"]),
            box=from_corners(*findings.corners(box)),
            score=float(fields["score"]),
            score_alone=float(fields["score_alone"]),
            photos=tuple(str(photo) for photo in fields.get("photos") or ()),
        )


def read_suppressed(entry: Entry | None, entries: Sequence[Entry] = ()) -> list[SuppressedFinding]:
    """What the memory suppressed in an entry, the surest without a memory first.

    `entries` are all of the item: a correction has what the entry that it corrects has, without what the
    person reported as a finding. What cannot be read is left out.
    """
    suppressed = _comparison_entry(entry, entries).get("suppressed")
    if entry is None or not isinstance(suppressed, list):
        return []
    reported = [from_corners(*findings.corners(box)) for box in findings.readable_boxes(entry)]
    unreported = [
        finding
        for finding in _readable_findings(suppressed)
        if not any(finding.box.iou(box) >= _SAME for box in reported)
    ]
    return sorted(unreported, key=lambda finding: -finding.score_alone)


def memory_photos(entry: Entry | None, entries: Sequence[Entry] = ()) -> int:
    """The number of photos of the memory that the comparison of an entry used; 0 for none."""
    memory = _comparison_entry(entry, entries).get("memory")
    count = memory.get("photos") if isinstance(memory, Mapping) else None
    return count if isinstance(count, int) else 0


def _readable_findings(values: Iterable[Any]) -> Iterable[SuppressedFinding]:
    for fields in values:
        try:
            yield SuppressedFinding.from_json(fields)
        except (KeyError, TypeError, ValueError, OverflowError):
            continue


def _comparison_entry(entry: Entry | None, entries: Sequence[Entry]) -> Mapping[str, Any]:
    """The entry of the comparison that an entry goes back to, through corrections of corrections."""
    by_version = {results.version(other, index): other for index, other in enumerate(entries)}
    for _ in range(len(entries) + 1):
        if entry is None or not results.is_correction(entry):
            break
        entry = by_version.get(entry["correction"].get("of_version"))
    return entry or {}
