"""Tells what changed on the displayed items, so that only the parts that show it are updated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Flag, auto
from functools import reduce
from operator import or_
from typing import Any

from desktop.record.document import ItemView
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


_OF_REGION = ("point", "fileInfo")


def changes_between(before: Sequence[ItemView], after: Sequence[ItemView]) -> Change:
    """What differs between two lists of items. Fast where most items are the same objects."""
    pairs = [(old, new) for old, new in zip(before, after, strict=False) if old is not new]
    if len(before) == len(after) and all(old.item_id == new.item_id for old, new in pairs):
        return _union(item_change(old, new) for old, new in pairs)
    old_items = {item.item_id: item for item in before}
    new_items = {item.item_id: item for item in after}
    present = _union(item_change(old_items.get(key), item) for key, item in new_items.items())
    return (
        Change.ITEMS
        | present
        | _union(item_change(item, None) for key, item in old_items.items() if key not in new_items)
    )


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
