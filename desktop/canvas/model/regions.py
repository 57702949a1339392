"""Stores the regions of a picture and notifies views of changes. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from shared.record.geometry import Rect

Edges = npt.NDArray[np.float64]
"""Rectangles as rows of left, top, right, bottom."""
Marks = npt.NDArray[np.int64]
"""A whole number for each rectangle, whose meaning the user of the index knows."""


class RectIndex:
    """Rectangles by id. Adding, moving and removing a rectangle takes constant time.

    For fast hit tests all are rows of one array, which are compared at once. Comparing 10,000 rows takes
    about 0.05 ms, so no grid of cells is needed, which moving regions would change.
    """

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


class RegionState(StrEnum):
    """The state that the colour of a region shows."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"
    NONE = "none"


class RegionStep(StrEnum):
    """The kind of a change: the key of the undo step's name (`tool_names.step_name`)."""

    DRAW = "draw"
    MOVE = "move"
    RESIZE = "resize"
    NUDGE = "nudge"
    DUPLICATE = "duplicate"
    PASTE = "paste"
    ALIGN = "align"
    LOCK = "lock"
    UNLOCK = "unlock"
    HIDE = "hide"
    SHOW = "show"
    FRONT = "front"
    BACK = "back"


@dataclass(frozen=True, slots=True)
class Region:
    """A rectangle in upright px with its number, label and state. `note` is shown after the label.

    `copy_of` is the id of the region that this one was copied from, or empty.
    """

    id: str
    rect: Rect
    number: int
    label: str = ""
    state: RegionState = RegionState.NONE
    note: str = ""
    locked: bool = False
    hidden: bool = False
    z: int = 0
    copy_of: str = ""

    def with_rect(self, rect: Rect) -> Region:
        """A copy of the region with another rectangle."""
        return replace(self, rect=rect)


@dataclass(frozen=True, slots=True)
class RegionChange:
    """A change by the user: the changed regions before and after it.

    A region that is only in `after` is new, one that is only in `before` is deleted. Changes with the same
    `merge_key` that soon follow each other become one undo step, such as those of arrow keys.
    """

    before: tuple[Region, ...]
    after: tuple[Region, ...]
    step: RegionStep
    merge_key: str | None = None


@dataclass(frozen=True, slots=True)
class StoreEvent:
    """The difference that a change made to a store: ids of regions, and whether the selection changed.

    With `only_states`, nothing but the states of the changed regions differs.
    """

    changed: frozenset[str] = frozenset()
    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    selection: bool = False
    only_states: bool = False


Listener = Callable[[StoreEvent], None]

KINDS = [
    (state, locked)
    for state in (RegionState.NONE, RegionState.PASSED, RegionState.UNDECIDED, RegionState.FAILED)
    for locked in (False, True)
]
"""The state of regions and whether they are locked. Where kinds are painted one after the other, a later one
lies over those before."""
_KIND_NUMBERS = {kind: number for number, kind in enumerate(KINDS)}
_HIDDEN = len(KINDS)
_Z_STEP = 2 * _HIDDEN


@dataclass(frozen=True, slots=True)
class RegionRows:
    """Regions as arrays with a row for each of them, in the order of painting: lower z first, then larger
    ones."""

    ids: list[str]
    edges: Edges
    areas: npt.NDArray[np.float64]
    kinds: npt.NDArray[np.int64]
    """Indexes into `KINDS`."""


def _mark_of(region: Region) -> int:
    """What a row says of a region besides its rectangle, as one number."""
    return region.z * _Z_STEP + region.hidden * _HIDDEN + _KIND_NUMBERS[region.state, region.locked]


