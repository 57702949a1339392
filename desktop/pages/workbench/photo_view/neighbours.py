"""Collects the findings of other items that share the photo. No window."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from desktop.canvas.layers.finding_layer import FindingBox
from desktop.localization.detection_terms import finding_word
from desktop.pages.workbench.model.document import ItemView
from desktop.pages.workbench.model.item_rows import findings_of, shown_detection
from shared.entries import Entry
from shared.findings import Finding


@dataclass(slots=True)
class _Read:
    """What was read of an item: the photo that its findings were found in, and those once they are wanted."""

    item: ItemView
    entry: Entry | None
    content_id: str
    findings: tuple[Finding, ...] | None = None


class NeighbourFindings:
    """Keeps what it read of an item until that changes: a record may have thousands.

    Reading is not for the GUI thread.
    """

    def __init__(self) -> None:
        self._known: dict[str, _Read] = {}

    def boxes(
        self, items: Iterable[ItemView], chosen: str, content_id: str | None, threshold: float
    ) -> list[FindingBox]:
        """The findings, at least this sure (0..1), of all items but the chosen one in the photo `content_id`.

        Each is labelled with the number of its item.
        """
        found = []
        for number, item in enumerate(items, 1):
            if not content_id or not item.result or item.item_id == chosen:
                continue
            known = self._known.get(item.item_id)
            if known is None or known.item is not item:
                known = self._known[item.item_id] = _read(item)
            if known.content_id != content_id:
                continue
            if known.findings is None:
                known.findings = findings_of(known.entry)
            for one in known.findings:
                if one.confidence >= threshold:
                    found.append(FindingBox(one.box, f"{number} · {finding_word(one.label)}", quiet=True))
        return found

    def forget(self) -> None:
        """Another record: nothing of this one is kept."""
        self._known.clear()


def _read(item: ItemView) -> _Read:
    entry = shown_detection(item)
    photo = (entry or {}).get("inputImage") or {}
    return _Read(item, entry, str(photo.get("ipfs_cid") or ""))
