"""Stores the regions of a picture and notifies views of changes. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from desktop.canvas.model.rect_index import Edges, RectIndex
from shared.geometry import Rect


class RegionState(StrEnum):
    """What the colour of a region says."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"
    NONE = "none"


class RegionStep(StrEnum):
    """What a change of regions is called: the key of the undo step's name (`tool_names.step_name`)."""

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
    """A rectangle in upright px with its number and what is shown of it. `note` is shown after the name.

    `copy_of` is the id of the region that this one was copied from; empty for none.
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

    def at(self, rect: Rect) -> Region:
        """The same region elsewhere."""
        return replace(self, rect=rect)


@dataclass(frozen=True, slots=True)
class RegionsChanged:
    """What a person did: the touched regions before and after. `after` alone: new; `before` alone: gone.

    `merge_key` is set for steps that belong together when they follow each other soon (arrow keys).
    """

    before: tuple[Region, ...]
    after: tuple[Region, ...]
    step: RegionStep
    merge_key: str | None = None


@dataclass(frozen=True, slots=True)
class StoreEvent:
    """What became different in a store: the ids of regions, and whether the selection did."""

    changed: frozenset[str] = frozenset()
    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    selection: bool = False


Listener = Callable[[StoreEvent], None]


@dataclass(eq=False)
class RegionStore:
    """The regions of one picture and which are selected. All changes go through `apply` or `replace`."""

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
        """The region, or None when there is none with this id."""
        return self._regions.get(region_id)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Have `listener` called after every change; the returned function ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def replace(self, regions: Iterable[Region]) -> None:
        """Hold exactly these regions; what is still there stays selected."""
        wanted = {region.id: region for region in regions}
        dropped = [region for key, region in self._regions.items() if key not in wanted]
        current = self._regions.get
        # Most are the very same objects: comparing their fields would take long in a large record.
        fresh = [
            region for key, region in wanted.items() if current(key) is not region and current(key) != region
        ]
        self._take(dropped, fresh)

    def apply(self, change: RegionsChanged) -> None:
        """Take over what a person did, or undo. Only `after` and the ids of `before` count."""
        after = {region.id for region in change.after}
        self._take([region for region in change.before if region.id not in after], change.after)

    @property
    def selected(self) -> tuple[str, ...]:
        """The ids of the selected regions in the order of selecting."""
        return tuple(self._selected)

    @property
    def selected_regions(self) -> tuple[Region, ...]:
        """The selected regions in the order of selecting."""
        return tuple(self._regions[key] for key in self._selected)

    def select(self, ids: Iterable[str]) -> None:
        """Select exactly these; ids that are not here do not count."""
        wanted = {key: None for key in ids if key in self._regions}
        if list(wanted) != list(self._selected):
            self._selected = wanted
            self._tell(StoreEvent(selection=True))

    def toggle(self, region_id: str) -> None:
        """Select the region in addition, or no longer."""
        others = [key for key in self._selected if key != region_id]
        self.select(others if region_id in self._selected else [*others, region_id])

    def hits(self, x: float, y: float, margin: float = 0.0) -> list[Region]:
        """The visible regions at a point, the one to pick first: higher z, then smaller, so that a region
        inside a larger one can always be reached."""
        regions = [self._regions[key] for key in self._index.at(x, y, margin)]
        return sorted(
            (region for region in regions if not region.hidden),
            key=lambda region: (-region.z, region.rect.area, region.number),
        )

    def touching(self, rect: Rect) -> list[Region]:
        """The visible regions that have a point in common with `rect`."""
        regions = (self._regions[key] for key in self._index.touching(rect))
        return [region for region in regions if not region.hidden]

    def count_touching(self, rect: Rect) -> int:
        """How many regions, hidden ones as well, have a point in common with `rect`."""
        return self._index.count_touching(rect)

    def edges(self, ids: Sequence[str]) -> Edges:
        """Left, top, right and bottom (px) of these regions, a row each. Raises KeyError for others."""
        return self._index.edges(ids)

    def next_number(self) -> int:
        """One above the highest number."""
        return max((region.number for region in self), default=0) + 1

    def _take(self, dropped: Sequence[Region], fresh: Sequence[Region]) -> None:
        removed: set[str] = set()
        added: set[str] = set()
        changed: set[str] = set()
        for region in dropped:
            if self._regions.pop(region.id, None) is not None:
                self._index.remove(region.id)
                removed.add(region.id)
        for region in fresh:
            (changed if region.id in self._regions else added).add(region.id)
            self._regions[region.id] = region
        self._index.put({region.id: region.rect for region in fresh})
        if not (removed or added or changed):
            return
        lost = removed & self._selected.keys()
        self._selected = {key: None for key in self._selected if key not in removed}
        self._tell(StoreEvent(frozenset(changed), frozenset(added), frozenset(removed), bool(lost)))

    def _tell(self, event: StoreEvent) -> None:
        for listener in tuple(self._listeners):
            listener(event)