@dataclass(eq=False)
class RegionStore:
    """The regions of one picture and the selection. All changes use `apply` or `replace`."""

    _regions: dict[str, Region] = field(default_factory=dict)
    _index: RectIndex = field(default_factory=RectIndex)
    _selected: dict[str, None] = field(default_factory=dict)
    _listeners: list[Listener] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._regions)

    def __iter__(self) -> Iterator[Region]:
        return iter(self._regions.values())

    def __contains__(self, region_id: object) -> bool:
        return region_id in self._regions

    def __getitem__(self, region_id: str) -> Region:
        return self._regions[region_id]

    def get(self, region_id: str) -> Region | None:
        """The region with this id, or None."""
        return self._regions.get(region_id)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` after every change. The returned function ends the subscription."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def replace(self, regions: Iterable[Region]) -> None:
        """Replace all regions. Selected regions that remain stay selected."""
        by_id = {region.id: region for region in regions}
        removed_regions = [region for key, region in self._regions.items() if key not in by_id]
        current = self._regions.get
        # Most are the same objects. Comparing the fields of all would take long in a large record.
        new_regions = [
            region for key, region in by_id.items() if current(key) is not region and current(key) != region
        ]
        self._update(removed_regions, new_regions)

    def apply(self, change: RegionChange) -> None:
        """Apply a change. Only `after` and the ids of `before` are used."""
        after = {region.id for region in change.after}
        self._update([region for region in change.before if region.id not in after], change.after)

    @property
    def selected_ids(self) -> tuple[str, ...]:
        """The ids of the selected regions in the order of selecting."""
        return tuple(self._selected)

    @property
    def selected_regions(self) -> tuple[Region, ...]:
        """The selected regions in the order of selecting."""
        return tuple(self._regions[key] for key in self._selected)

    def select(self, ids: Iterable[str]) -> None:
        """Select exactly these regions. Unknown ids are ignored."""
        selected = {key: None for key in ids if key in self._regions}
        if list(selected) != list(self._selected):
            self._selected = selected
            self._notify(StoreEvent(selection=True))

    def toggle(self, region_id: str) -> None:
        """Add the region to the selection, or remove it from the selection."""
        others = [key for key in self._selected if key != region_id]
        self.select(others if region_id in self._selected else [*others, region_id])

    def hits(self, x: float, y: float, margin: float = 0.0) -> list[Region]:
        """The visible regions at a point (px), in the order of picking: higher z first, then smaller area.

        A region inside a larger one can therefore always be picked. `margin` (px) extends all regions.
        """
        regions = [self._regions[key] for key in self._index.find_containing(x, y, margin)]
        return sorted(
            (region for region in regions if not region.hidden),
            key=lambda region: (-region.z, region.rect.area, region.number),
        )

    def find_intersecting(self, rect: Rect) -> list[Region]:
        """The visible regions that have a point in common with `rect`."""
        regions = (self._regions[key] for key in self._index.find_intersecting(rect))
        return [region for region in regions if not region.hidden]

    def count_intersecting(self, rect: Rect) -> int:
        """The number of regions, including hidden ones, that have a point in common with `rect`."""
        return self._index.count_intersecting(rect)

    def rows_intersecting(self, rect: Rect, excluded: Collection[str] = ()) -> RegionRows:
        """The visible regions that have a point in common with `rect`, except those with `excluded` ids."""
        ids, edges, marks = self._index.rows_intersecting(rect)
        areas = (edges[:, 2] - edges[:, 0]) * (edges[:, 3] - edges[:, 1])
        order = np.lexsort((-areas, marks // _Z_STEP))
        order = order[marks[order] % _Z_STEP < _HIDDEN]
        if excluded:
            order = order[[ids[row] not in excluded for row in order.tolist()]]
        kinds = marks[order] % _HIDDEN
        return RegionRows([ids[row] for row in order.tolist()], edges[order], areas[order], kinds)

    def next_number(self) -> int:
        """The number for a new region: one above the highest number."""
        return max((region.number for region in self), default=0) + 1

    def _update(self, removed_regions: Sequence[Region], new_regions: Sequence[Region]) -> None:
        removed: set[str] = set()
        added: set[str] = set()
        changed: set[str] = set()
        for region in removed_regions:
            if self._regions.pop(region.id, None) is not None:
                self._index.remove(region.id)
                removed.add(region.id)
        only_states = not removed and all(map(self._has_other_state, new_regions))
        for region in new_regions:
            (changed if region.id in self._regions else added).add(region.id)
            self._regions[region.id] = region
        if not (removed or added or changed):
            return
        if not only_states:
            self._index.update({region.id: region.rect for region in new_regions})
        self._index.mark({region.id: _mark_of(region) for region in new_regions})
        deselected = removed & self._selected.keys()
        self._selected = {key: None for key in self._selected if key not in removed}
        ids = frozenset(changed), frozenset(added), frozenset(removed)
        self._notify(StoreEvent(*ids, selection=bool(deselected), only_states=only_states))

    def _has_other_state(self, region: Region) -> bool:
        """Whether `region` is a present one with another state, and nothing else differs."""
        present = self._regions.get(region.id)
        return present is not None and replace(present, state=region.state) == region

    def _notify(self, event: StoreEvent) -> None:
        for listener in tuple(self._listeners):
            listener(event)
