"""Draws regions that look different at each inspection although they have no damage, and damages them.

A `VariedRegion` is a panel with places that vary: highlights that move, a cable that hangs elsewhere, dirt,
digits, labels, wear, a lamp, a door. `draw_state` draws it at one inspection. `draw_crack` adds a crack of a
given length, for cracks that grow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.samples.brush import Image, Point, blend, draw_soft_mask, fixed_point, to_uint8
from shared.samples.skin import Panel, draw_panel
from shared.samples.views import View

Canvas = NDArray[Any]
Draw = Callable[[Canvas, np.random.Generator, np.random.Generator, int], None]
"""Draws into the zone's part of the canvas. Arguments: the part, a generator seeded by the place, a generator
seeded by place and inspection, and the number of the inspection (0: the reference image)."""


@dataclass(frozen=True, slots=True)
class VaryingPlace:
    """A zone of a region (px) with a variation of `kind`; `seed` determines its appearance."""

    kind: str
    zone: Rect
    seed: int


@dataclass(frozen=True, slots=True)
class VariedRegion:
    """A drawn panel and its varying places."""

    panel: Panel
    places: tuple[VaryingPlace, ...]
    seed: int

    @property
    def reference(self) -> Image:
        """The reference image: its state at inspection 0."""
        return self.draw_state(0).image

    def draw_state(self, inspection: int) -> Panel:
        """Draw it as it looks at inspection number `inspection`."""
        canvas = self.panel.image.astype(np.float32)
        for place in self.places:
            zone = place.zone
            part = canvas[int(zone.y) : int(zone.bottom), int(zone.x) : int(zone.right)]
            place_rng = np.random.default_rng(place.seed)
            inspection_rng = np.random.default_rng([place.seed, inspection])
            _DRAW_FUNCTIONS[place.kind](part, place_rng, inspection_rng, inspection)
        return replace(self.panel, image=to_uint8(canvas))


def draw_varied_region(width: int, height: int, seed: int, kinds: Sequence[str]) -> VariedRegion:
    """Draw a panel of `width` x `height` px with a zone for each of `kinds`, on a grid of 3 x 3 cells.

    Raises KeyError for a kind that is not in `NUISANCES` or `UNSEEN_NUISANCES`.
    """
    rng = np.random.default_rng(seed)
    cells = rng.permutation(9)[: len(kinds)]
    places = []
    for kind, cell in zip(kinds, cells.tolist(), strict=True):
        if kind not in _DRAW_FUNCTIONS:
            raise KeyError(kind)
        row, column = divmod(cell, 3)
        across, down = width / 3, height / 3
        size = (across * rng.uniform(0.6, 0.85), down * rng.uniform(0.6, 0.85))
        x = column * across + rng.uniform(0.05, 0.95) * (across - size[0])
        y = row * down + rng.uniform(0.05, 0.95) * (down - size[1])
        places.append(
            VaryingPlace(kind, Rect(round(x), round(y), round(size[0]), round(size[1])), seed + cell)
        )
    return VariedRegion(draw_panel(width, height, seed), tuple(places), seed)


def seasonal_view(inspection: int, seed: int) -> View:
    """Return a view with the light of the season and a camera that changes every fifth inspection."""
    rng = np.random.default_rng([seed, inspection, 5])
    camera = np.random.default_rng([seed, inspection // 5, 6])
    summer = 0.5 + 0.5 * np.cos(2 * np.pi * inspection / 12)
    return View(
        rotation=float(rng.uniform(-2, 2)),
        scale=float(camera.uniform(0.9, 1.15)),
        perspective=0.01,
        light=0.1 + 0.2 * (1 - summer),
        gain=float(0.75 + 0.3 * summer),
        noise=float(camera.uniform(1.5, 3.5)),
        blur=float(camera.uniform(0.2, 0.7)),
        jpeg=88,
    )


def draw_crack(image: Image, start: Point, angle: float, length: float) -> tuple[Image, Rect]:
    """Draw a dark crack of `length` px from `start` at `angle` (radians); return the image and its bounds."""
    canvas = image.astype(np.float32)
    rng = np.random.default_rng(round(start[0] * 7 + start[1]))
    steps = np.arange(0, 200, 4.0)
    sideways = np.cumsum(rng.uniform(-0.9, 0.9, len(steps)))
    along = np.append(steps[steps < length], length)
    across = np.interp(along, steps, sideways)
    x = start[0] + along * np.cos(angle) - across * np.sin(angle)
    y = start[1] + along * np.sin(angle) + across * np.cos(angle)
    line = np.rint(np.stack([x, y], 1) * 16).astype(np.int32)
    mask = draw_soft_mask(
        canvas.shape, lambda m: cv2.polylines(m, [line], False, 255, 1, cv2.LINE_AA, 4), 0.5
    )
    blend(canvas, mask * 0.85, (52, 48, 46))
    return to_uint8(canvas), Rect(x.min() - 1, y.min() - 1, np.ptp(x) + 2, np.ptp(y) + 2)


def _ellipse_mask(part: Canvas, centre: Point, axes: Point, angle: float, soft: float) -> NDArray[np.float32]:
    middle, half = (round(centre[0]), round(centre[1])), (max(round(axes[0]), 1), max(round(axes[1]), 1))
    return draw_soft_mask(part.shape, lambda m: cv2.ellipse(m, middle, half, angle, 0, 360, 255, -1), soft)


def _random_point(part: Canvas, inspection_rng: np.random.Generator, margin: float = 0.2) -> Point:
    height, width = part.shape[:2]
    return float(inspection_rng.uniform(margin, 1 - margin) * width), float(
        inspection_rng.uniform(margin, 1 - margin) * height
    )


def _stroke_mask(
    part: Canvas, ends: tuple[tuple[int, ...], tuple[int, ...]], thickness: int
) -> NDArray[np.float32]:
    return draw_soft_mask(part.shape, lambda m: cv2.line(m, *ends, 255, thickness, cv2.LINE_AA, 4))


def _draw_highlights(
    part: Canvas, place_rng: np.random.Generator, inspection_rng: np.random.Generator, number: int
) -> None:
    size, angle = min(part.shape[:2]) * place_rng.uniform(0.14, 0.24), float(place_rng.uniform(0, 180))
    for _ in range(int(inspection_rng.integers(1, 3))):
        grown = size * inspection_rng.uniform(0.8, 1.2)
        mask = _ellipse_mask(
            part, _random_point(part, inspection_rng, 0.25), (grown, grown * 0.6), angle, grown * 0.25
        )
        blend(part, mask * float(inspection_rng.uniform(0.75, 1)), (255, 255, 255))


def _draw_cable(
    part: Canvas, place_rng: np.random.Generator, inspection_rng: np.random.Generator, inspection: int
) -> None:
    height, width = part.shape[:2]
    thickness, colour = int(place_rng.integers(3, 7)), place_rng.uniform(20, 70, 3)
    sag, end = inspection_rng.uniform(-0.3, 0.3) * width, inspection_rng.uniform(-0.12, 0.12) * width
    t = np.linspace(0, 1, 24)
    x = width / 2 + sag * np.sin(np.pi * t) + end * t
    line = np.rint(np.stack([x, t * height], 1) * 16).astype(np.int32)
    mask = draw_soft_mask(
        part.shape, lambda m: cv2.polylines(m, [line], False, 255, thickness, cv2.LINE_AA, 4)
    )
    blend(part, mask, colour)


def _draw_dirt(
    part: Canvas, place_rng: np.random.Generator, inspection_rng: np.random.Generator, inspection: int
) -> None:
    colour = np.array([50, 70, 90]) + place_rng.uniform(-15, 15, 3)
    for _ in range(int(inspection_rng.integers(2, 5))):
        size = min(part.shape[:2]) * inspection_rng.uniform(0.06, 0.16)
        axes = (size, size * float(inspection_rng.uniform(0.5, 1)))
        mask = _ellipse_mask(
            part, _random_point(part, inspection_rng), axes, float(inspection_rng.uniform(0, 180)), size * 0.3
        )
        blend(part, mask * float(inspection_rng.uniform(0.3, 0.65)), colour)


def _draw_text(
    part: Canvas, text: str, origin_point: Point, size: float, colour: Sequence[float], thickness: int
) -> None:
    origin = (round(origin_point[0]), round(origin_point[1]))
    mask = draw_soft_mask(
        part.shape,
        lambda m: cv2.putText(m, text, origin, cv2.FONT_HERSHEY_SIMPLEX, size, 255, thickness, cv2.LINE_AA),
        0.5,
    )
    blend(part, mask, colour)


def _draw_digits(
    part: Canvas, place_rng: np.random.Generator, inspection_rng: np.random.Generator, inspection: int
) -> None:
    height, width = part.shape[:2]
    plate = part[round(height * 0.3) : round(height * 0.7)]
    plate[:] = (46, 42, 40)
    size = width / 100
    for place in range(4):
        origin = (width * (0.06 + 0.23 * place), plate.shape[0] * 0.5 + size * 11)
        _draw_text(
            plate,
            str(int(inspection_rng.integers(10))),
            origin,
            size,
            (225, 230, 232),
            max(round(size * 2), 1),
        )


def _draw_label(
    part: Canvas, place_rng: np.random.Generator, inspection_rng: np.random.Generator, inspection: int
) -> None:
    height, width = part.shape[:2]
    x, y = (
        float(v)
        for v in (width * 0.12 + inspection_rng.uniform(-3, 3), height * 0.25 + inspection_rng.uniform(-3, 3))
    )
    sheet = Rect(x, y, width * 0.74, height * 0.46)
    ends = (fixed_point(sheet.x, sheet.y), fixed_point(sheet.right, sheet.bottom))
    mask = draw_soft_mask(part.shape, lambda m: cv2.rectangle(m, *ends, 255, -1, cv2.LINE_AA, 4))
    blend(part, mask, (205, 235, 240))
    for row in range(3):
        text = "".join(inspection_rng.choice(list("ABCDEFGHKLMNPRSTUX0123456789"), 6))
        _draw_text(
            part, text, (sheet.x + 5, sheet.y + sheet.h * (0.3 + 0.29 * row)), width / 190, (40, 40, 60), 1
        )


def _draw_wear(
    part: Canvas, place_rng: np.random.Generator, inspection_rng: np.random.Generator, inspection: int
) -> None:
    width = part.shape[1]
    colour = np.array([225, 225, 228])
    for _ in range(3 + inspection):
        x, y = _random_point(part, place_rng, 0.15)
        length, angle = place_rng.uniform(0.05, 0.14) * width, place_rng.normal(0.6, 0.25)
        ends = (fixed_point(x, y), fixed_point(x + length * np.cos(angle), y + length * np.sin(angle)))
        thickness = int(place_rng.integers(1, 4))
        mask = _stroke_mask(part, ends, thickness)
        blend(part, mask * float(place_rng.uniform(0.5, 0.9)), colour)


def _draw_lamp(
    part: Canvas, place_rng: np.random.Generator, inspection_rng: np.random.Generator, inspection: int
) -> None:
    height, width = part.shape[:2]
    radius, is_on = min(height, width) * 0.22, inspection > 0 and inspection_rng.random() < 0.5
    mask = _ellipse_mask(part, (width / 2, height / 2), (radius * 1.2, radius * 1.2), 0, 0.8)
    blend(part, mask, (90, 90, 92))
    mask = _ellipse_mask(part, (width / 2, height / 2), (radius, radius), 0, 0.8)
    blend(part, mask, (120, 235, 255) if is_on else (50, 60, 95))


def _draw_door(
    part: Canvas, place_rng: np.random.Generator, inspection_rng: np.random.Generator, inspection: int
) -> None:
    height, width = part.shape[:2]
    is_open = inspection > 0 and inspection_rng.random() < 0.4
    inner = part[round(height * 0.2) : round(height * 0.8), round(width * 0.2) : round(width * 0.8)]
    inner[:2], inner[-2:], inner[:, :2], inner[:, -2:] = 90, 90, 90, 90
    if is_open:
        inner[3:-3, 3:-3] = (38, 36, 34)
        for step in range(1, 4):
            x = inner.shape[1] * step // 4
            inner[3:-3, x - 2 : x + 2] = (110, 112, 105)


def _draw_strap(
    part: Canvas, place_rng: np.random.Generator, inspection_rng: np.random.Generator, inspection: int
) -> None:
    height, width = part.shape[:2]
    x, lean = float(inspection_rng.uniform(0.3, 0.7) * width), float(inspection_rng.normal(0, 0.15) * width)
    ends = (fixed_point(x, 0), fixed_point(x + lean, height * inspection_rng.uniform(0.6, 0.9)))
    mask = _stroke_mask(part, ends, 9)
    blend(part, mask, (40, 30, 190))


def _draw_streak(
    part: Canvas, place_rng: np.random.Generator, inspection_rng: np.random.Generator, inspection: int
) -> None:
    height, width = part.shape[:2]
    x = np.arange(width, dtype=np.float32)
    centre, width_px = inspection_rng.uniform(0.25, 0.75) * width, place_rng.uniform(0.05, 0.1) * width
    fade = np.sin(np.pi * np.linspace(0.05, 0.95, height, dtype=np.float32)) ** 0.5
    glow = np.exp(-((x - centre) ** 2) / (2 * width_px**2))[None] * fade[:, None]
    blend(part, (glow * float(inspection_rng.uniform(0.6, 0.95))).astype(np.float32), (250, 252, 255))


def _draw_puddle(
    part: Canvas, place_rng: np.random.Generator, inspection_rng: np.random.Generator, inspection: int
) -> None:
    height, width = part.shape[:2]
    mask = np.zeros((height, width), np.float32)
    for _ in range(3):
        size = min(height, width) * float(inspection_rng.uniform(0.12, 0.2))
        centre = (
            width / 2 + float(inspection_rng.normal(0, 0.12)) * width,
            height / 2 + float(inspection_rng.normal(0, 0.12)) * height,
        )
        mask = np.maximum(mask, _ellipse_mask(part, centre, (size * 1.3, size), 0, 1.5))
    part *= 1 - 0.4 * mask[..., None]


def _draw_needle(
    part: Canvas, place_rng: np.random.Generator, inspection_rng: np.random.Generator, inspection: int
) -> None:
    height, width = part.shape[:2]
    radius = min(height, width) * 0.4
    mask = _ellipse_mask(part, (width / 2, height / 2), (radius, radius), 0, 0.8)
    blend(part, mask, (225, 228, 228))
    angle = inspection_rng.uniform(-2.2, 2.2) - np.pi / 2
    ends = (
        fixed_point(width / 2, height / 2),
        fixed_point(width / 2 + radius * 0.85 * np.cos(angle), height / 2 + radius * 0.85 * np.sin(angle)),
    )
    needle = _stroke_mask(part, ends, 3)
    blend(part, needle, (30, 30, 40))


_DRAW_FUNCTIONS: dict[str, Draw] = {
    "highlight": _draw_highlights,
    "cable": _draw_cable,
    "dirt": _draw_dirt,
    "digits": _draw_digits,
    "label": _draw_label,
    "wear": _draw_wear,
    "lamp": _draw_lamp,
    "door": _draw_door,
    "strap": _draw_strap,
    "streak": _draw_streak,
    "puddle": _draw_puddle,
    "needle": _draw_needle,
}
NUISANCES = ("highlight", "cable", "dirt", "digits", "label", "wear", "lamp", "door")
UNSEEN_NUISANCES = ("strap", "streak", "puddle", "needle")
"""Kinds that were not used to develop the method."""
