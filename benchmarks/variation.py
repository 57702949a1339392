"""Measures what the memory of a region does: false findings, recall, time, cracks that grow, pass or fail.

    python -m benchmarks.variation [--regions N] [--inspections N] [--checks N] [--cracks N] [--seed N]

Prints one JSON line per figure (`benchmarks/figures.py`). Regions are drawn with places that vary although
nothing is wrong (`tests/material/varied_regions.py`): once the kinds that the method was made on, once
others. Each has twenty inspections under changing light and cameras, all passed; then come photos without
and with damage. A photo passes into the memory before the damage is there.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence

import numpy as np

from benchmarks.figures import print_figure
from benchmarks.passed_cracks import wrong_passes
from benchmarks.varied_regions import (
    REGION,
    SIZE,
    Check,
    checks,
    find_boxes,
    finds,
    move_box,
    passed_variations,
    take_photo,
)
from service.detection.reference_difference import (
    PhotoVariation,
    RegionMemory,
)
from shared.images.cv import cv2
from shared.record.geometry import Rect
from tests.material.varied_regions import (
    NUISANCES,
    UNSEEN_NUISANCES,
    draw_crack,
    draw_varied_region,
)

SIZES = (0, 1, 3, 5, 10, 20)
LESS_FALSE, LESS_RECALL, MORE_TIME = 0.8, 0.01, 1.3
"""The goals, with five photos: false findings at places that vary, recall, and time, against no memory."""


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
    later, found, with_memory, without_memory = [], 0, 0, 0
    for index in range(cracks):
        rng = np.random.default_rng([seed, index])
        region = draw_varied_region(SIZE, SIZE, seed + index, rng.permutation(NUISANCES)[:4].tolist())
        start = float(rng.uniform(90, SIZE - 90)), float(rng.uniform(90, SIZE - 90))
        angle, length = float(rng.uniform(0, np.pi)), float(rng.uniform(3, 6))
        first: dict[bool, int] = {}
        photos: list[PhotoVariation] = []
        for number in range(1, inspections + 1):
            image, box = draw_crack(region.draw_state(number).image, start, angle, length * 1.05**number)
            photo, matrix = take_photo(region, image, number)
            crack = move_box(Rect(box.x - 2, box.y - 2, box.w + 4, box.h + 4), matrix)
            for remembers in (False, True):
                memory = RegionMemory.of(REGION, photos) if remembers else None
                boxes = find_boxes(region, photo, memory) or []
                if any(finds(box, crack) for box in boxes):
                    first.setdefault(remembers, number)
                    with_memory, without_memory = with_memory + remembers, without_memory + (not remembers)
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
        reported_with_memory=with_memory,
        reported_without=without_memory,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.variation",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--regions", type=int, default=10, help="generated regions of each set of kinds")
    parser.add_argument("--cracks", type=int, default=8, help="of each kind; 0 measures none")
    parser.add_argument("--inspections", type=int, default=max(SIZES), help="of each region, all passed")
    parser.add_argument("--checks", type=int, default=5, help="photos compared with each memory")
    parser.add_argument("--seed", type=int, default=700)
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
