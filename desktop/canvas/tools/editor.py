"""Combines tools and commands on one region store as a pure object; the view only passes events."""

from __future__ import annotations

import json
from collections.abc import Callable

from desktop.canvas.model import arrange
from desktop.canvas.model.regions import Region, RegionsChanged, RegionStore
from desktop.canvas.model.shaping import Size
from desktop.canvas.tools.draw_tools import AreaTool, DrawTool, RulerTool
from desktop.canvas.tools.select_tool import SelectTool
from desktop.canvas.tools.tool_machine import Hover, Pointer, Tool, ToolContext, ToolDraft, ToolMachine
from shared.geometry import Rect


class RegionEditor:
    """What a person does to the regions of one picture. Finished changes go to `emit`, never to the store.

    `editable` False leaves selecting and measuring; a change calls `refused` instead. A rectangle drawn with
    `Tool.AREA` goes to `area`.
    """

    def __init__(
        self,
        store: RegionStore,
        emit: Callable[[RegionsChanged], None],
        area: Callable[[Rect], None] = lambda _rect: None,
        refused: Callable[[], None] = lambda: None,
    ) -> None:
        self.store = store
        self.editable = True
        self._refused = refused
        self._emit_change = emit
        self._board = ToolContext(store, self._emit, area=area)
        self._tool = Tool.SELECT
        self._machines: dict[Tool, ToolMachine] = {}
        self._renew()

    @property
    def size(self) -> Size:
        """Width and height of the picture in px."""
        return self._board.size

    @property
    def tool(self) -> Tool:
        """What the left button does."""
        return self._tool

    @property
    def draft(self) -> ToolDraft:
        """What is under way."""
        machine = self._machine
        return machine.draft if machine is not None else ToolDraft()

    @property
    def busy(self) -> bool:
        """True while Esc would cancel something that is being drawn or dragged."""
        machine = self._machine
        return machine is not None and machine.busy

    @property
    def snapping(self) -> bool:
        """Whether dragged edges snap to those of other regions and of the picture."""
        return self._board.snapping

    @snapping.setter
    def snapping(self, on: bool) -> None:
        self._board.snapping = on

    def set_picture(self, size: Size) -> None:
        """Work on a picture of this size; drops what is under way."""
        self._board.size = size
        self._renew()

    def set_scale(self, scale: float) -> None:
        """View px per picture px: how far the tools reach."""
        self._board.scale = scale

    def set_tool(self, tool: Tool) -> None:
        """Take another tool; drops what is under way."""
        self._tool = tool
        self._renew()

    def press(self, pointer: Pointer) -> None:
        """The left button went down."""
        if self._machine is not None:
            self._machine.press(pointer)

    def move(self, pointer: Pointer, pressed: bool) -> None:
        """The pointer moved, with the left button down or not."""
        if self._machine is not None:
            self._machine.move(pointer, pressed)

    def release(self, pointer: Pointer) -> bool:
        """The left button went up; True when that ended what was under way as a change or an area."""
        return self._machine is not None and self._machine.release(pointer)

    def finish(self) -> bool:
        """Enter: take what is being drawn; False when nothing came of it."""
        return self._machine is not None and self._machine.finish()

    def cancel(self) -> bool:
        """Esc: drop what is under way, else go back to selecting, else select nothing; False for nothing."""
        if self._tool is not Tool.SELECT:
            if self._machine is None or not self._machine.cancel():
                self.set_tool(Tool.SELECT)
            return True
        return self._machine is not None and self._machine.cancel()

    def hover(self, pointer: Pointer) -> Hover:
        """What the pointer would take hold of."""
        return self._machine.hover(pointer) if self._machine is not None else Hover()

    def nudge(self, dx: int, dy: int) -> None:
        """Move the selected regions by px."""
        self._maybe(arrange.nudge(self.store, self.size, dx, dy))

    def duplicate(self) -> None:
        """Copy the selected regions beside them."""
        self._maybe(arrange.duplicate(self.store, self.size), select=True)

    def align(self, side: arrange.AlignSide) -> None:
        """Align the selected regions with each other."""
        self._maybe(arrange.align(self.store, side))

    def set_locked(self, locked: bool) -> None:
        """Lock or unlock the selected regions."""
        self._maybe(arrange.set_locked(self.store, locked))

    def hide_selected(self) -> None:
        """Hide the selected regions."""
        self._maybe(arrange.hide_selected(self.store))

    def show_all(self) -> None:
        """Show every hidden region."""
        self._maybe(arrange.show_all(self.store))

    def raise_selected(self, to_front: bool) -> None:
        """Put the selected regions above or below all others."""
        self._maybe(arrange.raise_selected(self.store, to_front))

    def copied(self) -> str:
        """The selected regions as text for the clipboard; empty for none."""
        regions = self.store.selected_regions
        if not regions:
            return ""
        rows = [[r.rect.x, r.rect.y, r.rect.w, r.rect.h, r.label, r.id] for r in regions]
        return json.dumps({"size": self.size, "regions": rows})

    def paste(self, text: str) -> None:
        """Add the regions of a text that `copied` gave, here or over another picture; else nothing."""
        try:
            data = json.loads(text)
            width, height = (int(side) for side in data["size"])
            regions = [
                Region(str(copied), Rect(float(x), float(y), float(w), float(h)), 0, str(label))
                for x, y, w, h, label, copied in data["regions"]
            ]
        except (ValueError, TypeError, KeyError):
            return
        if width > 0 and height > 0:
            self._maybe(arrange.paste(self.store, self.size, regions, (width, height)), select=True)

    @property
    def _machine(self) -> ToolMachine | None:
        return self._machines.get(self._tool)

    def _renew(self) -> None:
        self._machines = {
            Tool.SELECT: SelectTool(self._board),
            Tool.DRAW: DrawTool(self._board),
            Tool.RULER: RulerTool(self._board),
            Tool.AREA: AreaTool(self._board),
        }

    def _maybe(self, change: RegionsChanged | None, select: bool = False) -> None:
        if change is not None and self._emit(change) and select:
            self.store.select([region.id for region in change.after])

    def _emit(self, change: RegionsChanged) -> bool:
        if self.editable:
            self._emit_change(change)
        else:
            self._refused()
        return self.editable
