"""Computes what keys and menus do with the selected regions: a change, or None."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import StrEnum

from desktop.canvas.model.regions import Region, RegionsChanged, RegionStep, RegionStore
from desktop.canvas.model.shaping import Size, moved
from shared.geometry import Rect
from shared.ids import new_key

OFFSET = 16
"""How far, in px, a copy is put from its original."""


class AlignSide(StrEnum):
    """To what the regions are aligned: an edge of all of them together, or their middle."""

    LEFT = "left"
    CENTRE = "centre"
    RIGHT = "right"
    TOP = "top"
    MIDDLE = "middle"
    BOTTOM = "bottom"


def nudge(store: RegionStore, size: Size, dx: int, dy: int) -> RegionsChanged | None:
    """Move the selected regions by whole pixels, together, inside the picture."""
    regions = _movable(store)
    rects = moved([region.rect for region in regions], dx, dy, size)
    key = "nudge:" + ",".join(region.id for region in regions)
    return _change(
        regions, [r.at(rect) for r, rect in zip(regions, rects, strict=True)], RegionStep.NUDGE, key
    )


def duplicate(store: RegionStore, size: Size) -> RegionsChanged | None:
    """Copies of the selected regions beside them."""
    return _added(store, size, store.selected_regions, RegionStep.DUPLICATE)


def paste(store: RegionStore, size: Size, copied: Iterable[Region], from_size: Size) -> RegionsChanged | None:
    """Copies of regions from a picture of `from_size`: at the same pixels of a picture of the same size, else
    at the same fractions; beside it where such a region is already."""
    fx, fy = size[0] / from_size[0], size[1] / from_size[1]
    fitted = []
    for region in copied:
        rect = region.rect
        rect = Rect(rect.x * fx, rect.y * fy, rect.w * fx, rect.h * fy).clamped(*size)
        if not rect.empty:
            fitted.append(region.at(rect))
    return _added(store, size, fitted, RegionStep.PASTE)


def align(store: RegionStore, side: AlignSide) -> RegionsChanged | None:
    """Align the selected regions with each other; needs two."""
    regions = _movable(store)
    if len(regions) < 2:
        return None
    left, top = min(r.rect.x for r in regions), min(r.rect.y for r in regions)
    right, bottom = max(r.rect.right for r in regions), max(r.rect.bottom for r in regions)

    def place(rect: Rect) -> Rect:
        x, y = rect.x, rect.y
        match side:
            case AlignSide.LEFT:
                x = left
            case AlignSide.CENTRE:
                x = (left + right - rect.w) / 2
            case AlignSide.RIGHT:
                x = right - rect.w
            case AlignSide.TOP:
                y = top
            case AlignSide.MIDDLE:
                y = (top + bottom - rect.h) / 2
            case AlignSide.BOTTOM:
                y = bottom - rect.h
        return Rect(x, y, rect.w, rect.h)

    return _each(regions, lambda region: region.at(place(region.rect)), RegionStep.ALIGN)


def set_locked(store: RegionStore, locked: bool) -> RegionsChanged | None:
    """Lock the selected regions against moving, resizing and deleting, or unlock them."""
    step = RegionStep.LOCK if locked else RegionStep.UNLOCK
    return _each(store.selected_regions, lambda region: replace(region, locked=locked), step)


def hide_selected(store: RegionStore) -> RegionsChanged | None:
    """Hide the selected regions."""
    return _each(store.selected_regions, lambda region: replace(region, hidden=True), RegionStep.HIDE)


def show_all(store: RegionStore) -> RegionsChanged | None:
    """Show every hidden region."""
    return _each(store, lambda region: replace(region, hidden=False), RegionStep.SHOW)


def raise_selected(store: RegionStore, to_front: bool) -> RegionsChanged | None:
    """Put the selected regions above or below all others, for drawing and for picking."""
    levels = [region.z for region in store]
    if not levels:
        return None
    z = max(levels) + 1 if to_front else min(levels) - 1
    step = RegionStep.FRONT if to_front else RegionStep.BACK
    return _each(store.selected_regions, lambda region: replace(region, z=z), step)


def _movable(store: RegionStore) -> list[Region]:
    return [region for region in store.selected_regions if not region.locked]


def _change(
    before: Iterable[Region], after: Iterable[Region], step: RegionStep, merge_key: str | None = None
) -> RegionsChanged | None:
    change = RegionsChanged(tuple(before), tuple(after), step, merge_key)
    return None if change.before == change.after else change


def _each(
    regions: Iterable[Region], changed: Callable[[Region], Region], step: RegionStep
) -> RegionsChanged | None:
    pairs = [(region, changed(region)) for region in regions]
    pairs = [(before, after) for before, after in pairs if before != after]
    return _change((before for before, _ in pairs), (after for _, after in pairs), step)


def _added(
    store: RegionStore, size: Size, copied: Iterable[Region], step: RegionStep
) -> RegionsChanged | None:
    taken = {region.rect for region in store}
    originals = list(copied)
    rects = [region.rect for region in originals]
    while any(rect in taken for rect in rects):
        further = moved(rects, OFFSET, OFFSET, size)
        if further == rects:
            break
        rects = further
    first = store.next_number()
    new = [
        Region(new_key(), rect, first + index, region.label, copy_of=region.id)
        for index, (region, rect) in enumerate(zip(originals, rects, strict=True))
    ]
    return _change((), new, step)
