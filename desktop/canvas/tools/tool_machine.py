"""Defines the tools as pure state machines: pointer in, drafts to paint and changes out. No window is needed.

A tool never touches the store but for the selection: it gives the finished change to `emit`, whose receiver
applies it to the store, so that doing and undoing go the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from desktop.canvas.model.regions import RegionsChanged, RegionStore
from desktop.canvas.model.shaping import Handle, Size, snapped
from shared.geometry import Rect

DRAG_DISTANCE = 4.0
"""View px that the pointer must move for a press to be a drag and no click."""


_SNAP_REACH = 6.0
"""View px within which an edge is drawn to another one while snapping is on."""


class Tool(StrEnum):
    """What the left button does."""

    SELECT = "select"
    DRAW = "draw"
    PAN = "pan"
    RULER = "ruler"
    AREA = "area"


@dataclass(frozen=True, slots=True)
class Pointer:
    """Where the pointer is: in picture px (may be outside) and in view px, and which keys are held."""

    x: float
    y: float
    view_x: float
    view_y: float
    shift: bool = False
    ctrl: bool = False

    def far_from(self, other: Pointer) -> bool:
        """True when the way between makes a drag."""
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
        """In px."""
        return float(((self.x2 - self.x1) ** 2 + (self.y2 - self.y1) ** 2) ** 0.5)


@dataclass(frozen=True, slots=True)
class ToolDraft:
    """What is under way and not yet a change: to be painted over the regions."""

    moved: Mapping[str, Rect] = field(default_factory=dict)
    drawn: Rect | None = None
    band: Rect | None = None
    measure: Measure | None = None


@dataclass(slots=True)
class ToolContext:
    """What the tools work on: the store, the picture's size in px, the scale in view px per px."""

    store: RegionStore
    emit: Callable[[RegionsChanged], bool]
    """Hands over a change; False when nothing may be changed now."""
    size: Size = (0, 0)
    scale: float = 1.0
    snapping: bool = False
    area: Callable[[Rect], None] = lambda _rect: None
    """Takes an area that was drawn."""

    @property
    def snap_reach(self) -> float:
        """How near an edge is drawn to a line, px of the picture."""
        return _SNAP_REACH / self.scale

    def lines(self, without: Collection[str] = ()) -> tuple[list[float], list[float]]:
        """The edges to snap to, across and down: those of the picture and of the regions not in `without`."""
        others = [region.rect for region in self.store if region.id not in without and not region.hidden]
        across = [0.0, float(self.size[0]), *(edge for r in others for edge in (r.x, r.right))]
        down = [0.0, float(self.size[1]), *(edge for r in others for edge in (r.y, r.bottom))]
        return across, down

    def snapped_point(self, x: float, y: float, without: Collection[str] = ()) -> tuple[float, float]:
        """A point drawn to the nearest lines while snapping is on; else as it is."""
        if not self.snapping:
            return x, y
        across, down = self.lines(without)
        return x + snapped([x], across, self.snap_reach), y + snapped([y], down, self.snap_reach)


@dataclass(frozen=True, slots=True)
class Hover:
    """What is below the pointer: a handle, or something that can be moved, or nothing."""

    handle: Handle | None = None
    movable: bool = False


class ToolMachine(Protocol):
    """One tool. `draft` and `busy` say what is under way."""

    @property
    def draft(self) -> ToolDraft:
        """What to paint."""

    @property
    def busy(self) -> bool:
        """True while something is under way that Esc would cancel."""

    def press(self, pointer: Pointer) -> None:
        """The left button went down."""

    def move(self, pointer: Pointer, pressed: bool) -> None:
        """The pointer moved, with the left button down or not."""

    def release(self, pointer: Pointer) -> bool:
        """The left button went up; True when that ended what was under way as a change or an area."""

    def finish(self) -> bool:
        """Enter: end what is under way as a change or an area; False when nothing came of it."""

    def cancel(self) -> bool:
        """Esc: drop what is under way; False when there was nothing to drop."""

    def hover(self, pointer: Pointer) -> Hover:
        """What the pointer would take hold of."""
