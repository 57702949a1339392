"""Computes rectangles that are drawn, moved or resized: on whole pixels and inside the picture.

Computes the changes of keys and menus to the selected regions. None means that nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import Enum, StrEnum

from desktop.canvas.model.regions import Region, RegionChange, RegionStep, RegionStore
from shared.ids import new_key
from shared.record.geometry import Rect

Size = tuple[int, int]


class Handle(Enum):
    """A handle of a rectangle with the edges that it drags: -1 left or top, 1 right or bottom, 0 none."""

    TOP_LEFT = (-1, -1)
    TOP = (0, -1)
    TOP_RIGHT = (1, -1)
    RIGHT = (1, 0)
    BOTTOM_RIGHT = (1, 1)
    BOTTOM = (0, 1)
    BOTTOM_LEFT = (-1, 1)
    LEFT = (-1, 0)

    def point_on(self, rect: Rect) -> tuple[float, float]:
        """The position of the handle on `rect`."""
        x_edge, y_edge = self.value
        return rect.x + rect.w * (x_edge + 1) / 2, rect.y + rect.h * (y_edge + 1) / 2


def handle_at(rect: Rect, x: float, y: float, reach: float) -> Handle | None:
    """The handle of `rect` within `reach` of the point, corners before edges; None when there is none.

    A small rectangle has only corner handles, so that it can still be moved.
    """
    has_room = min(rect.w, rect.h) > 3 * reach
    for handle in sorted(Handle, key=lambda handle: 0 in handle.value):
        if 0 in handle.value and not has_room:
            continue
        handle_x, handle_y = handle.point_on(rect)
        if abs(handle_x - x) <= reach and abs(handle_y - y) <= reach:
            return handle
    return None


def rect_between(x1: float, y1: float, x2: float, y2: float, size: Size, square: bool = False) -> Rect | None:
    """The rectangle of whole pixels between two corners, inside the picture; None when it is empty.

    With `square`, both sides have the length of the larger distance, limited by the picture.
    """
    width, height = size
    x1, y1 = _clamp(round(x1), width), _clamp(round(y1), height)
    x2, y2 = _clamp(round(x2), width), _clamp(round(y2), height)
    if square:
        room_x = x1 if x2 < x1 else width - x1
        room_y = y1 if y2 < y1 else height - y1
        side = min(max(abs(x2 - x1), abs(y2 - y1)), room_x, room_y)
        x2 = x1 - side if x2 < x1 else x1 + side
        y2 = y1 - side if y2 < y1 else y1 + side
    rect = Rect(min(x1, x2), min(y1, y2), abs(x2 - x1), abs(y2 - y1))
    return None if rect.is_empty else rect


def resize_rect(rect: Rect, handle: Handle, x: float, y: float, size: Size) -> Rect:
    """Drag a handle of `rect` to a point. Dragged edges are on whole pixels and at least 1 px apart.

    Dragging across the opposite edge flips the rectangle.
    """
    x_edge, y_edge = handle.value
    left, right = _edges(rect.x, rect.right, x_edge, x, size[0])
    top, bottom = _edges(rect.y, rect.bottom, y_edge, y, size[1])
    return Rect(left, top, right - left, bottom - top)


def move_rects(rects: Sequence[Rect], dx: float, dy: float, size: Size) -> list[Rect]:
    """Move all `rects` together by whole pixels, as far as all of them stay inside the picture."""
    if not rects:
        return []
    step_x = _limit_step(round(dx), min(r.x for r in rects), size[0] - max(r.right for r in rects))
    step_y = _limit_step(round(dy), min(r.y for r in rects), size[1] - max(r.bottom for r in rects))
    return [Rect(r.x + step_x, r.y + step_y, r.w, r.h).clamp(*size) for r in rects]


def snap_offset(edges: Iterable[float], lines: Iterable[float], reach: float) -> float:
    """The smallest shift that moves one of `edges` to one of `lines`; 0 when none is within `reach`."""
    candidates = list(lines)
    shifts = (line - edge for edge in edges for line in candidates)
    return min((shift for shift in shifts if abs(shift) <= reach), key=abs, default=0.0)


def _clamp(value: float, end: int) -> float:
    return float(min(max(value, 0), end))


def _limit_step(step: float, before: float, after: float) -> float:
    return min(max(step, -before), after) if -before <= after else 0.0


def _edges(low: float, high: float, direction: int, value: float, end: int) -> tuple[float, float]:
    if direction == 0:
        return low, high
    moved_edge, fixed_edge = (low, high) if direction < 0 else (high, low)
    moved_edge = _clamp(round(value), end)
    if abs(moved_edge - fixed_edge) < 1:
        moved_edge = fixed_edge + direction
        if not 0 <= moved_edge <= end:
            moved_edge = fixed_edge - direction
    return min(moved_edge, fixed_edge), max(moved_edge, fixed_edge)


OFFSET = 16
"""Distance in px between a copy and its original."""


class AlignSide(StrEnum):
    """The common edge that regions are aligned to."""

    LEFT = "left"
    RIGHT = "right"
    TOP = "top"
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
            case AlignSide.RIGHT:
                x = right - rect.w
            case AlignSide.TOP:
                y = top
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
