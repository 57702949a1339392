"""Chooses the windows of a region in which a backbone processes findings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from shared.record.geometry import Rect

MAX_WINDOWS: Final = 6
"""The most windows for the findings of one comparison: if there were more, larger windows are chosen."""
_ENLARGED: Final = 4.0
"""The most that a region smaller than the input of the backbone is enlarged."""


class Cells(NamedTuple):
    """Patches of a window: rows from `top` to before `bottom`, columns from `left` to before `right`."""

    top: int
    bottom: int
    left: int
    right: int


def choose_windows(boxes: Sequence[Rect], region: Rect, side: float) -> list[Rect]:
    """The window of each box: squares that overlap by half, in px of the reference image like the boxes.

    side: of a window that the backbone processes at the resolution of the pictures. A window is at least
    twice as long as its box, as far as the region permits, and has the box near its middle. The windows are
    on a lattice of the region, so that findings of later photos get the same windows. They may reach beyond
    the region.
    """
    longest = max(region.w, region.h)
    least = max(min(side, longest), side / _ENLARGED)
    while True:
        windows = [_window(box, region, _side(box, least, max(longest, least))) for box in boxes]
        if len(set(windows)) <= MAX_WINDOWS or least >= longest:
            return windows
        least = min(least * 2, longest)


def _side(box: Rect, least: float, most: float) -> float:
    doublings = max(math.ceil(math.log2(max(2 * max(box.w, box.h) / least, 1))), 0)
    return min(least * 2.0**doublings, most)


def _window(box: Rect, region: Rect, side: float) -> Rect:
    (x, y) = box.centre
    return Rect(_start(region.x, region.w, side, x), _start(region.y, region.h, side, y), side, side)


def _start(start: float, length: float, side: float, middle: float) -> float:
    """The start, along one axis, of the window whose middle is nearest to `middle`."""
    spare = length - side
    if spare <= 0:
        return start + spare / 2
    steps = math.ceil(spare / (side / 2))
    step = spare / steps
    return start + step * min(max(round((middle - side / 2 - start) / step), 0), steps)


def touched_cells(box: Rect, window: Rect, rows: int, columns: int) -> Cells:
    """The patches of `window` that `box` touches, at least one; the window has `rows` x `columns`."""

    def span(start: float, end: float, count: int) -> tuple[int, int]:
        first = min(max(math.floor(start * count), 0), count - 1)
        return first, min(max(math.ceil(end * count), first + 1), count)

    top, bottom = span((box.y - window.y) / window.h, (box.bottom - window.y) / window.h, rows)
    left, right = span((box.x - window.x) / window.w, (box.right - window.x) / window.w, columns)
    return Cells(top, bottom, left, right)
