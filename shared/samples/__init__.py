"""Drawn aircraft skin with known damage, and generated faces (`faces`): what the demo shows, and what tests
and benchmarks measure on.

Everything follows from a seed, so a picture is the same on every machine. A panel is drawn once
(`panel`), damaged in reference pixels (`damage`) and photographed under a known view (`photograph`);
`scene` does all three. Images are BGR uint8, rectangles upright reference pixels, half-open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from shared.samples.brush import Image, Matrix, Point
from shared.samples.defects import KINDS, Defect, damage
from shared.samples.skin import Panel, panel
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
    "damage",
    "panel",
    "photograph",
    "scene",
    "view_matrix",
]


@dataclass(frozen=True, slots=True)
class Scene:
    """A reference image, a photo of it, what is damaged in it, and reference px -> photo px."""

    reference: Image
    photo: Image
    defects: tuple[Defect, ...]
    homography: Matrix = field(repr=False)


def scene(
    width: int = 1600,
    height: int = 1200,
    seed: int = 1,
    kinds: Sequence[str] = KINDS,
    view: View | None = None,
) -> Scene:
    """A panel, its damage of `kinds` and a photo of it under `view`, all from `seed`."""
    drawn = panel(width, height, seed)
    hurt, defects = damage(drawn, kinds, seed)
    photo, matrix = photograph(hurt, view or View(), seed)
    return Scene(drawn.image, photo, defects, matrix)
