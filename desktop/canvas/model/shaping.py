"""Draws, moves and resizes rectangles: whole pixels, never outside the picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum

from shared.geometry import Rect

Size = tuple[int, int]


class Handle(Enum):
    """A handle of a rectangle: which edges it drags (-1 left or top, 1 right or bottom, 0 none)."""

    TOP_LEFT = (-1, -1)
    TOP = (0, -1)
    TOP_RIGHT = (1, -1)
    RIGHT = (1, 0)
    BOTTOM_RIGHT = (1, 1)
    BOTTOM = (0, 1)
    BOTTOM_LEFT = (-1, 1)
    LEFT = (-1, 0)

    def point_on(self, rect: Rect) -> tuple[float, float]:
        """Where on `rect` it sits."""
        across, down = self.value
        return rect.x + rect.w * (across + 1) / 2, rect.y + rect.h * (down + 1) / 2


def handle_at(rect: Rect, x: float, y: float, reach: float) -> Handle | None:
    """The handle of `rect` within `reach` of the point, corners before edges; None when there is none.

    On a rectangle too small for them the handles of the edges give way to moving it.
    """
    roomy = min(rect.w, rect.h) > 3 * reach
    for handle in sorted(Handle, key=lambda handle: 0 in handle.value):
        if 0 in handle.value and not roomy:
            continue
        handle_x, handle_y = handle.point_on(rect)
        if abs(handle_x - x) <= reach and abs(handle_y - y) <= reach:
            return handle
    return None


def drawn(x1: float, y1: float, x2: float, y2: float, size: Size, square: bool = False) -> Rect | None:
    """The rectangle of whole pixels between two corners, inside the picture; None when it is empty.

    With `square` its sides are equal, as long as the larger distance and as the picture allows.
    """
    width, height = size
    x1, y1 = _within(round(x1), width), _within(round(y1), height)
    x2, y2 = _within(round(x2), width), _within(round(y2), height)
    if square:
        room_x = x1 if x2 < x1 else width - x1
        room_y = y1 if y2 < y1 else height - y1
        side = min(max(abs(x2 - x1), abs(y2 - y1)), room_x, room_y)
        x2 = x1 - side if x2 < x1 else x1 + side
        y2 = y1 - side if y2 < y1 else y1 + side
    rect = Rect(min(x1, x2), min(y1, y2), abs(x2 - x1), abs(y2 - y1))
    return None if rect.empty else rect


def resized(rect: Rect, handle: Handle, x: float, y: float, size: Size) -> Rect:
    """`rect` with the handle dragged to a point: the dragged edges on whole pixels, at least 1 px apart.

    Dragging across the opposite edge turns the rectangle over.
    """
    across, down = handle.value
    left, right = _edges(rect.x, rect.right, across, x, size[0])
    top, bottom = _edges(rect.y, rect.bottom, down, y, size[1])
    return Rect(left, top, right - left, bottom - top)


def moved(rects: Sequence[Rect], dx: float, dy: float, size: Size) -> list[Rect]:
    """All `rects` moved together by whole pixels, as far as the picture lets them all."""
    if not rects:
        return []
    step_x = _held(round(dx), min(r.x for r in rects), size[0] - max(r.right for r in rects))
    step_y = _held(round(dy), min(r.y for r in rects), size[1] - max(r.bottom for r in rects))
    return [Rect(r.x + step_x, r.y + step_y, r.w, r.h).clamped(*size) for r in rects]


def snapped(edges: Iterable[float], lines: Iterable[float], reach: float) -> float:
    """The smallest shift that brings one of `edges` onto one of `lines`; 0 when none is within `reach`."""
    candidates = list(lines)
    shifts = (line - edge for edge in edges for line in candidates)
    return min((shift for shift in shifts if abs(shift) <= reach), key=abs, default=0.0)


def _within(value: float, end: int) -> float:
    return float(min(max(value, 0), end))


def _held(step: float, before: float, after: float) -> float:
    return min(max(step, -before), after) if -before <= after else 0.0


def _edges(low: float, high: float, dragged: int, value: float, end: int) -> tuple[float, float]:
    if dragged == 0:
        return low, high
    moving, fixed = (low, high) if dragged < 0 else (high, low)
    moving = _within(round(value), end)
    if abs(moving - fixed) < 1:
        moving = fixed + dragged
        if not 0 <= moving <= end:
            moving = fixed - dragged
    return min(moving, fixed), max(moving, fixed)
