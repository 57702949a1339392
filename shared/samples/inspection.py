"""Draws a whole inspection: a reference image, today's photo of it, and regions with and without damage.

The sample inspection of the desktop, the demo and tests show the same pictures.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shared.geometry import Rect
from shared.samples.brush import Image, Matrix
from shared.samples.defects import Defect, damage
from shared.samples.skin import panel
from shared.samples.views import View, photograph

MM_PER_PIXEL = 0.4
SIZE = (1600, 1400)
"""Width and height of the reference image, px."""
_SEED = 6
_VIEW = View(rotation=1.5, scale=0.96, perspective=0.012, light=0.12, gain=0.95, noise=1.5, blur=0.5, jpeg=93)


@dataclass(frozen=True, slots=True)
class SampleRegion:
    """A region to be inspected (px of the reference image), and the damage there today, if any."""

    region: Rect
    damage: str | None
    seed: int = 1


REGIONS = (
    SampleRegion(Rect(340, 300, 380, 290), "dent", 4),
    SampleRegion(Rect(980, 280, 380, 320), "crack", 4),
    SampleRegion(Rect(740, 650, 200, 170), "missing", 5),
    SampleRegion(Rect(235, 870, 560, 270), None),
    SampleRegion(Rect(850, 895, 635, 235), "scratch", 7),
)


@dataclass(frozen=True, slots=True)
class SampleInspection:
    """The pictures (BGR uint8) and what is known about them.

    `defects` belong to `REGIONS` one by one (reference px); `homography` maps reference px to photo px.
    """

    reference: Image
    photo: Image
    defects: tuple[Defect | None, ...]
    homography: Matrix

    def in_photo(self, rect: Rect) -> Rect:
        """The bounds in the photo of a rectangle of the reference image."""
        return in_photo(self.homography, rect)


def draw() -> SampleInspection:
    """Draw the reference image and its photo, always the same."""
    drawn = panel(*SIZE, _SEED)
    today, defects = drawn, []
    for spot in REGIONS:
        drawn_defects: tuple[Defect, ...] = ()
        if spot.damage is not None:
            hurt, drawn_defects = damage(today, (spot.damage,), spot.seed, _inner(spot.region))
            today = replace(today, image=hurt)
        defects.append(drawn_defects[0] if drawn_defects else None)
    photo, homography = photograph(today.image, _VIEW, _SEED)
    return SampleInspection(drawn.image, photo, tuple(defects), homography)


def in_photo(homography: Matrix, rect: Rect) -> Rect:
    """The bounds in a photo of a rectangle of the reference image.

    `homography` maps reference px to photo px.
    """
    corners = [(rect.x, rect.y), (rect.right, rect.y), (rect.right, rect.bottom), (rect.x, rect.bottom)]
    points = homography @ np.array([(x, y, 1.0) for x, y in corners]).T
    xs, ys = points[0] / points[2], points[1] / points[2]
    return Rect(float(xs.min()), float(ys.min()), float(np.ptp(xs)), float(np.ptp(ys)))


def _inner(region: Rect) -> Rect:
    """Damage keeps away from the edge of its region, as a person would draw it around."""
    side, top = region.w * 0.12, region.h * 0.12
    return Rect(region.x + side, region.y + top, region.w - 2 * side, region.h - 2 * top)
