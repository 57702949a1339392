"""What was found in a photo for the other items that share it. No window."""

from __future__ import annotations

from collections.abc import Iterable

from desktop.canvas.findings import FindingBox
from desktop.detection_words import finding_word
from desktop.pages.workbench.document import ItemView
from desktop.pages.workbench.rows import Finding, findings_of, shown_detection


class Neighbours:
    """Keeps what it read of an item until that changes: a record may have thousands."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[ItemView, str, tuple[Finding, ...]]] = {}

    def boxes(
        self, items: Iterable[ItemView], chosen: str, content_id: str | None, threshold: float
    ) -> list[FindingBox]:
        """The findings, at least this sure (0..1), of all items but the chosen one in the photo `content_id`.

        Each is labelled with the number of its item.
        """
        found = []
        for number, item in enumerate(items, 1):
            if not content_id or item.item_id == chosen or not item.result:
                continue
            known = self._known.get(item.item_id)
            if known is None or known[0] is not item:
                known = self._known[item.item_id] = self._read(item)
            if known[1] != content_id:
                continue
            for one in known[2]:
                if one.confidence >= threshold:
                    found.append(FindingBox(one.rect, f"{number} · {finding_word(one.label)}", quiet=True))
        return found

    def forget(self) -> None:
        """Another record: nothing of this one is kept."""
        self._known.clear()

    @staticmethod
    def _read(item: ItemView) -> tuple[ItemView, str, tuple[Finding, ...]]:
        entry = shown_detection(item)
        photo = (entry or {}).get("inputImage") or {}
        return item, str(photo.get("ipfs_cid") or ""), findings_of(entry)
