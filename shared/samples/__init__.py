"""Draws aircraft skin with known damage and generates faces (`faces`), for the demo, tests and benchmarks.

A seed determines each picture, so that it is the same on every machine. `draw_panel` draws a panel,
`damage_panel` damages it in reference pixels, `photograph` takes a photo of it from a known view, and
`draw_scene` does all three. Images are BGR uint8; rectangles are in upright reference pixels, half-open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from shared.samples.brush import Image, Matrix, Point
from shared.samples.defects import KINDS, Defect, damage_panel
from shared.samples.skin import Panel, draw_panel
from shared.samples.views import View, photograph, view_matrix

__all__ = [
    "KINDS",
    "Defect",
    "Image",
    "Matrix",
    "Panel",
    "Point",
    "Scene",
    "View",
    "damage_panel",
    "draw_panel",
    "draw_scene",
    "photograph",
    "view_matrix",
]


@dataclass(frozen=True, slots=True)
class Scene:
    """A reference image, a photo of it, the defects in the photo, and the homography reference px -> photo
    px.
    """

    reference: Image
    photo: Image
    defects: tuple[Defect, ...]
    homography: Matrix = field(repr=False)


def draw_scene(
    width: int = 1600,
    height: int = 1200,
    seed: int = 1,
    kinds: Sequence[str] = KINDS,
    view: View | None = None,
) -> Scene:
    """Draw a panel, damage it with `kinds` and photograph it from `view`; `seed` determines everything."""
    panel = draw_panel(width, height, seed)
    damaged, defects = damage_panel(panel, kinds, seed)
    photo, matrix = photograph(damaged, view or View(), seed)
    return Scene(panel.image, photo, defects, matrix)
