"""Binds zoom and arrow commands to any view that shows a picture."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from desktop.canvas.views.canvas_view import CanvasView
from desktop.canvas.views.compare_view import CompareView
from desktop.canvas.views.pair_drawing import CompareMode
from desktop.commands.bindings import Commands

_STEP, _FAR = 1, 10
"""Px of the picture that an arrow moves a region by, alone and with Shift."""
_SLIDE, _SLIDE_FAR = 0.05, 0.25
"""Share of the view that an arrow moves what divides a pair by."""


def zoom_handlers(view: CanvasView | CompareView) -> dict[str, Callable[[], None]]:
    """What looking closer does on this view, by command."""
    return {
        "view.fit": view.fit,
        "view.actual": view.one_to_one,
        "view.zoom_in": view.zoom_in,
        "view.zoom_out": view.zoom_out,
    }


def bind_canvas(commands: Commands, view: CanvasView) -> None:
    """Let arrows and Enter work on this canvas while it has the focus."""
    ways = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
    for name, (dx, dy) in ways.items():
        for command, step in ((f"move.{name}", _STEP), (f"move.far_{name}", _FAR)):
            commands.bind(command, partial(view.move_by, dx * step, dy * step), owner=view)
    commands.bind("tool.finish", view.finish, owner=view)


def bind_pair(commands: Commands, pair: CompareView) -> None:
    """Let arrows and Space work on this pair while it has the focus."""
    for name, way in (("left", -1), ("right", 1)):
        for command, share in ((f"move.{name}", _SLIDE), (f"move.far_{name}", _SLIDE_FAR)):
            commands.bind(command, partial(pair.slide, way * share), owner=pair)
    commands.bind(
        "compare.flip", pair.flip_manually, owner=pair, enabled=lambda: pair.mode is CompareMode.BLINK
    )
