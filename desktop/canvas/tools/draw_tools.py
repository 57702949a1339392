"""Defines the tools that draw between two points: a new region, a measured distance."""

from __future__ import annotations

from abc import ABC, abstractmethod

from desktop.canvas.model.regions import Region, RegionChange, RegionStep
from desktop.canvas.model.shaping import rect_between
from desktop.canvas.tools.tool_machine import Hover, Measure, Pointer, ToolContext, ToolDraft
from shared.ids import new_key
from shared.record.geometry import Rect


class _TwoPointTool(ABC):
    """A tool with two points, set by a drag or by two clicks. `DRAG_DISTANCE` distinguishes them."""

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._start: Pointer | None = None
        self._end: Pointer | None = None

    @property
    def busy(self) -> bool:
        """True after the first point and before the second."""
        return self._start is not None

    def press(self, pointer: Pointer) -> None:
        """Set the first point, or the second of two clicks."""
        if self._start is None:
            self._start = pointer
        self._end = pointer

    def move(self, pointer: Pointer, pressed: bool) -> None:
        """Move the second point."""
        if self._start is not None:
            self._end = pointer

    def release(self, pointer: Pointer) -> bool:
        """Set the second point of a drag or of two clicks. Return True when the action is complete."""
        if self._start is None:
            return False
        self._end = pointer
        return pointer.is_drag_from(self._start) and self.finish()

    def finish(self) -> bool:
        """Complete the action with the points so far. Return False when there is nothing to complete."""
        if self._start is None or self._end is None:
            return False
        start, end = self._start, self._end
        self._start = self._end = None
        return self._complete(start, end)

    def cancel(self) -> bool:
        """Discard the points. Return False when there are none."""
        was_busy = self.busy
        self._start = self._end = None
        return was_busy

    def hover(self, pointer: Pointer) -> Hover:
        """Return an empty hover: the tool has nothing to drag."""
        return Hover()

    @abstractmethod
    def _complete(self, start: Pointer, end: Pointer) -> bool:
        """Use the two points. Return False when they are not usable."""


class _RectTool(_TwoPointTool):
    """Draws a rectangle. Shift makes it square."""

    @property
    def draft(self) -> ToolDraft:
        """The rectangle between the points."""
        if self._start is None or self._end is None:
            return ToolDraft()
        return ToolDraft(new_rect=self._rect(self._start, self._end))

    def _rect(self, start: Pointer, end: Pointer) -> Rect | None:
        start_corner = self._context.snap_point(start.x, start.y)
        # The second corner of a square follows from its side, so it does not snap.
        end_corner = (end.x, end.y) if end.shift else self._context.snap_point(end.x, end.y)
        return rect_between(*start_corner, *end_corner, self._context.size, end.shift)

    def _complete(self, start: Pointer, end: Pointer) -> bool:
        rect = self._rect(start, end)
        return rect is not None and self._use_rect(rect)

    @abstractmethod
    def _use_rect(self, rect: Rect) -> bool:
        """Use the drawn rectangle. Return False when it is not usable."""


class DrawTool(_RectTool):
    """Draws a new region."""

    def _use_rect(self, rect: Rect) -> bool:
        store = self._context.store
        region = Region(new_key(), rect, store.next_number())
        if not self._context.emit(RegionChange((), (region,), RegionStep.DRAW)):
            return False
        store.select([region.id])
        return True


class AreaTool(_RectTool):
    """Draws an area that is not a region and passes it to the `on_area` of the context."""

    def _use_rect(self, rect: Rect) -> bool:
        self._context.on_area(rect)
        return True


class RulerTool(_TwoPointTool):
    """Measures a distance, which stays until the next one or Esc. Shift makes it horizontal or vertical."""

    def __init__(self, context: ToolContext) -> None:
        super().__init__(context)
        self._last_measure: Measure | None = None

    @property
    def draft(self) -> ToolDraft:
        """The distance that is being measured, else the last one."""
        if self._start is not None and self._end is not None:
            return ToolDraft(measure=self._measure_between(self._start, self._end))
        return ToolDraft(measure=self._last_measure)

    def press(self, pointer: Pointer) -> None:
        """Set the first point, or the second of two clicks."""
        self._last_measure = None
        super().press(pointer)

    def cancel(self) -> bool:
        """Discard the distance. Return False when there is none."""
        was_busy = super().cancel() or self._last_measure is not None
        self._last_measure = None
        return was_busy

    def _complete(self, start: Pointer, end: Pointer) -> bool:
        self._last_measure = self._measure_between(start, end)
        return True

    def _measure_between(self, start: Pointer, end: Pointer) -> Measure:
        width, height = self._context.size
        x1, y1 = min(max(start.x, 0), width), min(max(start.y, 0), height)
        x2, y2 = min(max(end.x, 0), width), min(max(end.y, 0), height)
        if end.shift:
            x2, y2 = (x2, y1) if abs(x2 - x1) >= abs(y2 - y1) else (x1, y2)
        return Measure(x1, y1, x2, y2)
