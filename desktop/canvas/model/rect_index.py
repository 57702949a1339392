"""Indexes rectangles by id for fast hit tests: all are rows of one array, which are compared at once.

Comparing 10,000 rows takes about 0.05 ms, so no grid of cells is needed, which moving regions would change.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import numpy.typing as npt

from shared.record.geometry import Rect

Edges = npt.NDArray[np.float64]
"""Rectangles as rows of left, top, right, bottom."""
Marks = npt.NDArray[np.int64]
"""A whole number for each rectangle, whose meaning the user of the index knows."""


class RectIndex:
    """Rectangles by id. Adding, moving and removing a rectangle takes constant time."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._rows: dict[str, int] = {}
        # left, top, right, bottom; the rows in use come first
        self._edges: Edges = np.empty((64, 4))
        self._marks: Marks = np.zeros(64, np.int64)

    def __len__(self) -> int:
        return len(self._ids)

    def update(self, rects: Mapping[str, Rect]) -> None:
        """Add or move these rectangles."""
        new = [key for key in rects if key not in self._rows]
        count = len(self._ids) + len(new)
        if count > len(self._edges):
            extra = max(count, 2 * len(self._edges)) - len(self._edges)
            self._edges = np.concatenate([self._edges, np.empty((extra, 4))])
            self._marks = np.concatenate([self._marks, np.zeros(extra, np.int64)])
        self._marks[len(self._ids) : count] = 0
        self._rows.update(zip(new, range(len(self._ids), count), strict=True))
        self._ids += new
        edges = ((rect.x, rect.y, rect.right, rect.bottom) for rect in rects.values())
        self._edges[self._rows_of(rects)] = np.fromiter(edges, np.dtype((np.float64, 4)), len(rects))

    def mark(self, marks: Mapping[str, int]) -> None:
        """Keep these numbers with rectangles, which have 0 until then. Raises KeyError for an unknown id."""
        self._marks[self._rows_of(marks)] = np.fromiter(marks.values(), np.int64, len(marks))

    def remove(self, key: str) -> None:
        """Remove a rectangle. Raises KeyError when the index does not contain it."""
        row = self._rows.pop(key)
        last = self._ids.pop()
        if last != key:
            self._ids[row] = last
            self._rows[last] = row
            self._edges[row] = self._edges[len(self._ids)]
            self._marks[row] = self._marks[len(self._ids)]

    def find_containing(self, x: float, y: float, margin: float = 0.0) -> list[str]:
        """The ids of the rectangles that contain the point (half-open), grown by `margin` on all sides."""
        edges = self._edges[: len(self._ids)]
        inside = (edges[:, 0] - margin <= x) & (x < edges[:, 2] + margin)
        inside &= (edges[:, 1] - margin <= y) & (y < edges[:, 3] + margin)
        return self._ids_where(inside)

    def find_intersecting(self, rect: Rect) -> list[str]:
        """The ids of the rectangles that have a point in common with `rect`."""
        return self._ids_where(self._intersection_mask(rect))

    def count_intersecting(self, rect: Rect) -> int:
        """The number of rectangles that have a point in common with `rect`."""
        return int(np.count_nonzero(self._intersection_mask(rect)))

    def rows_intersecting(self, rect: Rect) -> tuple[list[str], Edges, Marks]:
        """The ids, edges and marks of the rectangles that have a point in common with `rect`."""
        rows = np.flatnonzero(self._intersection_mask(rect))
        return [self._ids[row] for row in rows.tolist()], self._edges[rows], self._marks[rows]

    def _intersection_mask(self, rect: Rect) -> npt.NDArray[np.bool_]:
        edges = self._edges[: len(self._ids)]
        mask = (edges[:, 0] < rect.right) & (edges[:, 2] > rect.x)
        mask &= (edges[:, 1] < rect.bottom) & (edges[:, 3] > rect.y)
        return mask

    def _rows_of(self, keys: Collection[str]) -> npt.NDArray[np.intp]:
        return np.fromiter(map(self._rows.__getitem__, keys), np.intp, len(keys))

    def _ids_where(self, mask: npt.NDArray[np.bool_]) -> list[str]:
        return [self._ids[row] for row in np.flatnonzero(mask)]
