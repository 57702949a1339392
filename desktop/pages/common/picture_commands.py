"""Binds zoom and arrow commands to any view that shows a picture."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from desktop.canvas.views.canvas_view import CanvasView
from desktop.canvas.views.compare_view import CompareView
from desktop.canvas.views.pair_drawing import CompareMode
from desktop.commands.bindings import Commands

_STEP_PX, _FAR_STEP_PX = 1, 10
"""By how many px of the picture an arrow key moves a region, alone and with Shift."""
_SLIDE_SHARE, _FAR_SLIDE_SHARE = 0.05, 0.25
"""By which share of the view's width an arrow key moves the divider of a pair, alone and with Shift."""


def zoom_handlers(view: CanvasView | CompareView) -> dict[str, Callable[[], None]]:
    """The functions of the zoom commands for `view`, by command ID."""
    return {
        "view.fit": view.fit,
        "view.actual": view.one_to_one,
        "view.zoom_in": view.zoom_in,
        "view.zoom_out": view.zoom_out,
    }


def bind_canvas(commands: Commands, view: CanvasView) -> None:
    """Bind the arrow keys and Enter to `view` while it has the focus."""
    directions = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
    for name, (dx, dy) in directions.items():
        for command, step in ((f"move.{name}", _STEP_PX), (f"move.far_{name}", _FAR_STEP_PX)):
            commands.bind(command, partial(view.move_by, dx * step, dy * step), owner=view)
    commands.bind("tool.finish", view.finish, owner=view)


def bind_pair(commands: Commands, pair: CompareView) -> None:
    """Bind the arrow keys and Space to `pair` while it has the focus."""
    for name, direction in (("left", -1), ("right", 1)):
        for command, share in ((f"move.{name}", _SLIDE_SHARE), (f"move.far_{name}", _FAR_SLIDE_SHARE)):
            commands.bind(command, partial(pair.slide, direction * share), owner=pair)
    commands.bind(
        "compare.flip", pair.flip_manually, owner=pair, enabled=lambda: pair.mode is CompareMode.BLINK
    )
