"""Finds places for the chips of regions and findings: beside them, never on what they name."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QRectF

from desktop.canvas.model.rect_index import Edges
from shared.record.geometry import Rect

CHIP_HEIGHT = 20
"""View px."""

_INSIDE_SHARE = 3
"""A chip is put inside a region that is at least this many times as large."""
_TOLERANCE = 1.0
"""View px by which edges may differ that are drawn on the same px."""


class ChipPlaces:
    """Places chips one after the other so that they cover neither each other nor another region.

    `boxes`: left, top, right and bottom of all regions in view px, shape (n, 4). `view`: width and height.
    """

    def __init__(self, boxes: Edges, view: tuple[float, float]) -> None:
        self._edges = np.ascontiguousarray(boxes.T)
        self._view = view
        self._occupied: set[tuple[int, int]] = set()

    @property
    def cells(self) -> int:
        """The number of cells of the view that chips cover."""
        return len(self._occupied)

    def take(self, box: Rect, width: float, *, required: bool = False) -> QRectF | None:
        """The place of a chip of this width at the region `box`; None if there is no room.

        A `required` chip gets the best place even if that covers something else.
        """
        best = None
        for chip in chip_positions(box, width, self._view):
            cells = _cells(chip)
            best = best or (chip, cells)
            if self._occupied.isdisjoint(cells) and not self._covers_another(chip, box):
                break
        else:
            if not required or best is None:
                return None
            chip, cells = best
        self._occupied.update(cells)
        return chip

    def _covers_another(self, chip: QRectF, box: Rect) -> bool:
        """Whether a chip of `box` covers a region that is not around it."""
        left, top, right, bottom = self._edges
        hit = (left < chip.right()) & (right > chip.left()) & (top < chip.bottom()) & (bottom > chip.top())
        for index in np.flatnonzero(hit):
            is_around = (
                left[index] <= box.x + _TOLERANCE
                and top[index] <= box.y + _TOLERANCE
                and right[index] >= box.right - _TOLERANCE
                and bottom[index] >= box.bottom - _TOLERANCE
            )
            if not is_around:
                return True
        return False


def _cells(chip: QRectF) -> list[tuple[int, int]]:
    """The cells of a grid that a chip covers. A cell is a square with half the height of a chip."""
    side = CHIP_HEIGHT / 2
    columns = range(int(chip.left() // side), int(chip.right() // side) + 1)
    rows = range(int(chip.top() // side), int((chip.bottom() - 1) // side) + 1)
    return [(column, row) for column in columns for row in rows]


def chip_positions(box: Rect, width: float, view: tuple[float, float]) -> Iterator[QRectF]:
    """Yield the positions for a chip of this width at a region, the best one first. All values are view px.

    The best one is above the region at its left. A large region has one inside, and its visible part counts.
    No position covers a small region.
    """
    left, right = box.x - 1, box.right + 1 - width
    above, below = box.y - CHIP_HEIGHT, box.bottom
    middle = box.y + (box.h - CHIP_HEIGHT) / 2
    max_x, max_y = max(int(view[0] - width), 0), max(int(view[1] - CHIP_HEIGHT), 0)
    # Far enough from a neighbour's chip that both cover different cells.
    clearance = 1.5 * CHIP_HEIGHT
    near_left = min(max(left, 0.0), max_x)
    places = [(near_left, above)]
    visible = box.intersection(Rect(0, 0, *view))
    if visible.w >= width and visible.area >= _INSIDE_SHARE * width * CHIP_HEIGHT:
        places.append((max(left, 0.0), max(box.y, 0.0)))
    places += [(near_left, below), (right, above), (right, below)]
    places += [(box.right + 2, middle), (box.x - width - 2, middle)]
    places += [(near_left, above - clearance), (near_left, below + clearance)]
    for x, y in places:
        if 0 <= round(x) <= max_x and 0 <= round(y) <= max_y:
            yield QRectF(round(x), round(y), round(width), CHIP_HEIGHT)
