"""Draws the pictures of the demo: a skin panel, and the same panel with known damage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from shared import samples
from shared.geometry import Rect
from shared.images.cv import cv2
from shared.samples import Defect, Image, Matrix, View, faces

MM_PER_PIXEL = 0.4
_SIZE = (1600, 1400)
_SEED = 6
_VIEW = View(rotation=1.5, scale=0.96, perspective=0.012, light=0.12, gain=0.95, noise=1.5, blur=0.5, jpeg=93)


@dataclass(frozen=True, slots=True)
class DemoRegion:
    """A region that the inspector draws (px of the reference image), and the damage there today, if any."""

    region: Rect
    damage: str | None
    seed: int = 1


SPOTS = (
    DemoRegion(Rect(340, 300, 380, 290), "dent", 4),
    DemoRegion(Rect(980, 280, 380, 320), "crack", 4),
    DemoRegion(Rect(740, 650, 200, 170), "missing", 5),
    DemoRegion(Rect(235, 870, 560, 270), None),
    DemoRegion(Rect(850, 895, 635, 235), "scratch", 7),
)


@dataclass(frozen=True, slots=True)
class Pictures:
    """Files of the demo, and what is known about them.

    `defects` belong to `SPOTS` one by one (reference px); `homography` maps reference px to photo px.
    """

    reference: Path
    photo: Path
    faces: list[Path]
    login: Path
    stranger: Path
    defects: tuple[Defect | None, ...]
    homography: Matrix

    def in_photo(self, rect: Rect) -> Rect:
        """The bounds in the photo of a rectangle of the reference image."""
        corners = [(rect.x, rect.y), (rect.right, rect.y), (rect.right, rect.bottom), (rect.x, rect.bottom)]
        points = self.homography @ np.array([(x, y, 1.0) for x, y in corners]).T
        xs, ys = points[0] / points[2], points[1] / points[2]
        return Rect(float(xs.min()), float(ys.min()), float(np.ptp(xs)), float(np.ptp(ys)))


def make(folder: Path) -> Pictures:
    """Draw every picture into `folder`."""
    drawn = samples.panel(*_SIZE, _SEED)
    today, defects = drawn, []
    for spot in SPOTS:
        found: tuple[Defect, ...] = ()
        if spot.damage is not None:
            hurt, found = samples.damage(today, (spot.damage,), spot.seed, _inner(spot.region))
            today = replace(today, image=hurt)
        defects.append(found[0] if found else None)
    photo, homography = samples.photograph(today.image, _VIEW, _SEED)
    write = _writer(folder)
    return Pictures(
        reference=write("left-wing-root.png", drawn.image),
        photo=write("today.jpg", photo),
        faces=[write(f"face-{number}.jpg", face) for number, face in enumerate(faces.enrolments(), 1)],
        login=write("login.jpg", faces.login()),
        stranger=write("stranger.jpg", faces.stranger()),
        defects=tuple(defects),
        homography=homography,
    )


def _inner(region: Rect) -> Rect:
    """Damage keeps away from the edge of its region, as a person would draw it around."""
    side, top = region.w * 0.12, region.h * 0.12
    return Rect(region.x + side, region.y + top, region.w - 2 * side, region.h - 2 * top)


def _writer(folder: Path) -> Callable[[str, Image], Path]:
    def write(name: str, image: Image) -> Path:
        path = folder / name
        _, data = cv2.imencode(path.suffix, image)
        path.write_bytes(bytes(data))
        return path

    return write
