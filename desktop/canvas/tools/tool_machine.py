"""Defines the interface of the tools: state machines that turn pointer events into drafts and changes.

A tool changes only the selection of the store. It passes a finished change to `emit`, whose receiver applies
it to the store, so that a change and its undo use the same code.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from desktop.canvas.model.regions import RegionChange, RegionStore
from desktop.canvas.model.shaping import Handle, Size, snap_offset
from shared.record.geometry import Rect

DRAG_DISTANCE = 4.0
"""Distance in view px from which a press counts as a drag instead of a click."""


_SNAP_REACH = 6.0
"""Distance in view px within which an edge snaps to another one."""


class Tool(StrEnum):
    """A tool of the left button."""

    SELECT = "select"
    DRAW = "draw"
    PAN = "pan"
    RULER = "ruler"
    AREA = "area"


@dataclass(frozen=True, slots=True)
class Pointer:
    """The position of the pointer in picture px (possibly outside) and in view px, and the pressed
    modifiers."""

    x: float
    y: float
    view_x: float
    view_y: float
    shift: bool = False
    ctrl: bool = False

    def is_drag_from(self, other: Pointer) -> bool:
        """Whether the distance to `other` is long enough for a drag."""
        distance = max(abs(self.view_x - other.view_x), abs(self.view_y - other.view_y))
        return distance >= DRAG_DISTANCE


@dataclass(frozen=True, slots=True)
class Measure:
    """A measured distance between two points in picture px."""

    x1: float
    y1: float
    x2: float
    y2: float

    @property
    def length(self) -> float:
        """The length in px."""
        return float(((self.x2 - self.x1) ** 2 + (self.y2 - self.y1) ** 2) ** 0.5)


@dataclass(frozen=True, slots=True)
class ToolDraft:
    """An unfinished action, which is painted over the regions: moved, drawn, selecting or measuring."""

    moved_rects: Mapping[str, Rect] = field(default_factory=dict)
    new_rect: Rect | None = None
    band: Rect | None = None
    measure: Measure | None = None


@dataclass(slots=True)
class ToolContext:
    """The data that the tools share: the store, the picture's size in px, the scale in view px per px."""

    store: RegionStore
    emit: Callable[[RegionChange], bool]
    """Passes on a change. Returns False when changes are not allowed now."""
    size: Size = (0, 0)
    scale: float = 1.0
    snapping: bool = False
    on_area: Callable[[Rect], None] = lambda _rect: None
    """Receives an area that was drawn."""

    @property
    def snap_reach(self) -> float:
        """The snapping distance in px of the picture."""
        return _SNAP_REACH / self.scale

    def snap_lines(self, excluded_ids: Collection[str] = ()) -> tuple[list[float], list[float]]:
        """The x and y coordinates to snap to: edges of the picture and of regions not in `excluded_ids`."""
        others = [region.rect for region in self.store if region.id not in excluded_ids and not region.hidden]
        xs = [0.0, float(self.size[0]), *(edge for r in others for edge in (r.x, r.right))]
        ys = [0.0, float(self.size[1]), *(edge for r in others for edge in (r.y, r.bottom))]
        return xs, ys

    def snap_point(self, x: float, y: float, excluded_ids: Collection[str] = ()) -> tuple[float, float]:
        """Snap a point to the nearest lines if snapping is on."""
        if not self.snapping:
            return x, y
        xs, ys = self.snap_lines(excluded_ids)
        return x + snap_offset([x], xs, self.snap_reach), y + snap_offset([y], ys, self.snap_reach)


@dataclass(frozen=True, slots=True)
class Hover:
    """What is below the pointer: a handle, a region that can be moved, or nothing."""

    handle: Handle | None = None
    movable: bool = False


class ToolMachine(Protocol):
    """The interface of one tool."""

    @property
    def draft(self) -> ToolDraft:
        """The unfinished action, to be painted."""

    @property
    def busy(self) -> bool:
        """True while an action is unfinished, which Esc would cancel."""

    def press(self, pointer: Pointer) -> None:
        """Handle a press of the left button."""

    def move(self, pointer: Pointer, pressed: bool) -> None:
        """Handle a move of the pointer. `pressed` is True while the left button is down."""

    def release(self, pointer: Pointer) -> bool:
        """Handle a release of the left button. Return True when it completed a change or an area."""

    def finish(self) -> bool:
        """Complete the action as a change or an area (Enter). Return False when there is nothing to
        complete."""

    def cancel(self) -> bool:
        """Cancel the action (Esc). Return False when there is none."""

    def hover(self, pointer: Pointer) -> Hover:
        """What a press at the pointer would drag."""
