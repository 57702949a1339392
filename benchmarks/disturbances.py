"""Measures reference-difference under one disturbance at a time: precision, recall and F at IoU 0.33.

    python -m benchmarks.disturbances [--pairs N] [--seed N] [--only NAME]

Prints one JSON line per figure (`benchmarks/figures.py`). Photographs (of scikit-image's package) and drawn
panels, boards and labels have two to five defects each: pasted or cloned pieces, painted areas, scratches and
stains. The photo is slightly rotated, noisy, compressed as JPEG 90, and disturbed in one way
(`benchmarks/optics.py`). Findings count as in `benchmarks/reference_difference.py`. No defect is in the
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

from benchmarks import optics
from benchmarks.figures import make_parser, print_figure
from benchmarks.reference_difference import Pair, calibration, quality
from service.detection.reference_difference import AlignmentFailed
from service.detection.reference_difference.threads import WorkThreads
from shared import samples
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.samples import Image
from tests.material import surfaces

SURFACES: Final = ("photographs", "drawn surfaces")
QUALITY_GOAL, CLEAN_GOAL = 0.85, 0.5
# The grey levels by which a channel changes in a defect, and the share of its shape that must change.
_MIN_CHANGE = 25
_MIN_SHARE = 0.4
# The distances between defects and to the edge, px of the reference image.
_MIN_DISTANCE = 24
_MIN_EDGE_DISTANCE = 12
_SIDE = 640


def draw_pair(disturbance: optics.Disturbance, surface: str, seed: int, *, is_damaged: bool = True) -> Pair:
    """Draw the pair of a surface and a seed, with the same surface and defects for each disturbance."""
    rng = np.random.default_rng([seed, 61])
    intact = _draw_surface(surface, seed)
    count = int(rng.integers(2, 6)) if is_damaged else 0
    damaged, boxes = add_defects(intact, surfaces.load_photograph(seed + 7).image, count, rng)
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


def add_defects(
    intact: Image, other: Image, count: int, rng: np.random.Generator
) -> tuple[Image, tuple[Rect, ...]]:
    """Return a copy of the surface with up to `count` separate defects, and their bounds.

    `other` is the source of pasted pieces.
    """
    image = intact.copy()
    height, width = image.shape[:2]
    boxes: list[Rect] = []
    for _ in range(count * 20):
        if len(boxes) == count:
            break
        trial, shape = _draw_defect(image, other, rng)
        changed = np.abs(trial.astype(np.int16) - image).max(axis=2) > _MIN_CHANGE
        if np.count_nonzero(changed) < max(_MIN_SHARE * np.count_nonzero(shape), 16):
            continue
        rows, columns = np.nonzero(changed)
        box = Rect(float(columns.min()), float(rows.min()), np.ptp(columns) + 1.0, np.ptp(rows) + 1.0)
        bounds = Rect(
            box.x - _MIN_DISTANCE, box.y - _MIN_DISTANCE, box.w + 2 * _MIN_DISTANCE, box.h + 2 * _MIN_DISTANCE
        )
        near_edge = min(box.x, box.y, width - box.right, height - box.bottom) < _MIN_EDGE_DISTANCE
        if near_edge or any(not bounds.intersection(placed).is_empty for placed in boxes):
            continue
        image = trial
        boxes.append(box)
    return image, tuple(boxes)


def _draw_defect(image: Image, other: Image, rng: np.random.Generator) -> tuple[Image, Image]:
    """Return a copy of the image with one more defect, and the mask of the defect (255 on 0)."""
    height, width = image.shape[:2]
    kind = ("pasted", "cloned", "painted over", "scratched", "stained")[int(rng.integers(5))]
    shape = np.zeros((height, width), np.uint8)
    x, y = int(rng.uniform(0.06, 0.94) * width), int(rng.uniform(0.06, 0.94) * height)
    if kind == "scratched":
        reach, turn = rng.uniform(14, 45), rng.uniform(0, np.pi)
        step = np.array([np.cos(turn), np.sin(turn)]) * reach
        bend = rng.uniform(-0.15, 0.15) * step[::-1]
        line = np.rint(np.array([-step, bend, step]) + np.array([x, y])).astype(np.int32)
        cv2.polylines(shape, [line], False, 255, int(rng.integers(2, 4)), cv2.LINE_AA)
        fill = np.full_like(image, 235 if rng.random() < 0.5 else 25)
        return _blend(image, fill, shape, 0.9), shape
    axes = tuple(int(v) for v in rng.uniform(8, 30, 2))
    if rng.random() < 0.5:
        cv2.ellipse(shape, (x, y), axes, float(rng.uniform(0, 180)), 0, 360, 255, -1, cv2.LINE_AA)
    else:
        corners = cv2.boxPoints(((x, y), (2.0 * axes[0], 2.0 * axes[1]), float(rng.uniform(0, 180))))
        cv2.fillConvexPoly(shape, np.rint(corners).astype(np.int32), 255, cv2.LINE_AA)
    if kind == "stained":
        tint = np.array([rng.uniform(0.35, 0.75), rng.uniform(0.4, 0.8), rng.uniform(0.5, 0.85)])
        soft = cv2.GaussianBlur(shape, (0, 0), 2.0)
        return _blend(image, np.asarray(image * tint, np.uint8), soft, 1.0), shape
    if kind == "painted over":
        ring = cv2.dilate(shape, np.ones((9, 9), np.uint8)) - shape
        colour = cv2.mean(image, ring)[:3]
        fill = np.empty_like(image)
        fill[:] = np.clip(np.array(colour) + rng.uniform(-45, 45), 0, 255)
    else:
        source = other if kind == "pasted" else image
        source_height, source_width = source.shape[:2]
        rows = (np.arange(height) + int(rng.integers(source_height))) % source_height
        columns = (np.arange(width) + int(rng.integers(source_width))) % source_width
        fill = source[rows[:, None], columns]
    return _blend(image, fill, shape, 1.0), shape


def _blend(image: Image, fill: Image, shape: Image, opacity: float) -> Image:
    share = shape[..., None] / np.float32(255) * np.float32(opacity)
    return np.asarray(np.rint(image * (1 - share) + fill * share), np.uint8)


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
