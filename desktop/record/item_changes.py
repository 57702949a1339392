"""Converts the user's changes of items to edits of the open record."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import count, product
from string import ascii_uppercase
from typing import Any

from PySide6.QtCore import QCoreApplication

from desktop.canvas.model.regions import RegionChange
from desktop.record.correction import CorrectionDraft
from desktop.record.document import Document
from desktop.record.edit_names import EditName
from desktop.record.open_record import OpenRecord
from desktop.record.signing import VERDICT
from shared.record.codes import Verdict
from shared.wire.detection import REFERENCE_DIFFERENCE


class ItemChanges:
    """Adds steps of the user to the journal. If editing is not allowed, a notice says why."""

    def __init__(self, record: OpenRecord) -> None:
        self._record = record

    def change_regions(self, change: RegionChange) -> None:
        """Append the edits for regions that were changed on the canvas."""
        record, document = self._record, self._editable()
        if document is None:
            return
        model_id = self.default_model()
        names = default_names({item.item_name for item in document.items})
        edits = record.link.edits(document, change, names, model_id)
        if edits:
            record.edits.do(*edits, merge_key=change.merge_key)
        else:
            record.link.store.apply(change)

    def default_model(self) -> str | None:
        """The model of an item that names no model: the built-in one if enabled, else the first."""
        ids = [model.model_id for model in self._record.models if model.enabled]
        return REFERENCE_DIFFERENCE if REFERENCE_DIFFERENCE in ids else ids[0] if ids else None

    def rename(self, name: str) -> None:
        """Rename the chosen item."""
        self._change(EditName.RENAME, {"item_name": name})

    def describe(self, text: str) -> None:
        """Set the description of the chosen item. An empty text removes it."""
        self._change(EditName.DESCRIBE, {"description": text or None})

    def set_model(self, model_id: object) -> None:
        """Set or clear the model of the selected item."""
        self._change(EditName.MODEL, {"model_id": model_id})

    def decide(self, verdict: Verdict, reason: str) -> None:
        """Set the verdict of the chosen item."""
        self.decide_item(self._record.current, verdict, reason)

    def decide_item(self, item_id: str, verdict: Verdict, reason: str) -> None:
        """Set the verdict of an item. A draft of its findings is saved before, as the verdict is for them."""
        draft = self._record.drafts.get(item_id)
        if draft is not None:
            self.correct(draft)
        document = self._editable()
        if document is not None and document.item(item_id) is not None:
            self._record.edits.do(document.decide(item_id, EditName.VERDICT, verdict, reason))

    def correct(self, draft: CorrectionDraft) -> bool:
        """Save a draft as the newest version of its item. The draft is kept if that fails.

        Returns whether that withdrew a verdict.
        """
        record, document = self._record, self._editable()
        if document is None:
            return False
        edit = document.correct(draft, EditName.CORRECT)
        record.drafts.hide(draft.item_id)
        if draft.item_id == record.current:
            record.show_newest_later()
        if edit is None or record.edits.do(edit):
            record.drafts.discard(draft.item_id)
            return edit is not None and VERDICT in edit.after and edit.after[VERDICT] is None
        record.drafts.show(draft)
        return False

    def move(self, item_ids: Sequence[str], before: str) -> None:
        """Move items before another one in the walk, or with an empty `before` to its end."""
        document = self._editable()
        if document is not None:
            self._record.edits.do(document.move(item_ids, before, EditName.MOVE))

    def remove(self, item_ids: Sequence[str], reason: str = "") -> bool:
        """Delete items as one step, with a reason for the audit log. Returns False when nothing was
        deleted."""
        photos, document = self._record.photos, self._editable()
        if document is None:
            return False
        # Undo restores them in reverse order, so each finds its predecessors in place.
        last_first = sorted(item_ids, key=document.index_of, reverse=True)
        return self._record.edits.do(
            *(document.remove(it, EditName.REMOVE, photos.get(it, ()), reason) for it in last_first)
        )

    def _change(self, label: str, fields: dict[str, Any]) -> None:
        document = self._editable()
        if document is not None:
            item_id = self._record.current
            self._record.edits.do(document.change(item_id, label, fields), merge_key=f"{label} {item_id}")

    def _editable(self) -> Document | None:
        """The document, if the user may edit it."""
        document = self._record.document
        return document if document is not None and self._record.may_edit() else None


def default_names(used: Collection[str]) -> Iterator[str]:
    """Names for new items that nobody named: "Item A" to "Item Z", "Item AA" and so on, except `used` ones.

    They have letters, because a number would no longer be that of the item once items are moved or deleted.
    """
    text = QCoreApplication.translate("OpenRecord", "Item {letters}")
    for length in count(1):
        for letters in product(ascii_uppercase, repeat=length):
            name = text.format(letters="".join(letters))
            if name not in used:
                yield name
