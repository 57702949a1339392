"""Reads the findings that the memory of a region suppressed in a comparison. Pure functions.

A comparison that used a memory writes two keys into its result entry: ``memory``, with the number of its
photos and its SHA-256, and ``suppressed``, the findings that the memory explains. A correction does not
repeat them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from shared.record import findings, results
from shared.record.entries import Entry
from shared.record.geometry import Rect, rect_from_corners

_SAME_FINDING_IOU = 0.5
"""A reported finding with at least this intersection over union with a suppressed one is the same finding."""


@dataclass(frozen=True, slots=True)
class SuppressedFinding:
    """A finding that the memory of its region explains.

    `box` is in px of the upright photo. `score_alone` is the confidence (0..1) without the memory, `score`
    the confidence in the part that the memory does not explain. `photos`: file ids of the photos that explain
    it.
    """

    label: str
    box: Rect
    score: float
    score_alone: float
    photos: tuple[str, ...]

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        """Read a finding from a JSON object. Raises KeyError, TypeError, ValueError or OverflowError if it
        cannot.
        """
        box = fields["box"]
        return cls(
            label=str(box["label"]),
            box=rect_from_corners(*findings.box_corners(box)),
            score=float(fields["score"]),
            score_alone=float(fields["score_alone"]),
            photos=tuple(str(photo) for photo in fields.get("photos") or ()),
        )


def read_suppressed_findings(entry: Entry | None, entries: Sequence[Entry] = ()) -> list[SuppressedFinding]:
    """Return the suppressed findings of an entry by falling `score_alone`, without unreadable ones.

    `entries` are all entries of the item. A correction has the suppressed findings of the entry that it
    corrects, except those that the person reported as findings.
    """
    suppressed = _find_comparison_entry(entry, entries).get("suppressed")
    if entry is None or not isinstance(suppressed, list):
        return []
    reported = [rect_from_corners(*findings.box_corners(box)) for box in findings.readable_boxes(entry)]
    unreported = [
        finding
        for finding in _readable_findings(suppressed)
        if not any(finding.box.iou(box) >= _SAME_FINDING_IOU for box in reported)
    ]
    return sorted(unreported, key=lambda finding: -finding.score_alone)


def count_memory_photos(entry: Entry | None, entries: Sequence[Entry] = ()) -> int:
    """Return the number of photos in the memory that the comparison of an entry used; 0 without a memory."""
    memory = _find_comparison_entry(entry, entries).get("memory")
    count = memory.get("photos") if isinstance(memory, Mapping) else None
    return count if isinstance(count, int) else 0


def _readable_findings(values: Iterable[Any]) -> Iterable[SuppressedFinding]:
    for fields in values:
        try:
            yield SuppressedFinding.from_json(fields)
        except (KeyError, TypeError, ValueError, OverflowError):
            continue


def _find_comparison_entry(entry: Entry | None, entries: Sequence[Entry]) -> Mapping[str, Any]:
    """Return the entry of the comparison that an entry corrects, directly or through other corrections."""
    by_version = {results.entry_version(other, index): other for index, other in enumerate(entries)}
    for _ in range(len(entries) + 1):
        if entry is None or not results.is_correction(entry):
            break
        entry = by_version.get(entry["correction"].get("of_version"))
    return entry or {}
