"""Matches the findings of two versions of a result. Pure: no Qt."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from desktop.canvas.layers.finding_layer import Matrix
from desktop.imaging.sources.cut import map_rect
from desktop.record.item_rows import findings_of, to_reference
from shared.record.entries import Entry
from shared.record.findings import Finding
from shared.record.geometry import Rect

SAME = 0.5
"""Findings that overlap at least this much (intersection over union) are the same."""


class VersionSide(StrEnum):
    """The versions that contain a finding."""

    BOTH = "both"
    RELABELLED = "relabelled"
    """In both, under another label."""
    FIRST = "first"
    SECOND = "second"


@dataclass(frozen=True, slots=True)
class Pairing:
    """A finding of one version, or the pair of both versions."""

    first: Finding | None
    second: Finding | None

    @property
    def within(self) -> VersionSide:
        """In which version it is."""
        if self.first is None:
            return VersionSide.SECOND
        if self.second is None:
            return VersionSide.FIRST
        return VersionSide.BOTH if self.first.label == self.second.label else VersionSide.RELABELLED


def same_photo(first: Entry, second: Entry) -> bool:
    """True when both versions are of the same photo."""
    first_photo, second_photo = (entry.get("inputImage") or {} for entry in (first, second))
    return any(
        first_photo.get(name) and first_photo.get(name) == second_photo.get(name)
        for name in ("ipfs_cid", "file_id")
    )


def pairings(first: Entry, second: Entry) -> list[Pairing]:
    """All findings of two versions, paired if both contain them, by version and confidence.

    In one photo, findings are compared by their places in it. In two photos, they are compared on the
    reference image, and are not paired if one photo has no alignment.
    """
    if same_photo(first, second):
        frames: tuple[Matrix | None, Matrix | None] = (None, None)
    else:
        frames = (to_reference(first), to_reference(second))
        if frames[0] is None or frames[1] is None:
            apart = [Pairing(finding, None) for finding in findings_of(first)]
            return apart + [Pairing(None, other) for other in findings_of(second)]
    left = [(finding, _place(finding, frames[0])) for finding in findings_of(first)]
    free = [(other, _place(other, frames[1])) for other in findings_of(second)]
    pairs = []
    for finding, rect in left:
        overlaps = [rect.iou(other) for _, other in free]
        match = max(overlaps, default=0.0) >= SAME
        pairs.append(Pairing(finding, free.pop(overlaps.index(max(overlaps)))[0] if match else None))
    return pairs + [Pairing(None, other) for other, _ in free]


def _place(finding: Finding, frame: Matrix | None) -> Rect:
    """The rectangle of a finding for the comparison; empty if it is mapped to infinity."""
    rect = finding.box if frame is None else map_rect(finding.box, frame)
    return Rect(0, 0, 0, 0) if rect is None else rect
