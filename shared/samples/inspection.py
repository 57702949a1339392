"""Draws a whole inspection: a reference image, today's photo of it, and regions with and without damage.

The sample inspection of the desktop, the demo and the tests use the same pictures.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shared.record.geometry import Rect
from shared.samples.brush import Image, Matrix
from shared.samples.defects import Defect, damage_panel
from shared.samples.skin import draw_panel
from shared.samples.views import View, photograph

MM_PER_PIXEL = 0.4
SIZE = (1600, 1400)
"""Width and height of the reference image, px."""
_SEED = 6
_VIEW = View(rotation=1.5, scale=0.96, perspective=0.012, light=0.12, gain=0.95, noise=1.5, blur=0.5, jpeg=93)


@dataclass(frozen=True, slots=True)
class SampleRegion:
    """A region to inspect (px of the reference image), and the kind of damage in the photo, if any."""

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
    """The pictures (BGR uint8) and their known content.

    `defects` has one entry for each of `REGIONS` (reference px). `homography` maps reference px to photo px.
    """

    reference: Image
    photo: Image
    defects: tuple[Defect | None, ...]
    homography: Matrix

    def bounds_in_photo(self, rect: Rect) -> Rect:
        """Return the bounds in the photo of a rectangle of the reference image."""
        return bounds_in_photo(self.homography, rect)


def draw_inspection() -> SampleInspection:
    """Draw the reference image and its photo. The result is always the same."""
    panel = draw_panel(*SIZE, _SEED)
    damaged_panel, defects = panel, []
    for sample in REGIONS:
        drawn_defects: tuple[Defect, ...] = ()
        if sample.damage is not None:
            inside = _shrink_region(sample.region)
            image, drawn_defects = damage_panel(damaged_panel, (sample.damage,), sample.seed, inside)
            damaged_panel = replace(damaged_panel, image=image)
        defects.append(drawn_defects[0] if drawn_defects else None)
    photo, homography = photograph(damaged_panel.image, _VIEW, _SEED)
    return SampleInspection(panel.image, photo, tuple(defects), homography)


def bounds_in_photo(homography: Matrix, rect: Rect) -> Rect:
    """Return the bounds in a photo of a rectangle of the reference image.

    `homography` maps reference px to photo px.
    """
    corners = [(rect.x, rect.y), (rect.right, rect.y), (rect.right, rect.bottom), (rect.x, rect.bottom)]
    points = homography @ np.array([(x, y, 1.0) for x, y in corners]).T
    xs, ys = points[0] / points[2], points[1] / points[2]
    return Rect(float(xs.min()), float(ys.min()), float(np.ptp(xs)), float(np.ptp(ys)))


def _shrink_region(region: Rect) -> Rect:
    """Return the part of a region for damage, with a margin as a person would leave one."""
    margin_x, margin_y = region.w * 0.12, region.h * 0.12
    return Rect(region.x + margin_x, region.y + margin_y, region.w - 2 * margin_x, region.h - 2 * margin_y)
