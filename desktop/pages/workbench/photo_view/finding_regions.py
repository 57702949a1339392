"""Converts findings to regions of a canvas. Pure: no window."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from desktop.canvas.model.regions import Region, RegionState
from desktop.localization.detection_terms import finding_word
from desktop.pages.workbench.results.findings import SURE
from desktop.record.correction import Boxes
from shared.ids import new_key
from shared.record.findings import Finding


class FindingRegions:
    """Assigns an id to each finding that stays the same while the findings of one result are corrected.

    Findings have only indexes, which change when one is deleted. The canvas would then select another
    finding.
    """

    def __init__(self) -> None:
        self._of: object = None
        self._boxes: Boxes = ()
        self._ids: list[str] = []
        self._expected: list[str] = []

    def expect(self, ids: Sequence[str]) -> None:
        """Set the ids that the next added findings already have on the canvas."""
        self._expected = list(ids)

    def follow(self, of: object, boxes: Boxes) -> None:
        """Set the present boxes. `of` identifies their result; another result has other findings."""
        if of != self._of:
            self._of, self._boxes, self._ids = of, (), []
        if len(boxes) != len(self._boxes):
            free = list(zip(self._boxes, self._ids, strict=True))
            ids = []
            for box in boxes:
                at = next((index for index, (old, _) in enumerate(free) if old == box), -1)
                ids.append(free.pop(at)[1] if at >= 0 else self._new_id())
            self._ids = ids
        self._boxes = boxes

    def _new_id(self) -> str:
        return self._expected.pop(0) if self._expected else new_key()

    def index_of(self, region_id: str) -> int:
        """The index of a finding among the boxes; -1 if there is none."""
        return self._ids.index(region_id) if region_id in self._ids else -1

    def region_id(self, place: int) -> str:
        """The id of the finding at an index among the boxes; empty if there is none."""
        return self._ids[place] if 0 <= place < len(self._ids) else ""

    def regions(self, findings: Sequence[Finding]) -> list[Region]:
        """Convert findings to regions, numbered in their order from 1."""
        return [
            Region(
                self._ids[finding.index],
                finding.box,
                number,
                finding_word(finding.label),
                RegionState.FAILED if finding.confidence >= SURE else RegionState.UNDECIDED,
                source_of(finding),
            )
            for number, finding in enumerate(findings, 1)
            if finding.index < len(self._ids)
        ]


def source_of(finding: Finding) -> str:
    """The confidence or the author of a finding, with a separator, to be appended to its label."""
    if not finding.is_drawn:
        return f"{finding.confidence:.2f}"
    return "· " + (finding.author_name or QCoreApplication.translate("FindingList", "drawn manually"))
