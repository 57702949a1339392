"""Selects, moves and resizes regions."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.canvas.model.regions import Region, RegionsChanged, RegionStep
from desktop.canvas.model.shaping import Handle, handle_at, moved, resized, snapped
from desktop.canvas.tools.tool_machine import Hover, Pointer, ToolContext, ToolDraft
from shared.geometry import Rect, from_corners

HANDLE_REACH = 7.0
"""View px around the middle of a handle that take hold of it."""

_EDGE_REACH = 3.0


@dataclass(slots=True)
class _Moving:
    regions: tuple[Region, ...]
    clicked: Region


@dataclass(slots=True)
class _Resizing:
    region: Region
    handle: Handle


@dataclass(slots=True)
class _Banding:
    selected: tuple[str, ...]


class SelectTool:
    """Click selects (Ctrl or Shift adds), drag moves, handles resize, a drag from nothing spans a band."""

    def __init__(self, board: ToolContext) -> None:
        self._board = board
        self._start: Pointer | None = None
        self._action: _Moving | _Resizing | _Banding | None = None
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
        """Take hold of a handle, a region, or nothing."""
        store = self._board.store
        self._start, self._dragging = pointer, False
        grip = self._handle(pointer)
        adding = pointer.shift or pointer.ctrl
        if grip is not None and not adding:
            self._action = _Resizing(*grip)
            return
        hits = store.hits(pointer.x, pointer.y, _EDGE_REACH / self._board.scale)
        if not hits:
            self._action = _Banding(store.selected if adding else ())
            return
        if adding:
            store.toggle(hits[0].id)
        elif not any(region.id in store.selected for region in hits):
            store.select([hits[0].id])
        movable = tuple(region for region in store.selected_regions if not region.locked)
        self._action = _Moving(movable, hits[0])

    def move(self, pointer: Pointer, pressed: bool) -> None:
        """Drag what was taken hold of."""
        if self._start is None or self._action is None or not pressed:
            return
        self._dragging = self._dragging or pointer.far_from(self._start)
        if not self._dragging:
            return
        match self._action:
            case _Moving(regions):
                rects = self._moved(regions, pointer)
                ids = (region.id for region in regions)
                self._draft = ToolDraft(moved=dict(zip(ids, rects, strict=True)))
            case _Resizing(region, handle):
                self._draft = ToolDraft(moved={region.id: self._resized(region, handle, pointer)})
            case _Banding(selected):
                band = from_corners(self._start.x, self._start.y, pointer.x, pointer.y)
                self._draft = ToolDraft(band=band)
                inside = [region.id for region in self._board.store.touching(band)]
                self._board.store.select([*selected, *(key for key in inside if key not in selected)])

    def release(self, pointer: Pointer) -> bool:
        """Make the drag a change; a click picks."""
        if self._start is None or self._action is None:
            return False
        self.move(pointer, True)
        action, draft, start = self._action, self._draft, self._start
        dragged = self._dragging
        self._clear()
        store = self._board.store
        match action:
            case _Moving(regions) if dragged:
                return self._emit(regions, draft, RegionStep.MOVE)
            case _Moving(_, clicked) if not (start.shift or start.ctrl):
                store.select([clicked.id])
            case _Resizing(region) if dragged:
                return self._emit((region,), draft, RegionStep.RESIZE)
            case _Banding(selected) if not dragged:
                store.select(selected)
        return False

    def finish(self) -> bool:
        """Nothing is drawn by steps here."""
        return False

    def cancel(self) -> bool:
        """Put back what is being dragged, else select nothing."""
        if self._action is not None:
            self._clear()
            return True
        had = bool(self._board.store.selected)
        self._board.store.select([])
        return had

    def hover(self, pointer: Pointer) -> Hover:
        """The handle or the region below the pointer."""
        grip = self._handle(pointer)
        if grip is not None:
            return Hover(handle=grip[1])
        hits = self._board.store.hits(pointer.x, pointer.y, _EDGE_REACH / self._board.scale)
        return Hover(movable=bool(hits) and not hits[0].locked)

    def _clear(self) -> None:
        self._start = self._action = None
        self._dragging = False
        self._draft = ToolDraft()

    def _emit(self, regions: tuple[Region, ...], draft: ToolDraft, step: RegionStep) -> bool:
        pairs = [
            (region, region.at(draft.moved[region.id])) for region in regions if region.id in draft.moved
        ]
        pairs = [(before, after) for before, after in pairs if before != after]
        if not pairs:
            return False
        change = RegionsChanged(tuple(b for b, _ in pairs), tuple(a for _, a in pairs), step)
        return self._board.emit(change)

    def _handle(self, pointer: Pointer) -> tuple[Region, Handle] | None:
        reach = HANDLE_REACH / self._board.scale
        for region in reversed(self._board.store.selected_regions):
            if region.locked or region.hidden:
                continue
            handle = handle_at(region.rect, pointer.x, pointer.y, reach)
            if handle is not None:
                return region, handle
        return None

    def _moved(self, regions: tuple[Region, ...], pointer: Pointer) -> list[Rect]:
        assert self._start is not None
        dx, dy = pointer.x - self._start.x, pointer.y - self._start.y
        rects = moved([region.rect for region in regions], dx, dy, self._board.size)
        if not self._board.snapping or not rects:
            return rects
        lines_x, lines_y = self._board.lines({region.id for region in regions})
        reach = self._board.snap_reach
        shift_x = snapped((edge for r in rects for edge in (r.x, r.right)), lines_x, reach)
        shift_y = snapped((edge for r in rects for edge in (r.y, r.bottom)), lines_y, reach)
        return moved(rects, shift_x, shift_y, self._board.size)

    def _resized(self, region: Region, handle: Handle, pointer: Pointer) -> Rect:
        assert self._start is not None
        # the pointer rarely takes hold of the very middle of a handle
        x, y = handle.point_on(region.rect)
        x, y = x + pointer.x - self._start.x, y + pointer.y - self._start.y
        x, y = self._board.snapped_point(x, y, (region.id,))
        return resized(region.rect, handle, x, y, self._board.size)
