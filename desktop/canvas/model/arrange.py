"""Computes the changes of keys and menus to the selected regions. None means that nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import StrEnum

from desktop.canvas.model.regions import Region, RegionChange, RegionStep, RegionStore
from desktop.canvas.model.shaping import Size, move_rects
from shared.ids import new_key
from shared.record.geometry import Rect

OFFSET = 16
"""Distance in px between a copy and its original."""


class AlignSide(StrEnum):
    """The common edge or middle that regions are aligned to."""

    LEFT = "left"
    CENTRE = "centre"
    RIGHT = "right"
    TOP = "top"
    MIDDLE = "middle"
    BOTTOM = "bottom"


def nudge(store: RegionStore, size: Size, dx: int, dy: int) -> RegionChange | None:
    """Move the selected regions by whole pixels, together, inside the picture."""
    regions = _movable(store)
    rects = move_rects([region.rect for region in regions], dx, dy, size)
    key = "nudge:" + ",".join(region.id for region in regions)
    return _change(
        regions, [r.with_rect(rect) for r, rect in zip(regions, rects, strict=True)], RegionStep.NUDGE, key
    )


def duplicate(store: RegionStore, size: Size) -> RegionChange | None:
    """Copy the selected regions beside their originals."""
    return _add_copies(store, size, store.selected_regions, RegionStep.DUPLICATE)


def paste(
    store: RegionStore, size: Size, regions: Iterable[Region], source_size: Size
) -> RegionChange | None:
    """Add copies of regions from a picture of `source_size` (px) at the same fractions of this picture.

    A copy that would cover an equal region is placed beside it.
    """
    fx, fy = size[0] / source_size[0], size[1] / source_size[1]
    placed = []
    for region in regions:
        rect = region.rect
        rect = Rect(rect.x * fx, rect.y * fy, rect.w * fx, rect.h * fy).clamp(*size)
        if not rect.is_empty:
            placed.append(region.with_rect(rect))
    return _add_copies(store, size, placed, RegionStep.PASTE)


def align(store: RegionStore, side: AlignSide) -> RegionChange | None:
    """Align the selected regions with each other. Needs at least two."""
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

    return _change_each(regions, lambda region: region.with_rect(place(region.rect)), RegionStep.ALIGN)


def set_locked(store: RegionStore, locked: bool) -> RegionChange | None:
    """Lock the selected regions against moving, resizing and deleting, or unlock them."""
    step = RegionStep.LOCK if locked else RegionStep.UNLOCK
    return _change_each(store.selected_regions, lambda region: replace(region, locked=locked), step)


def hide_selected(store: RegionStore) -> RegionChange | None:
    """Hide the selected regions."""
    return _change_each(store.selected_regions, lambda region: replace(region, hidden=True), RegionStep.HIDE)


def show_all(store: RegionStore) -> RegionChange | None:
    """Show every hidden region."""
    return _change_each(store, lambda region: replace(region, hidden=False), RegionStep.SHOW)


def raise_selected(store: RegionStore, to_front: bool) -> RegionChange | None:
    """Put the selected regions above or below all others, for painting and for selecting."""
    levels = [region.z for region in store]
    if not levels:
        return None
    z = max(levels) + 1 if to_front else min(levels) - 1
    step = RegionStep.FRONT if to_front else RegionStep.BACK
    return _change_each(store.selected_regions, lambda region: replace(region, z=z), step)


def _movable(store: RegionStore) -> list[Region]:
    return [region for region in store.selected_regions if not region.locked]


def _change(
    before: Iterable[Region], after: Iterable[Region], step: RegionStep, merge_key: str | None = None
) -> RegionChange | None:
    change = RegionChange(tuple(before), tuple(after), step, merge_key)
    return None if change.before == change.after else change


def _change_each(
    regions: Iterable[Region], update: Callable[[Region], Region], step: RegionStep
) -> RegionChange | None:
    pairs = [(region, update(region)) for region in regions]
    pairs = [(before, after) for before, after in pairs if before != after]
    return _change((before for before, _ in pairs), (after for _, after in pairs), step)


def _add_copies(
    store: RegionStore, size: Size, regions: Iterable[Region], step: RegionStep
) -> RegionChange | None:
    occupied = {region.rect for region in store}
    originals = list(regions)
    rects = [region.rect for region in originals]
    while any(rect in occupied for rect in rects):
        shifted = move_rects(rects, OFFSET, OFFSET, size)
        if shifted == rects:
            break
        rects = shifted
    first_number = store.next_number()
    new = [
        Region(new_key(), rect, first_number + index, region.label, copy_of=region.id)
        for index, (region, rect) in enumerate(zip(originals, rects, strict=True))
    ]
    return _change((), new, step)
