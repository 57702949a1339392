"""Combines tools and commands on one region store, without widgets. The view only passes events."""

from __future__ import annotations

import json
from collections.abc import Callable

from desktop.canvas.model import shaping
from desktop.canvas.model.regions import Region, RegionChange, RegionStore
from desktop.canvas.model.shaping import Size
from desktop.canvas.tools.region_tools import AreaTool, DrawTool, RulerTool, SelectTool
from desktop.canvas.tools.tool_machine import Hover, Pointer, Tool, ToolContext, ToolDraft, ToolMachine
from shared.record.geometry import Rect


class RegionEditor:
    """Edits the regions of one picture. It passes finished changes to `emit` and never applies them itself.

    While `editable` is False, regions can be selected and measured, and a change calls `on_refused`. A
    rectangle that was drawn with `Tool.AREA` is passed to `on_area`.
    """

    def __init__(
        self,
        store: RegionStore,
        emit: Callable[[RegionChange], None],
        on_area: Callable[[Rect], None] = lambda _rect: None,
        on_refused: Callable[[], None] = lambda: None,
    ) -> None:
        self.store = store
        self.editable = True
        self._on_refused = on_refused
        self._emit_change = emit
        self._context = ToolContext(store, self._emit, on_area=on_area)
        self._tool = Tool.SELECT
        self._machines: dict[Tool, ToolMachine] = {}
        self._create_machines()

    @property
    def size(self) -> Size:
        """Width and height of the picture in px."""
        return self._context.size

    @property
    def tool(self) -> Tool:
        """The tool of the left button."""
        return self._tool

    @property
    def draft(self) -> ToolDraft:
        """The unfinished action."""
        machine = self._machine
        return machine.draft if machine is not None else ToolDraft()

    @property
    def busy(self) -> bool:
        """True while something is being drawn or dragged, which Esc would cancel."""
        machine = self._machine
        return machine is not None and machine.busy

    @property
    def is_snapping(self) -> bool:
        """Whether dragged edges snap to those of other regions and of the picture."""
        return self._context.snapping

    @is_snapping.setter
    def is_snapping(self, on: bool) -> None:
        self._context.snapping = on

    def set_picture(self, size: Size) -> None:
        """Set the size of the picture in px. Cancels an unfinished action."""
        self._context.size = size
        self._create_machines()

    def set_scale(self, scale: float) -> None:
        """Set the scale in view px per picture px, which the reach of the tools depends on."""
        self._context.scale = scale

    def set_tool(self, tool: Tool) -> None:
        """Switch to another tool. Cancels an unfinished action."""
        self._tool = tool
        self._create_machines()

    def press(self, pointer: Pointer) -> None:
        """Handle a press of the left button."""
        if self._machine is not None:
            self._machine.press(pointer)

    def move(self, pointer: Pointer, pressed: bool) -> None:
        """Handle a move of the pointer. `pressed` is True while the left button is down."""
        if self._machine is not None:
            self._machine.move(pointer, pressed)

    def release(self, pointer: Pointer) -> bool:
        """Handle a release of the left button. Return True when it completed a change or an area."""
        return self._machine is not None and self._machine.release(pointer)

    def finish(self) -> bool:
        """Complete what is being drawn (Enter). Return False when there is nothing to complete."""
        return self._machine is not None and self._machine.finish()

    def cancel(self) -> bool:
        """Cancel an unfinished action, else switch to the select tool, else clear the selection (Esc).

        Return False when there was nothing to do.
        """
        if self._tool is not Tool.SELECT:
            if self._machine is None or not self._machine.cancel():
                self.set_tool(Tool.SELECT)
            return True
        return self._machine is not None and self._machine.cancel()

    def hover(self, pointer: Pointer) -> Hover:
        """What a press at the pointer would drag."""
        return self._machine.hover(pointer) if self._machine is not None else Hover()

    def nudge(self, dx: int, dy: int) -> None:
        """Move the selected regions by (dx, dy) px."""
        self._emit_if_changed(shaping.nudge(self.store, self.size, dx, dy))

    def duplicate(self) -> None:
        """Copy the selected regions beside them."""
        self._emit_if_changed(shaping.duplicate(self.store, self.size), select=True)

    def align(self, side: shaping.AlignSide) -> None:
        """Align the selected regions with each other."""
        self._emit_if_changed(shaping.align(self.store, side))

    def set_locked(self, locked: bool) -> None:
        """Lock or unlock the selected regions."""
        self._emit_if_changed(shaping.set_locked(self.store, locked))

    def hide_selected(self) -> None:
        """Hide the selected regions."""
        self._emit_if_changed(shaping.hide_selected(self.store))

    def show_all(self) -> None:
        """Show every hidden region."""
        self._emit_if_changed(shaping.show_all(self.store))

    def raise_selected(self, to_front: bool) -> None:
        """Put the selected regions above or below all others."""
        self._emit_if_changed(shaping.raise_selected(self.store, to_front))

    def selection_text(self) -> str:
        """The selected regions as text for the clipboard; empty if none is selected."""
        regions = self.store.selected_regions
        if not regions:
            return ""
        rows = [[r.rect.x, r.rect.y, r.rect.w, r.rect.h, r.label, r.id] for r in regions]
        return json.dumps({"size": self.size, "regions": rows})

    def paste(self, text: str) -> None:
        """Add the regions of a text from `selection_text`, also of another picture. Other texts are
        ignored."""
        try:
            data = json.loads(text)
            width, height = (int(side) for side in data["size"])
            regions = [
                Region(str(source_id), Rect(float(x), float(y), float(w), float(h)), 0, str(label))
                for x, y, w, h, label, source_id in data["regions"]
            ]
        except (ValueError, TypeError, KeyError):
            return
        if width > 0 and height > 0:
            self._emit_if_changed(shaping.paste(self.store, self.size, regions, (width, height)), select=True)

    @property
    def _machine(self) -> ToolMachine | None:
        return self._machines.get(self._tool)

    def _create_machines(self) -> None:
        self._machines = {
            Tool.SELECT: SelectTool(self._context),
            Tool.DRAW: DrawTool(self._context),
            Tool.RULER: RulerTool(self._context),
            Tool.AREA: AreaTool(self._context),
        }

    def _emit_if_changed(self, change: RegionChange | None, select: bool = False) -> None:
        if change is not None and self._emit(change) and select:
            self.store.select([region.id for region in change.after])

    def _emit(self, change: RegionChange) -> bool:
        if self.editable:
            self._emit_change(change)
        else:
            self._on_refused()
        return self.editable
