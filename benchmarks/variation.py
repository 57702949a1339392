"""Measures what the memory of a region does: false findings, recall, time, cracks that grow or pass.

    python -m benchmarks.variation [--regions N] [--inspections N] [--checks N] [--cracks N] [--seed N]

Prints one JSON line per figure (`benchmarks/figures.py`). Regions are drawn with places that vary although
nothing is wrong (`tests/material/varied_regions.py`): once the kinds that the method was made on, once
others. Each has twenty inspections under changing light and cameras, all passed; then come photos without
and with damage. Cracks grow in such regions, and some that people pass by mistake run through dirt.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import make_parser, print_figure
from benchmarks.reference_difference import move_box
from service.detection.reference_difference import (
    AlignmentFailed,
    PhotoVariation,
    RegionMemory,
    detect,
    photo_variation,
)
from shared import samples
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.samples.brush import Point, blend, draw_soft_mask, to_uint8
from shared.samples.defects import damage_panel
from tests.material.varied_regions import (
    NUISANCES,
    UNSEEN_NUISANCES,
    VariedRegion,
    draw_crack,
    draw_varied_region,
    seasonal_view,
)

SIZES = (0, 1, 3, 5, 10, 20)
LESS_FALSE, LESS_RECALL, MORE_TIME = 0.8, 0.01, 1.3
"""The goals, with five photos: false findings at places that vary, recall, and time, against no memory."""
SIZE = 480
REGION = Rect(0, 0, SIZE, SIZE)
Canvas = NDArray[np.float32]
Draw = Callable[[Canvas, np.random.Generator], None]
Look = Callable[..., tuple[samples.Image, Rect]]
"""Returns the image of an inspection, with `cracked` with its crack, and the bounds of the crack."""
PASSES = (0, 1, 2, 4)
_GROWTH = 1.05
"""How many times as long a crack is at each inspection as at the one before."""
_BEFORE = 6
"""Inspections before a crack appears in dirt."""
_SHAPES = ("straight", "curved", "branched", "soft")
_ZONE = 120
"""px of the place with dirt."""
_DIRT, _CRACK = (60, 72, 85), (52, 48, 46)


@dataclass(frozen=True)
class Check:
    """A photo, where its defects lie in it, and where it varies."""

    photo: samples.Image
    defects: tuple[Rect, ...]
    varies: tuple[Rect, ...]


def take_photo(
    region: VariedRegion, image: samples.Image, number: int
) -> tuple[samples.Image, samples.Matrix]:
    """A photo of inspection `number`, and reference px -> photo px."""
    return samples.photograph(image, seasonal_view(number, region.seed), region.seed * 100 + number)


def passed_variations(
    region: VariedRegion, images: Sequence[samples.Image], first: int = 1
) -> list[PhotoVariation]:
    """What photos of these images, taken at the inspections from number `first` on, add to a memory."""
    reference, added = region.reference, []
    for number, image in enumerate(images, first):
        photo, _ = take_photo(region, image, number)
        try:
            added.append(photo_variation(reference, REGION, photo, str(number), number))
        except AlignmentFailed:
            continue
    return added


def checks(region: VariedRegion, after: int, count: int) -> Iterator[Check]:
    """`count` photos after inspection `after`, the first without damage, the others with five defects."""
    for index in range(count):
        number = after + 1 + index
        state = region.draw_state(number)
        image, defects = damage_panel(state, (), region.seed)
        if index:
            kinds = np.random.default_rng([region.seed, index]).permutation(samples.KINDS)[:5].tolist()
            image, defects = damage_panel(state, kinds, region.seed * 50 + index)
        photo, matrix = take_photo(region, image, number)
        around = (Rect(p.zone.x - 8, p.zone.y - 8, p.zone.w + 16, p.zone.h + 16) for p in region.places)
        yield Check(
            photo,
            tuple(move_box(defect.box, matrix) for defect in defects),
            tuple(move_box(zone, matrix) for zone in around),
        )


def finds(box: Rect, defect: Rect) -> bool:
    """Whether a finding is that defect: they overlap, or one has the other's middle and is not far larger."""
    common = box.intersection(defect).area
    if common <= 0:
        return False
    inside = defect.contains(*box.centre) and common > 0.5 * box.area
    around = box.contains(*defect.centre) and common >= 0.25 * box.area
    return box.iou(defect) >= 0.2 or inside or around


