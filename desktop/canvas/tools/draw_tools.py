"""Defines the tools that draw between two points: a new region, a measured distance."""

from __future__ import annotations

from desktop.canvas.model.regions import Region, RegionsChanged, RegionStep
from desktop.canvas.model.shaping import drawn
from desktop.canvas.tools.tool_machine import Hover, Measure, Pointer, ToolContext, ToolDraft
from shared.geometry import Rect
from shared.ids import new_key


class _TwoPoints:
    """Press, drag and release; or click, move and click. `DRAG_DISTANCE` decides which it is."""

    def __init__(self, board: ToolContext) -> None:
        self._board = board
        self._start: Pointer | None = None
        self._end: Pointer | None = None

    @property
    def busy(self) -> bool:
        """True between the two points."""
        return self._start is not None

    def press(self, pointer: Pointer) -> None:
        """The first point, or the second of two clicks."""
        if self._start is None:
            self._start = pointer
        self._end = pointer

    def move(self, pointer: Pointer, pressed: bool) -> None:
        """The second point follows."""
        if self._start is not None:
            self._end = pointer

    def release(self, pointer: Pointer) -> bool:
        """The second point of a drag or of two clicks."""
        if self._start is None:
            return False
        self._end = pointer
        return pointer.far_from(self._start) and self.finish()

    def finish(self) -> bool:
        """Take what is drawn so far."""
        if self._start is None or self._end is None:
            return False
        start, end = self._start, self._end
        self._start = self._end = None
        return self._done(start, end)

    def cancel(self) -> bool:
        """Drop the points."""
        was = self.busy
        self._start = self._end = None
        return was

    def hover(self, pointer: Pointer) -> Hover:
        """Nothing to take hold of."""
        return Hover()

    def _done(self, start: Pointer, end: Pointer) -> bool:
        raise AssertionError("each tool says what two points make")


class _RectTool(_TwoPoints):
    """Draws a rectangle; Shift makes it square."""

    @property
    def draft(self) -> ToolDraft:
        """The rectangle so far."""
        if self._start is None or self._end is None:
            return ToolDraft()
        return ToolDraft(drawn=self._rect(self._start, self._end))

    def _rect(self, start: Pointer, end: Pointer) -> Rect | None:
        first = self._board.snapped_point(start.x, start.y)
        # A square has no second corner of its own to snap.
        second = (end.x, end.y) if end.shift else self._board.snapped_point(end.x, end.y)
        return drawn(*first, *second, self._board.size, end.shift)

    def _done(self, start: Pointer, end: Pointer) -> bool:
        rect = self._rect(start, end)
        return rect is not None and self._take(rect)

    def _take(self, rect: Rect) -> bool:
        raise AssertionError("each tool says what a rectangle makes")


class DrawTool(_RectTool):
    """Draws a new region."""

    def _take(self, rect: Rect) -> bool:
        store = self._board.store
        region = Region(new_key(), rect, store.next_number())
        if not self._board.emit(RegionsChanged((), (region,), RegionStep.DRAW)):
            return False
        store.select([region.id])
        return True


class AreaTool(_RectTool):
    """Draws an area that is not a region; it goes to the board's `area`."""

    def _take(self, rect: Rect) -> bool:
        self._board.area(rect)
        return True


class RulerTool(_TwoPoints):
    """Measures a distance, which stays until the next one or Esc; Shift keeps it level or upright."""

    def __init__(self, board: ToolContext) -> None:
        super().__init__(board)
        self._measured: Measure | None = None

    @property
    def draft(self) -> ToolDraft:
        """The distance under way, else the last one."""
        if self._start is not None and self._end is not None:
            return ToolDraft(measure=self._between(self._start, self._end))
        return ToolDraft(measure=self._measured)

    def press(self, pointer: Pointer) -> None:
        """The first point, or the second of two clicks."""
        self._measured = None
        super().press(pointer)

    def cancel(self) -> bool:
        """Drop the distance."""
        was = super().cancel() or self._measured is not None
        self._measured = None
        return was

    def _done(self, start: Pointer, end: Pointer) -> bool:
        self._measured = self._between(start, end)
        return True

    def _between(self, start: Pointer, end: Pointer) -> Measure:
        width, height = self._board.size
        x1, y1 = min(max(start.x, 0), width), min(max(start.y, 0), height)
        x2, y2 = min(max(end.x, 0), width), min(max(end.y, 0), height)
        if end.shift:
            x2, y2 = (x2, y1) if abs(x2 - x1) >= abs(y2 - y1) else (x1, y2)
        return Measure(x1, y1, x2, y2)
