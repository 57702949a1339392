"""Merges what the service answers and announces into the open record, below the edits that it lacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from desktop.journal import Edit
from desktop.record.document import Document, ItemView, view_of
from desktop.record.edits import RecordEdits
from desktop.record.outbox import SendResult
from shared.wire.inspection import Item


class ServiceState:
    """The service's side of a document. An item that was created here keeps its id when the service gives it
    another one."""

    def __init__(self, document: Document, edits: RecordEdits, is_sealed: Callable[[], bool]) -> None:
        """While `is_sealed`, the document is shown without edits that the service does not have."""
        self._document, self._edits, self._is_sealed = document, edits, is_sealed

    def _unsent_edits_of(self, item_id: str) -> Sequence[Edit]:
        return () if self._is_sealed() else self._edits.unsent_edits_of(item_id)

    def _unsent_edits(self) -> Sequence[Edit]:
        return () if self._is_sealed() else self._edits.unsent_edits()

    def load(self, views: Sequence[ItemView]) -> None:
        """Replace all items by the service's."""
        local_ids = [self._edits.local_id(view.item_id) for view in views]
        items = [
            view if view.item_id == local_id else replace(view, item_id=local_id)
            for view, local_id in zip(views, local_ids, strict=True)
        ]
        self._document.load_items(items, self._unsent_edits())

    def update(self, items: Sequence[Item]) -> None:
        """Update some items. Those of other records are ignored."""
        for item in items:
            if item.inspection_id == self._document.record.inspection_id:
                local_id = self._edits.local_id(item.item_id)
                self._document.update_item(view_of(item, local_id), self._unsent_edits_of(local_id))

    def remove(self, service_id: str) -> bool:
        """Remove an item that the service no longer has. Returns whether it was shown under this id."""
        item_id = self._edits.local_id(service_id)
        # An item that undo restored may have another id.
        is_shown = self._edits.service_id(item_id) == service_id
        if is_shown:
            self._document.drop_item(item_id, self._unsent_edits_of(item_id))
        return is_shown

    def answer(self, sent: SendResult) -> None:
        """Update the item of a sent edit to what the service answered."""
        item_id = sent.edit.object_id
        service_id = self._edits.service_id(item_id)
        if service_id != item_id:
            # An event may have added it under the service's ID before the response arrived.
            self._document.drop_item(service_id, ())
        if sent.item is not None:
            self._document.update_item(sent.item, self._unsent_edits_of(sent.item.item_id))
        elif sent.refused is None:
            self._document.drop_item(item_id, self._unsent_edits_of(item_id))

    def rebase(self) -> None:
        """Show the service's state with the edits that are unsent now."""
        self._document.rebase(self._unsent_edits())
