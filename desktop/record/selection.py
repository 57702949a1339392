"""Holds which items of the open record are selected, and which one is chosen with which result."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from desktop.record.document import ItemView
from desktop.record.item_rows import ItemRow, shown_detection
from shared.record import results
from shared.record.entries import Entry

_UNDECIDED = ("undecided", "not_started")
"""States of the rows of items without a verdict."""


class Selection:
    """The ids of the selected items and of the chosen one, which is one of them unless none is selected."""

    def __init__(self) -> None:
        self.current = ""
        """The id of the chosen item; empty if there is none."""
        self.items: tuple[str, ...] = ()
        """The ids of the selected items."""
        self.version: int | None = None
        """The displayed version of the chosen item's result; None for the newest."""

    def choose(self, item_id: str, *, only: bool = False) -> None:
        """Choose an item, with its newest result; with `only`, select it alone."""
        self.current, self.version = item_id, None
        if only:
            self.items = (item_id,) if item_id else ()

    def select(self, item_ids: Sequence[str], current: str = "") -> tuple[bool, bool]:
        """Select these items, with `current` as the chosen one.

        Without `current`, the chosen item stays if it is selected or if none is selected. Otherwise the last
        one is chosen. Returns whether another item is chosen, and whether other items are selected.
        """
        selected = tuple(dict.fromkeys(item_ids))
        if not current:
            keeps_current = not selected or self.current in selected
            current = self.current if keeps_current else selected[-1]
        is_other, differs = current != self.current, selected != self.items
        self.items = selected
        if is_other:
            self.choose(current)
        return is_other, differs

    def retain(self, exists: Callable[[str], object | None]) -> None:
        """Leave out the selected items that do not exist any more."""
        if self.items:
            self.items = tuple(item_id for item_id in self.items if exists(item_id) is not None)

    def choose_neighbour(self, rows: Sequence[ItemRow], number: int) -> None:
        """Choose the item after the deleted one, which had this number."""
        row = min(number, len(rows)) - 1
        self.choose(rows[max(row, 0)].item_id if rows else "", only=not self.items)

    def next_undecided(self, rows: Sequence[ItemRow], number: int) -> str:
        """The next undecided item after the chosen one, which has this number; empty when there is none."""
        following = [*rows[number:], *rows[:number]]
        undecided_ids = (row.item_id for row in following if row.status in _UNDECIDED)
        return next((item_id for item_id in undecided_ids if item_id != self.current), "")

    def entry_of(self, item: ItemView | None) -> Entry | None:
        """The displayed result entry of the chosen item; None if it has none."""
        if item is None:
            return None
        for index, entry in enumerate(item.result):
            if self.version is not None and results.entry_version(entry, index) == self.version:
                return entry
        return shown_detection(item)