def find_boxes(region: VariedRegion, photo: samples.Image, memory: RegionMemory | None) -> list[Rect] | None:
    """Return the boxes of the findings in a photo, in px of the photo; None if it cannot be aligned."""
    try:
        return [finding.box for finding in detect(region.reference, REGION, photo, memory=memory).boxes]
    except AlignmentFailed:
        return None


def quality(name: str, kinds: Sequence[str], regions: int, seed: int, inspections: int, count: int) -> None:
    """Print false findings per photo, recall and time at each size of the memory up to `inspections`."""
    sizes = [size for size in SIZES if size <= inspections]
    sums: dict[int, Counter[str]] = {size: Counter() for size in sizes}
    taken = dict.fromkeys(sizes, 0.0)
    for index in range(regions):
        region_kinds = np.random.default_rng(seed + index).permutation(kinds)[:4].tolist()
        region = draw_varied_region(SIZE, SIZE, seed + index, region_kinds)
        photos = passed_variations(
            region, [region.draw_state(number).image for number in range(1, inspections + 1)]
        )
        for check in checks(region, inspections, count):
            for size in sizes:
                memory = RegionMemory.of(REGION, photos[len(photos) - size :])
                started = time.process_time()
                boxes = find_boxes(region, check.photo, memory)
                if boxes is None:
                    sums[size]["refused"] += 1
                    continue
                taken[size] += time.process_time() - started
                _count(sums[size], boxes, check)
    without = sums[0]
    before, recall_before = without["false"] / without["photos"], without["found"] / without["defects"]
    for size in sizes:
        row = sums[size]
        rate, recall = row["false"] / row["photos"], row["found"] / row["defects"]
        print_figure(
            f"{name}: false findings per photo, memory of {size}",
            rate,
            "",
            goal=(1 - LESS_FALSE) * before if size == 5 else None,
            elsewhere=round(row["false elsewhere"] / row["photos"], 3),
            fewer=round(1 - rate / before, 3) if before else 0,
            refused=row["refused"],
        )
        goal = recall_before - LESS_RECALL if size == 5 else None
        print_figure(
            f"{name}: recall, memory of {size}", recall, "", goal=goal, at_least=True, defects=row["defects"]
        )
        if size:
            more = taken[size] / taken[0]
            print_figure(f"{name}: time, memory of {size}, against none", more, "", goal=MORE_TIME)


def _count(row: Counter[str], boxes: Sequence[Rect], check: Check) -> None:
    row["photos"] += 1
    row["defects"] += len(check.defects)
    row["found"] += sum(any(finds(box, defect) for box in boxes) for defect in check.defects)
    for box in boxes:
        if not any(finds(box, defect) for defect in check.defects):
            varies = any(zone.contains(*box.centre) for zone in check.varies)
            row["false" if varies else "false elsewhere"] += 1


def growth(cracks: int, seed: int, inspections: int) -> None:
    """Print how much later a crack that grows by 5 % per inspection is found with a memory of all before.

    Every photo is passed, also those on which the crack was reported: how many inspections it then stays
    reported, against without a memory, is given beside.
    """
    later, found, reported = [], 0, Counter[bool]()
    for index in range(cracks):
        rng = np.random.default_rng([seed, index])
        region = draw_varied_region(SIZE, SIZE, seed + index, rng.permutation(NUISANCES)[:4].tolist())
        start = float(rng.uniform(90, SIZE - 90)), float(rng.uniform(90, SIZE - 90))
        angle, length = float(rng.uniform(0, np.pi)), float(rng.uniform(3, 6))
        first: dict[bool, int] = {}
        photos: list[PhotoVariation] = []
        for number in range(1, inspections + 1):
            image, box = draw_crack(region.draw_state(number).image, start, angle, length * _GROWTH**number)
            box = Rect(box.x - 2, box.y - 2, box.w + 4, box.h + 4)
            for remembers in (False, True):
                memory = RegionMemory.of(REGION, photos) if remembers else None
                if _is_reported(region, image, box, number, memory):
                    first.setdefault(remembers, number)
                    reported[remembers] += 1
            photos += passed_variations(region, [image], number)
        if False in first:
            found += 1
            later.append(first.get(True, inspections + 1) - first[False])
    print_figure(
        "crack that grows 5 % per inspection: inspections later than without memory, at most",
        max(later, default=0),
        "",
        goal=0,
        cracks=cracks,
        found=found,
        reported_with_memory=reported[True],
        reported_without=reported[False],
    )


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


