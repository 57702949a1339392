"""Finds items of layouts that Qt deleted without PySide noticing (desktop/widgets/basic/layouts.py)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import shiboken6
from PySide6.QtWidgets import QLayout, QLayoutItem


def _address(item: QLayoutItem) -> int:
    return shiboken6.getCppPointer(item)[0]


def _in_layouts(layouts: Iterable[QLayout]) -> Iterator[int]:
    for layout in layouts:
        for item in (layout.itemAt(index) for index in range(layout.count())):
            if item is not None:
                yield _address(item)
                if (nested := item.layout()) is not None:
                    yield from _in_layouts([nested])


def stale_items() -> int:
    """How many items PySide knows that no layout has any more.

    To look makes PySide know every item that there is: count only when the windows are about to go.
    """
    items = [wrapper for wrapper in shiboken6.getAllValidWrappers() if isinstance(wrapper, QLayoutItem)]
    layouts = [item for item in items if isinstance(item, QLayout)]
    addresses = {_address(item) for item in items if not isinstance(item, QLayout)}
    return len(addresses - set(_in_layouts(layouts)))
