"""Tells what changed on the open record, so that only the parts that show it are updated.

Holds which items of the open record are selected, and which one is chosen with which result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Flag, auto
from functools import reduce
from operator import or_
from typing import Any

from PySide6.QtCore import QObject, Signal

from desktop.record.document import ItemView
from desktop.record.item_rows import ItemRow, shown_detection
from shared.record import results
from shared.record.entries import Entry


class Change(Flag):
    """What changed on one item, or on some of several items."""

    NOTHING = 0
    ITEMS = auto()
    """Items were added, removed or moved to another place of the list."""
    REGIONS = auto()
    """Regions appeared, disappeared, were moved or are on another image."""
    FIELDS = auto()
    """A name, a description, a model or detection settings."""
    RESULTS = auto()
    """Detections or corrections, and with them what is found."""
    VERDICTS = auto()
    SAVED = auto()
    """Whether the service has the item as it is displayed."""
    ALL = ITEMS | REGIONS | FIELDS | RESULTS | VERDICTS | SAVED


class RecordSignals(QObject):
    """The changes of the open record. A part connects to the signals of what it shows."""

    changing = Signal()
    """The displayed items are about to change."""
    rows_changed = Signal()
    """The rows of the items were computed again."""
    items_changed = Signal()
    """Items were added, removed or moved to another place of the list."""
    regions_changed = Signal()
    """Regions of items changed, or the picture that they are on."""
    fields_changed = Signal()
    """Names, descriptions, models or settings of items changed."""
    results_changed = Signal()
    """Detections or corrections of items changed."""
    record_changed = Signal()
    """The record was opened, or its fields, its seal or the right to edit it changed."""
    current_changed = Signal()
    """Another item was chosen, or another result of the chosen one is shown."""
    current_gone = Signal(int, str)
    """The chosen item was deleted elsewhere: its number and its name. Another one is chosen afterwards."""
    current_edited = Signal(object)
    """The chosen item changed, but not its result: a `Change`."""
    selection_changed = Signal()
    """The selection changed."""
    refused = Signal(str)
    """A change was refused. The text is the reason, as a sentence."""
    sealing = Signal()
    """The record was sealed elsewhere. Receivers must commit typed text, because editing ends."""
    drafts_restored = Signal(int)
    """The number of restored changes to findings that were not saved when the program ended."""

    def announce(self, change: Change) -> None:
        """Emit the signals of what changed on the items."""
        self.rows_changed.emit()
        for kind, signal in (
            (Change.ITEMS, self.items_changed),
            (Change.REGIONS, self.regions_changed),
            (Change.FIELDS, self.fields_changed),
            (Change.RESULTS, self.results_changed),
        ):
            if kind & change:
                signal.emit()


_OF_REGION = ("point", "fileInfo")


def changes_between(before: Sequence[ItemView], after: Sequence[ItemView]) -> Change:
    """What differs between two lists of items. Fast where most items are the same objects."""
    # Comparing or uniting the changes of thousands of unchanged items would take 10 ms.
    pairs = [(old, new) for old, new in zip(before, after, strict=False) if old is not new]
    old_items = {item.item_id: item for item in (*(old for old, _ in pairs), *before[len(after) :])}
    new_items = {item.item_id: item for item in (*(new for _, new in pairs), *after[len(before) :])}
    change = _union(item_change(old_items.get(key), item) for key, item in new_items.items())
    change |= _union(item_change(item, None) for key, item in old_items.items() if key not in new_items)
    return change if all(old.item_id == new.item_id for old, new in pairs) else change | Change.ITEMS


def item_change(before: ItemView | None, after: ItemView | None) -> Change:
    """What differs between two states of an item; None where it does not exist."""
    if before is after:
        return Change.NOTHING
    if before is None or after is None:
        return _whole(after or before)
    change = Change.NOTHING
    for flag, is_same in (
        (Change.REGIONS, _region(before) == _region(after)),
        (Change.FIELDS, _fields(before) == _fields(after)),
        (Change.RESULTS, _findings(before) == _findings(after)),
        (Change.VERDICTS, _verdicts(before) == _verdicts(after)),
        (Change.SAVED, before.saved == after.saved),
    ):
        change |= Change.NOTHING if is_same else flag
    return change


def _whole(item: ItemView | None) -> Change:
    change = Change.ITEMS
    if item is not None and _region(item)[0]:
        change |= Change.REGIONS
    return change | Change.RESULTS | Change.VERDICTS if item is not None and item.result else change


def _union(changes: Iterable[Change]) -> Change:
    return reduce(or_, changes, Change.NOTHING)


def _region(item: ItemView) -> tuple[Any, ...]:
    point = item.item_point or {}
    return tuple(point.get(name) for name in _OF_REGION)


def _fields(item: ItemView) -> tuple[Any, ...]:
    settings: Mapping[str, Any] = {
        name: value for name, value in (item.item_point or {}).items() if name not in _OF_REGION
    }
    return item.item_name, item.description, item.model_id, item.model_name, settings


def _findings(item: ItemView) -> list[Entry]:
    return [entry for entry in item.result if not results.is_verdict(entry)]


def _verdicts(item: ItemView) -> tuple[Any, ...]:
    return item.pending_verdict, [entry for entry in item.result if results.is_verdict(entry)]


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