DIRT: dict[str, tuple[int, Draw]] = {"streaks": (200, _draw_streaks), "smear": (400, _draw_smear)}
"""The textures of dirt that resemble cracks most, each with what it adds to the seed."""


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


def wrong_passes(cracks: int, seed: int) -> None:
    """Print the share of photos on which a crack in dirt is reported after it was passed by mistake.

    The dirt is different each time. The goal is the share without a memory.
    """
    for texture, (added_seed, _) in DIRT.items():
        sums, alone, photos = Counter[int](), 0, 0
        for index in range(cracks):
            region, image = _cracked_place(texture, seed + added_seed + index, index)
            before = passed_variations(region, [image(number)[0] for number in range(1, _BEFORE + 1)])
            wrong = [
                passed_variations(region, [image(number, cracked=True)[0]], number)
                for number in range(_BEFORE + 1, _BEFORE + 1 + max(PASSES))
            ]
            for number in (_BEFORE + max(PASSES) + 1, _BEFORE + max(PASSES) + 2):
                shown, box = image(number, cracked=True)
                photos += 1
                alone += _is_reported(region, shown, box, number, None)
                for passes in PASSES:
                    memory = RegionMemory.of(REGION, sum(wrong[:passes], before))
                    sums[passes] += _is_reported(region, shown, box, number, memory)
        for passes in PASSES:
            print_figure(
                f"crack through {texture}, passed {passes} times by mistake: reported",
                sums[passes] / max(photos, 1),
                "",
                goal=alone / max(photos, 1),
                at_least=True,
                photos=photos,
            )


def _cracked_place(texture: str, seed: int, index: int) -> tuple[VariedRegion, Look]:
    """A region with dirt, and its look; shape, thickness and darkness of the crack change with `index`."""
    rng = np.random.default_rng([seed, 3])
    region = draw_varied_region(SIZE, SIZE, seed, ["lamp"])
    left, top = (int(value) for value in rng.uniform(20, SIZE - _ZONE - 20, 2).round())
    angle = float(rng.uniform(0, np.pi))
    middle = tuple(float(corner + _ZONE / 2 + rng.uniform(-15, 15)) for corner in (left, top))
    crack = Crack(
        (middle[0], middle[1]),
        angle + float(rng.normal(0, 0.15)),
        float(rng.uniform(30, 55)),
        _SHAPES[index % len(_SHAPES)],
        1 + (index + index // len(_SHAPES)) % 2,
        float(rng.uniform(0.5, 0.85)),
        seed,
    )

    def look(number: int, *, cracked: bool = False) -> tuple[samples.Image, Rect]:
        image = region.draw_state(number).image.astype(np.float32)
        zone = image[top : top + _ZONE, left : left + _ZONE]
        DIRT[texture][1](zone, np.random.default_rng([seed, number, 7]))
        dirty = to_uint8(image)
        with_crack, bounds = crack.draw(dirty, _GROWTH ** (number - _BEFORE))
        return (with_crack if cracked else dirty), bounds

    return region, look


def _is_reported(
    region: VariedRegion, image: samples.Image, box: Rect, number: int, memory: RegionMemory | None
) -> bool:
    """Whether a finding is the crack in `box`, or has most of it within a larger difference."""
    photo, matrix = take_photo(region, image, number)
    crack = move_box(box, matrix)
    boxes = find_boxes(region, photo, memory) or []
    return any(finds(each, crack) or each.intersection(crack).area >= 0.5 * crack.area for each in boxes)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = make_parser(__doc__, regions=10, cracks=8, inspections=max(SIZES), checks=5, seed=700)
    options = parser.parse_args(arguments)
    # As the service runs two at a time: one core each, so OpenCV starts no threads of its own.
    cv2.setNumThreads(1)
    sizes = options.inspections, options.checks
    quality("known kinds", NUISANCES, options.regions, options.seed, *sizes)
    quality("other kinds", UNSEEN_NUISANCES, options.regions, options.seed + 1000, *sizes)
    if options.cracks:
        growth(options.cracks, options.seed + 2000, options.inspections)
        wrong_passes(options.cracks, options.seed + 4000)
    return 0


if __name__ == "__main__":
    sys.exit(main())
