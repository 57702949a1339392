"""Selects, moves and resizes regions."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.canvas.model.regions import Region, RegionChange, RegionStep
from desktop.canvas.model.shaping import Handle, handle_at, move_rects, resize_rect, snap_offset
from desktop.canvas.tools.tool_machine import Hover, Pointer, ToolContext, ToolDraft
from shared.record.geometry import Rect, rect_from_corners

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
