"""Measures what becomes of a crack that people pass by mistake, in places that vary and beside them.

Dirt of several textures is drawn into a part of a region and is different each time, independently of the
varied places of the tests. A crack has one of several shapes and grows from its middle to both ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import print_figure
from benchmarks.varied_regions import REGION, SIZE, find_boxes, finds, move_box, passed_variations, take_photo
from service.detection.reference_difference import PhotoVariation, RegionMemory
from shared import samples
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.samples.brush import Point, blend, draw_soft_mask, to_uint8
from tests.material.varied_regions import VariedRegion, draw_varied_region

Canvas = NDArray[np.float32]
Draw = Callable[[Canvas, np.random.Generator], None]

_DIRT = (60, 72, 85)
_CRACK = (52, 48, 46)


def _draw_blots(part: Canvas, rng: np.random.Generator) -> None:
    height, width = part.shape[:2]
    for _ in range(int(rng.integers(2, 5))):
        size = min(height, width) * rng.uniform(0.06, 0.16)
        middle = round(rng.uniform(0.2, 0.8) * width), round(rng.uniform(0.2, 0.8) * height)
        axes, angle = (round(size), round(size * rng.uniform(0.5, 1))), float(rng.uniform(0, 180))

        def paint(mask: samples.Image) -> None:
            cv2.ellipse(mask, middle, axes, angle, 0, 360, 255, -1)  # noqa: B023 - called at once

        blend(part, draw_soft_mask(part.shape, paint, size * 0.3) * float(rng.uniform(0.3, 0.65)), _DIRT)


def _draw_clouds(part: Canvas, rng: np.random.Generator) -> None:
    """Noise of three octaves, cut off at a level, in the middle of the part."""
    height, width = part.shape[:2]
    clouds = np.zeros((height, width), np.float32)
    for octave in range(3):
        cell = 0.3 * min(height, width) / 2**octave
        grid = rng.random((round(height / cell) + 2, round(width / cell) + 2)).astype(np.float32)
        clouds += cv2.resize(grid, (width, height), interpolation=cv2.INTER_CUBIC) / 2**octave
    clouds = (clouds - clouds.min()) / np.ptp(clouds)
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    window = np.exp(-(((x / 0.7) ** 2 + (y / 0.7) ** 2) ** 2))
    mask = (np.clip((clouds - 0.42) * 4, 0, 1) * window).astype(np.float32)
    blend(part, mask * np.float32(rng.uniform(0.4, 0.7)), _DIRT)


def _draw_streaks(part: Canvas, rng: np.random.Generator) -> None:
    """Soft dark streaks downwards, some of them narrow."""
    height, width = part.shape[:2]
    x, y = np.arange(width, dtype=np.float32)[None], np.arange(height, dtype=np.float32)[:, None]
    for _ in range(int(rng.integers(2, 6))):
        top = rng.uniform(0, 0.5) * height
        bottom = top + rng.uniform(0.3, 0.5) * height
        middle = rng.uniform(0.15, 0.85) * width + (y - top) * rng.normal(0, 0.05)
        fade = np.clip((y - top) / 8, 0, 1) * np.clip((bottom - y) / 20, 0, 1)
        mask = np.exp(-((x - middle) ** 2) / (2 * rng.uniform(2, 7) ** 2)) * fade
        blend(part, (mask * rng.uniform(0.3, 0.7)).astype(np.float32), _DIRT)


def _draw_drops(part: Canvas, rng: np.random.Generator) -> None:
    height, width = part.shape[:2]
    for _ in range(int(rng.integers(10, 25))):
        radius = rng.uniform(1.5, 6)
        middle = rng.uniform(0.1, 0.9) * width, rng.uniform(0.1, 0.9) * height

        def paint(mask: samples.Image) -> None:
            x, y = (round(value * 16) for value in middle)  # noqa: B023 - called at once
            cv2.circle(mask, (x, y), round(radius * 16), 255, -1, cv2.LINE_AA, 4)  # noqa: B023

        soft = max(radius * 0.25, 0.6)
        blend(part, draw_soft_mask(part.shape, paint, soft) * float(rng.uniform(0.4, 0.8)), _DIRT)


def _draw_smear(part: Canvas, rng: np.random.Generator) -> None:
    """Parallel fine lines of a wiped place, in any direction."""
    height, width = part.shape[:2]
    y, x = np.mgrid[:height, :width].astype(np.float32)
    angle = rng.uniform(0, np.pi)
    along = (x - width / 2) * np.cos(angle) + (y - height / 2) * np.sin(angle)
    across = (y - height / 2) * np.cos(angle) - (x - width / 2) * np.sin(angle)
    shades = cv2.resize(rng.random((1, (height + width) // 5)).astype(np.float32), (height + width, 1))[0]
    grain = shades[np.clip(across + (height + width) / 2, 0, height + width - 1).astype(int)]
    wide, long = min(height, width) * rng.uniform(0.15, 0.25), min(height, width) * 0.38
    mask = np.exp(-((across / wide) ** 4) - (along / long) ** 4) * (0.35 + 0.65 * grain)
    blend(part, (mask * rng.uniform(0.5, 0.75)).astype(np.float32), _DIRT)


DIRT: dict[str, Draw] = {
    "blots": _draw_blots,
    "clouds": _draw_clouds,
    "streaks": _draw_streaks,
    "drops": _draw_drops,
    "smear": _draw_smear,
}


@dataclass(frozen=True)
class Crack:
    """A crack around `middle` (px), `angle` in radians, `length` px long at first.

    shape: straight, curved, branched or soft. thick: px. dark: the share of the surface that it covers.
    """

    middle: Point
    angle: float
    length: float
    shape: str
    thick: int
    dark: float
    seed: int

    def draw(self, image: samples.Image, growth: float) -> tuple[samples.Image, Rect]:
        """The image with the crack, `growth` times as long as at first, and the bounds of the crack."""
        half, rng = self.length * growth / 2, np.random.default_rng(self.seed)
        lines = [self._path(self.middle, turn, half, rng) for turn in (0.0, np.pi)]
        if self.shape == "branched":
            fork = lines[0][len(lines[0]) // 2]
            lines.append(self._path((float(fork[0]), float(fork[1])), 0.7, 0.6 * half, rng))
        fixed = [np.rint(line * 16).astype(np.int32) for line in lines]
        mask = draw_soft_mask(
            image.shape,
            lambda m: cv2.polylines(m, fixed, False, 255, self.thick, cv2.LINE_AA, 4),
            1.2 if self.shape == "soft" else 0.5,
        )
        canvas = image.astype(np.float32)
        blend(canvas, mask * self.dark, _CRACK)
        (left, top), (right, bottom) = (
            extreme(np.concatenate(lines), axis=0) for extreme in (np.min, np.max)
        )
        return to_uint8(canvas), Rect(left - 2, top - 2, right - left + 4, bottom - top + 4)

    def _path(
        self, start: Point, turn: float, length: float, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        steps = np.arange(0, 400, 4.0)
        sideways = np.cumsum(rng.uniform(-0.9, 0.9, len(steps)))
        along = np.append(steps[steps < length], length)
        across = np.interp(along, steps, sideways)
        if self.shape == "curved":
            across = 0.5 * across + along**2 / 90
        angle = self.angle + turn
        x = start[0] + along * np.cos(angle) - across * np.sin(angle)
        y = start[1] + along * np.sin(angle) + across * np.cos(angle)
        return np.stack([x, y], axis=1)


PASSES = (0, 1, 2, 4)
PLACES = (*(f"through {texture}" for texture in DIRT), "beside blots", "beside a highlight", "elsewhere")
_SHAPES = ("straight", "curved", "branched", "soft")
# Inspections before the crack appears, and its growth from each to the next.
_BEFORE = 6
_GROWTH = 1.05
# Inspections at which the crack is checked, and those without it, at which dirt alone is checked.
_CHECKED = (_BEFORE + max(PASSES) + 1, _BEFORE + max(PASSES) + 2)
_CLEAN = (30, 31)
# The goal: the share of false findings that a memory leaves.
_MAX_FALSE = 0.2
# px of the zone in which dirt varies, and px from it at which a crack is beside it.
_ZONE = 120
_BESIDE = 14


@dataclass(frozen=True)
class CrackedPlace:
    """A region with dirt in `zone` that varies, unless `texture` is empty, and a crack."""

    region: VariedRegion
    zone: Rect
    texture: str
    crack: Crack

    def image(self, number: int, *, cracked: bool) -> tuple[samples.Image, Rect]:
        """How it looks at inspection `number`, and the bounds of the crack, or of where it would be."""
        image = self.region.draw_state(number).image.astype(np.float32)
        if self.texture:
            zone = self.zone
            part = image[int(zone.y) : int(zone.bottom), int(zone.x) : int(zone.right)]
            DIRT[self.texture](part, np.random.default_rng([self.region.seed, number, 7]))
        dirty = np.asarray(np.clip(np.rint(image), 0, 255), np.uint8)
        with_crack, bounds = self.crack.draw(dirty, _GROWTH ** (number - _BEFORE))
        return (with_crack if cracked else dirty), bounds

    def passed(self, number: int, *, cracked: bool) -> list[PhotoVariation]:
        """What a photo of inspection `number` adds to a memory."""
        return passed_variations(self.region, [self.image(number, cracked=cracked)[0]], number)


def wrong_passes(cracks: int, seed: int) -> None:
    """Print the share of photos on which a crack is reported after it was passed by mistake, place by place.

    The goal is the share without a memory. Then follow the false findings there at inspections without the
    crack, of which a memory of six photos may leave a fifth.
    """
    for number, place in enumerate(PLACES):
        sums: Counter[str] = Counter()
        for index in range(cracks):
            _count(sums, _cracked_place(place, seed + 100 * number + index, index))
        alone = sums["alone"] / max(sums["photos"], 1)
        for passes in PASSES:
            print_figure(
                f"crack {place}, passed {passes} times by mistake: reported",
                sums[f"after {passes}"] / max(sums["photos"], 1),
                "",
                goal=alone,
                at_least=True,
                photos=sums["photos"],
            )
        if sums["false alone"]:
            print_figure(
                f"place of a crack {place}, without it: share of false findings that a memory leaves",
                sums["false"] / sums["false alone"],
                "",
                goal=_MAX_FALSE,
                without_memory=sums["false alone"],
            )


def _count(sums: Counter[str], place: CrackedPlace) -> None:
    before = [photo for number in range(1, _BEFORE + 1) for photo in place.passed(number, cracked=False)]
    wrong = [place.passed(_BEFORE + 1 + number, cracked=True) for number in range(max(PASSES))]
    memories = {
        passes: RegionMemory.of(REGION, [*before, *(photo for photos in wrong[:passes] for photo in photos)])
        for passes in PASSES
    }
    for number in _CHECKED:
        image, bounds = place.image(number, cracked=True)
        photo, matrix = take_photo(place.region, image, number)
        crack = move_box(bounds, matrix)
        alone = find_boxes(place.region, photo, None)
        if alone is None:
            continue
        sums["photos"] += 1
        sums["alone"] += _is_reported(alone, crack)
        for passes, memory in memories.items():
            sums[f"after {passes}"] += _is_reported(find_boxes(place.region, photo, memory) or [], crack)
    for number in _CLEAN:
        photo, matrix = take_photo(place.region, place.image(number, cracked=False)[0], number)
        zone = move_box(place.zone, matrix)
        for name, known in (("false alone", None), ("false", memories[0])):
            boxes = find_boxes(place.region, photo, known) or []
            sums[name] += sum(zone.contains(*box.centre) for box in boxes)


def _is_reported(boxes: list[Rect], crack: Rect) -> bool:
    """Whether a finding is the crack, or has most of it within a larger difference."""
    return any(finds(box, crack) or box.intersection(crack).area >= 0.5 * crack.area for box in boxes)


def _cracked_place(place: str, seed: int, index: int) -> CrackedPlace:
    """A crack at this place; its shape, thickness and darkness change with `index`."""
    rng = np.random.default_rng([seed, 3])
    how, _, what = place.partition(" ")
    kinds = ["highlight", "lamp"] if what == "a highlight" else ["lamp"]
    region = draw_varied_region(SIZE, SIZE, seed, kinds)
    corner = rng.uniform(20, SIZE - _ZONE - 20, 2).round()
    zone = Rect(float(corner[0]), float(corner[1]), _ZONE, _ZONE)
    if what == "a highlight":
        zone = region.places[0].zone
    elif how == "elsewhere":
        zone = Rect(0, 0, 1, 1)
    angle = float(rng.uniform(0, np.pi))
    x, y = zone.centre
    if how == "through":
        x, y = x + float(rng.uniform(-15, 15)), y + float(rng.uniform(-15, 15))
    elif how == "beside":
        x, angle = (zone.right + _BESIDE if x < SIZE / 2 else zone.x - _BESIDE), np.pi / 2
    else:
        x, y = (float(value) for value in rng.uniform(80, SIZE - 80, 2))
    crack = Crack(
        (float(x), float(y)),
        angle + float(rng.normal(0, 0.15)),
        float(rng.uniform(30, 55)),
        _SHAPES[index % len(_SHAPES)],
        1 + (index + index // len(_SHAPES)) % 2,
        float(rng.uniform(0.5, 0.85)),
        seed,
    )
    return CrackedPlace(region, zone, what if what in DIRT else "", crack)
