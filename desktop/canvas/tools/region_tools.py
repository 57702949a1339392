"""The tools on the canvas: select, move and resize regions, draw a region or an area, measure a distance."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from desktop.canvas.model.regions import Region, RegionChange, RegionStep
from desktop.canvas.model.shaping import Handle, handle_at, move_rects, rect_between, resize_rect, snap_offset
from desktop.canvas.tools.tool_machine import Hover, Measure, Pointer, ToolContext, ToolDraft
from shared.ids import new_key
from shared.record.geometry import Rect, rect_from_corners


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


HANDLE_REACH = 7.0
"""Distance in view px from the middle of a handle within which a press drags it."""

_EDGE_REACH = 3.0


@dataclass(slots=True)
class _MoveAction:
    regions: tuple[Region, ...]
    clicked: Region


@dataclass(slots=True)
class _ResizeAction:
    region: Region
    handle: Handle


@dataclass(slots=True)
class _BandAction:
    selected: tuple[str, ...]


class SelectTool:
    """Selects by click (Ctrl or Shift adds) or by a band, moves by dragging and resizes by handles."""

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._start: Pointer | None = None
        self._action: _MoveAction | _ResizeAction | _BandAction | None = None
        self._dragging = False
        self._draft = ToolDraft()

    @property
    def draft(self) -> ToolDraft:
        """The moved regions, or the band."""
        return self._draft

    @property
    def busy(self) -> bool:
        """True while the button is down."""
        return self._action is not None

    def press(self, pointer: Pointer) -> None:
        """Begin to drag a handle, regions or a selection band."""
        store = self._context.store
        self._start, self._dragging = pointer, False
        hit = self._handle_at(pointer)
        extends_selection = pointer.shift or pointer.ctrl
        if hit is not None and not extends_selection:
            self._action = _ResizeAction(*hit)
            return
        hits = store.hits(pointer.x, pointer.y, _EDGE_REACH / self._context.scale)
        if not hits:
            self._action = _BandAction(store.selected_ids if extends_selection else ())
            return
        if extends_selection:
            store.toggle(hits[0].id)
        elif not any(region.id in store.selected_ids for region in hits):
            store.select([hits[0].id])
        movable = tuple(region for region in store.selected_regions if not region.locked)
        self._action = _MoveAction(movable, hits[0])

    def move(self, pointer: Pointer, pressed: bool) -> None:
        """Update the drag that `press` began."""
        if self._start is None or self._action is None or not pressed:
            return
        self._dragging = self._dragging or pointer.is_drag_from(self._start)
        if not self._dragging:
            return
        match self._action:
            case _MoveAction(regions):
                rects = self._moved_rects(regions, pointer)
                ids = (region.id for region in regions)
                self._draft = ToolDraft(moved_rects=dict(zip(ids, rects, strict=True)))
            case _ResizeAction(region, handle):
                self._draft = ToolDraft(moved_rects={region.id: self._resized_rect(region, handle, pointer)})
            case _BandAction(selected):
                band = rect_from_corners(self._start.x, self._start.y, pointer.x, pointer.y)
                self._draft = ToolDraft(band=band)
                inside = [region.id for region in self._context.store.find_intersecting(band)]
                self._context.store.select([*selected, *(key for key in inside if key not in selected)])

    def release(self, pointer: Pointer) -> bool:
        """Complete the drag as a change, or select the clicked region."""
        if self._start is None or self._action is None:
            return False
        self.move(pointer, True)
        action, draft, start = self._action, self._draft, self._start
        dragged = self._dragging
        self._reset()
        store = self._context.store
        match action:
            case _MoveAction(regions) if dragged:
                return self._emit(regions, draft, RegionStep.MOVE)
            case _MoveAction(_, clicked) if not (start.shift or start.ctrl):
                store.select([clicked.id])
            case _ResizeAction(region) if dragged:
                return self._emit((region,), draft, RegionStep.RESIZE)
            case _BandAction(selected) if not dragged:
                store.select(selected)
        return False

    def finish(self) -> bool:
        """Return False: this tool has nothing to complete by Enter."""
        return False

    def cancel(self) -> bool:
        """Cancel the drag, else clear the selection. Return False when there was nothing to do."""
        if self._action is not None:
            self._reset()
            return True
        had_selection = bool(self._context.store.selected_ids)
        self._context.store.select([])
        return had_selection

    def hover(self, pointer: Pointer) -> Hover:
        """The handle or the region below the pointer."""
        hit = self._handle_at(pointer)
        if hit is not None:
            return Hover(handle=hit[1])
        hits = self._context.store.hits(pointer.x, pointer.y, _EDGE_REACH / self._context.scale)
        return Hover(movable=bool(hits) and not hits[0].locked)

    def _reset(self) -> None:
        self._start = self._action = None
        self._dragging = False
        self._draft = ToolDraft()

    def _emit(self, regions: tuple[Region, ...], draft: ToolDraft, step: RegionStep) -> bool:
        pairs = [
            (region, region.with_rect(draft.moved_rects[region.id]))
            for region in regions
            if region.id in draft.moved_rects
        ]
        pairs = [(before, after) for before, after in pairs if before != after]
        if not pairs:
            return False
        change = RegionChange(tuple(b for b, _ in pairs), tuple(a for _, a in pairs), step)
        return self._context.emit(change)

    def _handle_at(self, pointer: Pointer) -> tuple[Region, Handle] | None:
        reach = HANDLE_REACH / self._context.scale
        for region in reversed(self._context.store.selected_regions):
            if region.locked or region.hidden:
                continue
            handle = handle_at(region.rect, pointer.x, pointer.y, reach)
            if handle is not None:
                return region, handle
        return None

    def _moved_rects(self, regions: tuple[Region, ...], pointer: Pointer) -> list[Rect]:
        assert self._start is not None
        dx, dy = pointer.x - self._start.x, pointer.y - self._start.y
        rects = move_rects([region.rect for region in regions], dx, dy, self._context.size)
        if not self._context.snapping or not rects:
            return rects
        lines_x, lines_y = self._context.snap_lines({region.id for region in regions})
        reach = self._context.snap_reach
        shift_x = snap_offset((edge for r in rects for edge in (r.x, r.right)), lines_x, reach)
        shift_y = snap_offset((edge for r in rects for edge in (r.y, r.bottom)), lines_y, reach)
        return move_rects(rects, shift_x, shift_y, self._context.size)

    def _resized_rect(self, region: Region, handle: Handle, pointer: Pointer) -> Rect:
        assert self._start is not None
        # The press is rarely exactly in the middle of the handle.
        x, y = handle.point_on(region.rect)
        x, y = x + pointer.x - self._start.x, y + pointer.y - self._start.y
        x, y = self._context.snap_point(x, y, (region.id,))
        return resize_rect(region.rect, handle, x, y, self._context.size)
