"""Measures reference-difference under one disturbance at a time: precision, recall and F at IoU 0.33.

    python -m benchmarks.disturbances [--pairs N] [--seed N] [--only NAME]

Prints one JSON line per figure (`benchmarks/figures.py`). Photographs (of scikit-image's package) and drawn
panels, boards and labels have two to five defects each: pasted or cloned pieces, painted areas, scratches and
stains. The photo is slightly rotated, noisy, compressed as JPEG 90, and disturbed in one way
(`tests/material/optics.py`). Findings count as in `benchmarks/reference_difference.py`. No defect is in the
clipped part of a highlight, where it would be invisible. A highlight is not a defect, so a finding on it is
false. Then the same is photographed without defects: each finding is false.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Final

import numpy as np

from benchmarks.figures import make_parser, print_figure
from benchmarks.reference_difference import calibration, quality
from service.detection.reference_difference import AlignmentFailed
from service.detection.reference_difference.threads import WorkThreads
from shared import samples
from shared.record.geometry import Rect
from shared.samples import Image
from tests.material import optics, surfaces
from tests.material.pairs import Pair

SURFACES: Final = ("photographs", "drawn surfaces")
QUALITY_GOAL, CLEAN_GOAL = 0.85, 0.5
_SIDE = 640


def draw_pair(disturbance: optics.Disturbance, surface: str, seed: int, *, is_damaged: bool = True) -> Pair:
    """Draw the pair of a surface and a seed, with the same surface and defects for each disturbance."""
    rng = np.random.default_rng([seed, 61])
    intact = _draw_surface(surface, seed)
    count = int(rng.integers(2, 6)) if is_damaged else 0
    pieces = surfaces.load_photograph(seed + 7).image
    damaged, defects = surfaces.add_photo_defects(intact, pieces, count, rng)
    boxes = [defect.box for defect in defects]
    region = disturbance.compared_region(intact.shape[1], intact.shape[0])
    photo, mapped_boxes = optics.photograph(damaged, boxes, disturbance, np.random.default_rng([seed, 67]))
    photo_rect = Rect(0, 0, photo.shape[1], photo.shape[0])
    truth: list[Rect] = []
    cut: list[Rect] = []
    for box, mapped in zip(boxes, mapped_boxes, strict=True):
        inside = region.intersection(box).area > 0.99 * box.area
        inside = inside and photo_rect.intersection(mapped).area > 0.99 * mapped.area
        (truth if inside else cut).append(mapped.clamp(photo.shape[1], photo.shape[0]))
    return Pair(surface, intact, photo, truth, [box for box in cut if not box.is_empty], region)


def _draw_surface(surface: str, seed: int) -> Image:
    if surface == "photographs":
        return surfaces.load_photograph(seed).image
    draw = (samples.draw_panel, surfaces.draw_board, surfaces.draw_label)[seed % 3]
    return draw(_SIDE, _SIDE, seed=seed).image


def draw_pairs(name: str, count: int, seed: int, *, is_damaged: bool = True) -> Iterator[Pair]:
    """Draw `count` pairs of each kind of surface under the disturbance of this name."""
    for surface in SURFACES:
        for index in range(count):
            yield draw_pair(optics.DISTURBANCES[name], surface, seed + index, is_damaged=is_damaged)


def print_clean(names: Sequence[str], count: int, seed: int) -> None:
    """Print the findings per photo without defects for each disturbance; a refused photo has none."""
    for name in names:
        found, refused, photos = 0, 0, count * len(SURFACES)
        for pair in draw_pairs(name, count, seed, is_damaged=False):
            try:
                found += len(pair.find())
            except AlignmentFailed:
                refused += 1
        figure = f"false findings of a clean photo under {name}"
        print_figure(figure, found / photos, "", goal=CLEAN_GOAL, photos=photos, refused=refused)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark for all disturbances or those of `--only`."""
    parser = make_parser(__doc__, pairs=15, seed=100)
    parser.add_argument(
        "--only", action="append", choices=optics.DISTURBANCES, help="this one; may be repeated"
    )
    options = parser.parse_args(arguments)
    with closing(WorkThreads()) as threads, threads.shared():
        names = list(options.only or optics.DISTURBANCES)
        pairs = {name: draw_pairs(name, options.pairs, options.seed) for name in names}
        judged = [quality(f" under {name}", drawn, each=QUALITY_GOAL) for name, drawn in pairs.items()]
        calibration(list(itertools.chain.from_iterable(judged)))
        print_clean(names, options.pairs, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
