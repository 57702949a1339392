"""Measures what becomes of a crack that people pass by mistake, in places that vary and beside them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from benchmarks.dirt import DIRT, Crack
from benchmarks.figures import print_figure
from benchmarks.varied_regions import REGION, SIZE, finds, move_box, passed_variations, take_photo
from service.detection.reference_difference import AlignmentFailed, PhotoVariation, RegionMemory, detect
from shared import samples
from shared.record.geometry import Rect
from shared.samples.variation import VariedRegion, draw_varied_region

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
        alone = _boxes(place.region, photo, None)
        if alone is None:
            continue
        sums["photos"] += 1
        sums["alone"] += _is_reported(alone, crack)
        for passes, memory in memories.items():
            sums[f"after {passes}"] += _is_reported(_boxes(place.region, photo, memory) or [], crack)
    for number in _CLEAN:
        photo, matrix = take_photo(place.region, place.image(number, cracked=False)[0], number)
        zone = move_box(place.zone, matrix)
        for name, known in (("false alone", None), ("false", memories[0])):
            boxes = _boxes(place.region, photo, known) or []
            sums[name] += sum(zone.contains(*box.centre) for box in boxes)


def _is_reported(boxes: list[Rect], crack: Rect) -> bool:
    """Whether a finding is the crack, or has most of it within a larger difference."""
    return any(finds(box, crack) or box.intersection(crack).area >= 0.5 * crack.area for box in boxes)


def _boxes(region: VariedRegion, photo: samples.Image, memory: RegionMemory | None) -> list[Rect] | None:
    try:
        return [finding.box for finding in detect(region.reference, REGION, photo, memory=memory).boxes]
    except AlignmentFailed:
        return None


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
