"""Fills an empty record from the template or the last inspection."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from desktop.background.workers import run
from desktop.messages.error_messages import sentence
from desktop.pages.common.item_sources import copy_last_items
from desktop.record.open_record import OpenRecord
from shared.wire.inspection import Item


class ItemFillController(QObject):
    """Asks the service to fill the open record."""

    filled = Signal()
    """The record has items now."""
    notice = Signal(str)
    """Why it could not be filled."""

    def __init__(self, open_record: OpenRecord, parent: QObject) -> None:
        super().__init__(parent)
        self._open_record = open_record

    def from_template(self) -> None:
        """Take the regions that are kept with the reference image."""
        self._run(self._open_record.context.session.items.from_template, self._open_record.record_id)

    def from_last(self) -> None:
        """Take the items of the newest other record of the same reference image."""
        if self._open_record.document is not None:
            self._run(copy_last_items, self._open_record.context.session, self._open_record.document.record)

    def _run(self, function: Callable[..., Sequence[Item] | None], *args: object) -> None:
        if not self._open_record.may_edit():
            return
        run(
            function,
            *args,
            owner=self,
            done=self._on_filled,
            failed=lambda error: self.notice.emit(sentence(error)),
        )

    def _on_filled(self, items: Sequence[Item] | None) -> None:
        if items is None:
            self.notice.emit(self.tr("No earlier record with this reference image."))
        else:
            self.filled.emit()
