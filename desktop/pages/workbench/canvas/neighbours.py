"""Collects the findings of other items that share the photo."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject

from desktop.background.workers import Task, run
from desktop.canvas.layers.finding_layer import FindingBox
from desktop.localization.detection_terms import finding_word
from desktop.record.document import ItemView
from desktop.record.item_rows import findings_of, shown_detection
from shared.record.entries import Entry
from shared.record.findings import Finding


@dataclass(slots=True)
class _CachedFindings:
    """The photo of an item's findings, and the findings once they are needed."""

    item: ItemView
    entry: Entry | None
    content_id: str
    findings: tuple[Finding, ...] | None = None


class NeighbourFindings:
    """Caches the findings of items until an item changes, because a record may have thousands."""

    def __init__(self) -> None:
        self._cache: dict[str, _CachedFindings] = {}
        self._reading: Task | None = None

    def read(
        self,
        wanted: tuple[Sequence[ItemView], str, str | None, float],
        *,
        owner: QObject,
        done: Callable[[list[FindingBox]], None],
    ) -> None:
        """Call `done` with the `boxes` of `wanted`, found off the GUI thread. Replaces an earlier call."""
        self.stop()
        self._reading = run(self.boxes, *wanted, owner=owner, done=done)

    def stop(self) -> None:
        """Cancel `read`."""
        if self._reading is not None:
            self._reading.cancel()
        self._reading = None

    def boxes(
        self, items: Iterable[ItemView], chosen: str, content_id: str | None, threshold: float
    ) -> list[FindingBox]:
        """The findings of all other items in the photo `content_id` with at least this confidence (0..1).

        Each is labelled with the number of its item. Blocks for a record with thousands of items.
        """
        shown = []
        for number, item in enumerate(items, 1):
            if not content_id or not item.result or item.item_id == chosen:
                continue
            read = self._cache.get(item.item_id)
            if read is None or read.item is not item:
                read = self._cache[item.item_id] = _read_findings(item)
            if read.content_id != content_id:
                continue
            if read.findings is None:
                read.findings = findings_of(read.entry)
            for finding in read.findings:
                if finding.confidence >= threshold:
                    shown.append(
                        FindingBox(finding.box, f"{number} · {finding_word(finding.label)}", read_only=True)
                    )
        return shown

    def forget(self) -> None:
        """Clear the cache when another record is opened."""
        self._cache.clear()


def _read_findings(item: ItemView) -> _CachedFindings:
    entry = shown_detection(item)
    photo = (entry or {}).get("inputImage") or {}
    return _CachedFindings(item, entry, str(photo.get("ipfs_cid") or ""))
