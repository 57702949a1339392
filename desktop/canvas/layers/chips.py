"""Finds places for the chips of regions and findings: beside them, never on what they name."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF

from desktop.canvas.model.rect_index import Edges

CHIP_HEIGHT = 20
"""View px."""

_Numbers = npt.NDArray[np.float64]
_Flags = npt.NDArray[np.bool_]
_INSIDE_SHARE = 3
"""A chip is put inside a region that is at least this many times as large."""
_TOLERANCE = 1.0
"""View px by which edges may differ that are drawn on the same px."""
_CELL = CHIP_HEIGHT // 2
"""The side of a square of the grid in which chips must not meet, in view px."""
_CLEARANCE = 1.5 * CHIP_HEIGHT
"""So far from the usual place, a chip does not meet that of a neighbour."""
_BEYOND = 30_000
"""No view is as large, in px."""
POSITIONS = 9
"""The number of positions of a chip. Where regions are dense, the first two suffice: above and inside."""


def _whole(numbers: _Numbers) -> npt.NDArray[np.int16]:
    """Whole view px as short numbers; what lies beyond every view, beyond it."""
    return np.minimum(np.maximum(numbers, -_BEYOND), _BEYOND).astype(np.int16)


class ChipPlaces:
    """Places chips one after the other so that they cover neither each other nor another region.

    `boxes`: left, top, right and bottom of the regions that get chips in view px, shape (n, 4), and `widths`
    (n) of their chips. `others` (m, 4): all regions. `view`: its width and height. What a region lies in does
    not count as covered. All positions of one kind are compared at once, and only when they are needed.
    """

    def __init__(
        self,
        boxes: Edges,
        widths: _Numbers,
        others: Edges,
        view: tuple[float, float],
        positions: int = POSITIONS,
    ) -> None:
        self._boxes, self._widths, self._others, self._view = boxes, np.rint(widths), others, view
        # Chips lie on whole px: compared with them, an edge within a px is the end of that px. Short numbers
        # are compared several times as fast.
        self._outer_px = (*_whole(np.floor(others[:, :2].T)), *_whole(np.ceil(others[:, 2:].T)))
        self._positions = positions
        self._width_of: list[float] = self._widths.tolist()
        self._columns: list[list[tuple[float, float, bool, bool]]] = []
        self._taken = np.zeros((int(view[1]) // _CELL + 3, int(view[0]) // _CELL + 3), bool)

    def reserve(self, index: int, *, required: bool = False) -> QRectF | None:
        """The place of the chip of a region; None if there is no room.

        A `required` chip gets the best place inside the view even if that covers something else.
        """
        best = None
        for column in range(self._positions):
            x, y, is_free, is_inside = self._position(column, index)
            if is_inside and (is_free or required):
                cells = self._cells(x, y, index)
                best = best or (x, y, cells)
                if is_free and not self._taken[cells].any():
                    break
        else:
            if not required or best is None:
                return None
            x, y, cells = best
        self._taken[cells] = True
        return QRectF(x, y, self._width_of[index], CHIP_HEIGHT)

    def positions(self, index: int) -> Iterator[QRectF]:
        """The positions of the chip of a region inside the view, the best one first."""
        for column in range(self._positions):
            x, y, _, is_inside = self._position(column, index)
            if is_inside:
                yield QRectF(x, y, self._width_of[index], CHIP_HEIGHT)

    def _cells(self, x: float, y: float, index: int) -> tuple[slice, slice]:
        left, top = int(x), int(y)
        right, bottom = int(x + self._width_of[index]), top + CHIP_HEIGHT - 1
        return slice(top // _CELL, bottom // _CELL + 1), slice(left // _CELL, right // _CELL + 1)

    def _position(self, column: int, index: int) -> tuple[float, float, bool, bool]:
        """A position of a chip, whether it covers no other region, and whether it is inside the view."""
        while len(self._columns) <= column:
            x, y = self._corners(len(self._columns))
            max_x, max_y = np.maximum(self._view[0] - self._widths, 0), max(self._view[1] - CHIP_HEIGHT, 0)
            is_inside = (x >= 0) & (x <= max_x) & (y >= 0) & (y <= max_y)
            is_free = ~self._covers_another(x, y)
            columns = (x.tolist(), y.tolist(), is_free.tolist(), is_inside.tolist())
            self._columns.append(list(zip(*columns, strict=True)))
        return self._columns[column][index]

    def _corners(self, column: int) -> tuple[_Numbers, _Numbers]:
        """The upper left corners of all chips in a kind of position; beyond the view where a region has none.

        The best one is above the region at its left, the next one inside a large region.
        """
        # Outwards to whole px: a chip just below a region must not meet the last px of one beside it.
        left, top = np.floor(self._boxes[:, :2].T)
        right, bottom = np.ceil(self._boxes[:, 2:].T)
        max_x = np.maximum(np.floor(self._view[0] - self._widths), 0)
        near_left = np.clip(left - 1, 0, max_x)
        above, middle, at_right = (
            top - CHIP_HEIGHT,
            (top + bottom - CHIP_HEIGHT) / 2,
            right + 1 - self._widths,
        )
        places = (
            (near_left, above),
            self._inside(),
            (near_left, bottom),
            (at_right, above),
            (at_right, bottom),
            (right + 2, middle),
            (left - self._widths - 2, middle),
            (near_left, above - _CLEARANCE),
            (near_left, bottom + _CLEARANCE),
        )
        x, y = places[column]
        return np.rint(x), np.rint(y)

    def _inside(self) -> tuple[_Numbers, _Numbers]:
        left, top, right, bottom = self._boxes.T
        x, y = np.maximum(left - 1, 0), np.maximum(top, 0)
        width, height = np.minimum(right, self._view[0]) - x, np.minimum(bottom, self._view[1]) - y
        has_room = (width >= self._widths) & (height >= CHIP_HEIGHT)
        has_room &= width * height >= _INSIDE_SHARE * self._widths * CHIP_HEIGHT
        return np.where(has_room, x, -_BEYOND), y

    def _covers_another(self, x: _Numbers, y: _Numbers) -> _Flags:
        """Whether chips at these corners cover a region that theirs does not lie in, shape (n)."""
        left, top, right, bottom = self._outer_px
        chip_left, chip_top = _whole(x)[:, None], _whole(y)[:, None]
        hit = (left < _whole(x + self._widths)[:, None]) & (right > chip_left)
        hit &= (top < _whole(y + CHIP_HEIGHT)[:, None]) & (bottom > chip_top)
        # NumPy finds places in a row many times as fast as in rows and columns.
        chips, regions = np.divmod(np.flatnonzero(hit), hit.shape[1])
        inner, outer = self._boxes[chips], self._others[regions]
        is_around = (outer[:, :2] <= inner[:, :2] + _TOLERANCE).all(axis=1)
        is_around &= (outer[:, 2:] >= inner[:, 2:] - _TOLERANCE).all(axis=1)
        covers = np.zeros(len(x), bool)
        covers[chips[~is_around]] = True
        return covers
