"""Measures reference-difference under one disturbance at a time: precision, recall and F at IoU 0.33.

    python -m benchmarks.disturbances [--pairs N] [--seed N] [--only NAME] [--pictures DIR]

Prints one JSON line per figure (`benchmarks/figures.py`). Photographs (of scikit-image's package) and drawn
panels, boards and labels have two to five defects each: things pasted, cloned, painted over, scratched and
stained. The photo is a little turned, noisy and compressed as JPEG 90, and disturbed in one way
(`benchmarks/optics.py`). Findings count as in `benchmarks/reference_difference.py`. No defect lies where a
highlight clips, since what lies below cannot be seen there; the highlight itself is none, so a finding on
it is false. `--pictures` saves each pair with the true boxes in green and the findings in red.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks import optics, surfaces
from benchmarks.figures import print_figure
from benchmarks.reference_difference import calibration, matched
from service.detection.reference_difference import AlignmentFailed, DetectedDifference, detect
from service.detection.reference_difference.threads import WorkThreads
from shared import samples
from shared.geometry import Rect
from shared.images.cv import cv2
from shared.samples import Image

SURFACES: Final = ("photographs", "drawn surfaces")
QUALITY_GOAL = 0.85
# Grey levels by which a channel has changed where there is a defect, and the share of its shape that has.
_VISIBLE = 25
_LEAST_SHARE = 0.4
# px of the reference image between defects, and to its edge.
_APART = 24
_FROM_EDGE = 12
_SIDE = 640


@dataclass(frozen=True)
class Disturbed:
    """A reference image, the region of it that is compared, a photo, and the true boxes in photo px.

    cut: those that the edge of region or photo cuts; what is found there counts neither way.
    """

    reference: Image
    region: Rect
    photo: Image
    truth: tuple[Rect, ...]
    cut: tuple[Rect, ...]


def pair(disturbance: optics.Disturbance, surface: str, seed: int) -> Disturbed:
    """The pair of `surface` with that seed; the same surface and defects under each disturbance."""
    rng = np.random.default_rng([seed, 61])
    intact = _surface(surface, seed)
    hurt, boxes = harmed(intact, surfaces.photographed(seed + 7).image, int(rng.integers(2, 6)), rng)
    region = disturbance.region(intact.shape[1], intact.shape[0])
    photo, moved = optics.photographed(hurt, boxes, disturbance, np.random.default_rng([seed, 67]))
    seen = Rect(0, 0, photo.shape[1], photo.shape[0])
    truth: list[Rect] = []
    cut: list[Rect] = []
    for box, there in zip(boxes, moved, strict=True):
        inside = region.intersection(box).area > 0.99 * box.area
        inside = inside and seen.intersection(there).area > 0.99 * there.area
        (truth if inside else cut).append(there.clamp(photo.shape[1], photo.shape[0]))
    return Disturbed(intact, region, photo, tuple(truth), tuple(box for box in cut if not box.is_empty))


def _surface(surface: str, seed: int) -> Image:
    if surface == "photographs":
        return surfaces.photographed(seed).image
    draw = (samples.draw_panel, surfaces.board, surfaces.printed)[seed % 3]
    return draw(_SIDE, _SIDE, seed=seed).image


def harmed(
    intact: Image, other: Image, count: int, rng: np.random.Generator
) -> tuple[Image, tuple[Rect, ...]]:
    """A copy of the surface with up to `count` defects apart from each other, and boxes that hug them.

    other: what is pasted comes from there.
    """
    image = intact.copy()
    height, width = image.shape[:2]
    boxes: list[Rect] = []
    for _ in range(count * 20):
        if len(boxes) == count:
            break
        trial, shape = _defect(image, other, rng)
        changed = np.abs(trial.astype(np.int16) - image).max(axis=2) > _VISIBLE
        if np.count_nonzero(changed) < max(_LEAST_SHARE * np.count_nonzero(shape), 16):
            continue
        rows, columns = np.nonzero(changed)
        box = Rect(float(columns.min()), float(rows.min()), np.ptp(columns) + 1.0, np.ptp(rows) + 1.0)
        wide = Rect(box.x - _APART, box.y - _APART, box.w + 2 * _APART, box.h + 2 * _APART)
        near_edge = min(box.x, box.y, width - box.right, height - box.bottom) < _FROM_EDGE
        if near_edge or any(not wide.intersection(one).is_empty for one in boxes):
            continue
        image = trial
        boxes.append(box)
    return image, tuple(boxes)


def _defect(image: Image, other: Image, rng: np.random.Generator) -> tuple[Image, Image]:
    """A copy of the image with one more defect anywhere, and its shape (255 on 0)."""
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
        return _laid(image, fill, shape, 0.9), shape
    axes = tuple(int(v) for v in rng.uniform(8, 30, 2))
    if rng.random() < 0.5:
        cv2.ellipse(shape, (x, y), axes, float(rng.uniform(0, 180)), 0, 360, 255, -1, cv2.LINE_AA)
    else:
        corners = cv2.boxPoints(((x, y), (2.0 * axes[0], 2.0 * axes[1]), float(rng.uniform(0, 180))))
        cv2.fillConvexPoly(shape, np.rint(corners).astype(np.int32), 255, cv2.LINE_AA)
    if kind == "stained":
        tint = np.array([rng.uniform(0.35, 0.75), rng.uniform(0.4, 0.8), rng.uniform(0.5, 0.85)])
        soft = cv2.GaussianBlur(shape, (0, 0), 2.0)
        return _laid(image, np.asarray(image * tint, np.uint8), soft, 1.0), shape
    if kind == "painted over":
        around = cv2.dilate(shape, np.ones((9, 9), np.uint8)) - shape
        colour = cv2.mean(image, around)[:3]
        fill = np.empty_like(image)
        fill[:] = np.clip(np.array(colour) + rng.uniform(-45, 45), 0, 255)
    else:
        source = other if kind == "pasted" else image
        tall, wide = source.shape[:2]
        rows = (np.arange(height) + int(rng.integers(tall))) % tall
        columns = (np.arange(width) + int(rng.integers(wide))) % wide
        fill = source[rows[:, None], columns]
    return _laid(image, fill, shape, 1.0), shape


def _laid(image: Image, fill: Image, shape: Image, much: float) -> Image:
    share = shape[..., None] / np.float32(255) * np.float32(much)
    return np.asarray(np.rint(image * (1 - share) + fill * share), np.uint8)


def quality(names: Sequence[str], count: int, seed: int, pictures: Path | None) -> list[tuple[float, bool]]:
    """Print F, precision and recall per disturbance; gives (confidence, real) of every finding."""
    judged: list[tuple[float, bool]] = []
    for name in names:
        for surface in SURFACES:
            row = [0, 0, 0, 0]
            for index in range(count):
                one = pair(optics.DISTURBANCES[name], surface, seed + index)
                try:
                    found = detect(one.reference, one.region, one.photo).boxes
                except AlignmentFailed:
                    found = ()
                    row[3] += 1
                verdicts = zip(found, hits(found, one), strict=True)
                counted = [(each, hit) for each, hit in verdicts if hit is not None]
                row[0] += sum(hit for _, hit in counted)
                row[1] += len(counted)
                row[2] += len(one.truth)
                judged += [(each.confidence, hit) for each, hit in counted]
                if pictures is not None:
                    _save(pictures / f"{name}-{surface}-{seed + index}.png".replace(" ", "-"), one, found)
            hit, given, true, refused = row
            print_figure(
                f"F under {name}: {surface}",
                2 * hit / max(given + true, 1),
                "",
                goal=QUALITY_GOAL,
                at_least=True,
                precision=round(hit / max(given, 1), 3),
                recall=round(hit / max(true, 1), 3),
                defects=true,
                refused=refused,
            )
    return judged


def hits(found: Sequence[DetectedDifference], one: Disturbed) -> list[bool | None]:
    """For each finding, the surest first, whether it takes a true box; None: it lies on a cut one."""
    return [
        hit if hit or not any(_touches(each.box, box) for box in one.cut) else None
        for each, hit in zip(found, matched(found, one.truth), strict=True)
    ]


def _touches(box: Rect, cut: Rect) -> bool:
    return box.intersection(cut).area > 0.5 * min(box.area, cut.area)


def _save(path: Path, one: Disturbed, found: Sequence[DetectedDifference]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    shown = one.photo.copy()
    for colour, boxes in (((0, 255, 0), one.truth), ((0, 0, 255), [each.box for each in found])):
        for box in boxes:
            start, end = (round(box.x), round(box.y)), (round(box.right), round(box.bottom))
            cv2.rectangle(shown, start, end, colour, 2)
    for each in found:
        text = f"{each.label} {each.confidence:.2f}"
        cv2.putText(shown, text, (round(each.box.x), round(each.box.y) - 4), 0, 0.4, (0, 0, 255), 1)
    height = max(shown.shape[0], one.reference.shape[0])
    both = [
        cv2.copyMakeBorder(image, 0, height - image.shape[0], 0, 8, cv2.BORDER_CONSTANT, value=(0, 0, 0))
        for image in (one.reference, shown)
    ]
    _, packed = cv2.imencode(".png", cv2.hconcat(both))
    path.write_bytes(packed.tobytes())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all of it, or what `--only` names."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.disturbances",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--pairs", type=int, default=15, help="pairs per disturbance and kind of surface")
    parser.add_argument("--seed", type=int, default=100, help="another one gives defects never seen before")
    parser.add_argument(
        "--only", action="append", choices=optics.DISTURBANCES, help="this one; may be repeated"
    )
    parser.add_argument("--pictures", type=Path, help="folder for pictures of the pairs and their findings")
    options = parser.parse_args(arguments)
    with closing(WorkThreads()) as threads, threads.shared():
        calibration(
            quality(list(options.only or optics.DISTURBANCES), options.pairs, options.seed, options.pictures)
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
