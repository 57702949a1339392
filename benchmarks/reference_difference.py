"""Measures reference-difference: precision, recall and F at IoU 0.33, with default settings.

    python -m benchmarks.reference_difference [--pairs N] [--seed N] [--speed] [--megapixels N]

Prints one JSON line per figure (`benchmarks/figures.py`). Panels, boards (coloured and black-and-white) and
labels are drawn, damaged and photographed under known views; strangers are two different surfaces of the same
kind. The floor of the speed is SIFT features of the same photos on one core.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.figures import print_figure
from service.detection.compute import allocator
from service.detection.reference_difference import AlignmentFailed, DetectedDifference, detect
from service.detection.reference_difference.threads import WorkThreads
from shared import samples
from shared.images.cv import cv2
from shared.record.geometry import Rect, rect_from_corners
from shared.samples import Image, View
from tests.material import scans, surfaces

MATCH = 0.33
MARGIN = 8
PAIRS_PER_SECOND = 20
LARGE_MEGAPIXELS = 24
LARGE_SECONDS = 2.0
"""The goals: aligned pairs of 640 x 640 on two free cores, and one large pair."""
CONFIDENCE_GOAL, MIN_JUDGED = 0.1, 30
"""By how much a tenth of confidence may be off, and the findings that it takes to say so."""
KINDS = ("panel", "board", "black-and-white board", "scanned board", "label", "photograph")
SCANS = ("black-and-white board", "scanned board")


@dataclass(frozen=True)
class Pair:
    """A reference, a photo and the true boxes in photo px, hugging what changed; `scan`: black and white."""

    kind: str
    reference: Image
    photo: Image
    truth: tuple[Rect, ...]
    scan: bool = False

    @property
    def expected(self) -> Sequence[Rect]:
        """The boxes that count: of scans those that annotators draw, otherwise those that hug."""
        return annotate(self.truth, self.photo) if self.scan else self.truth


def surface(kind: str, seed: int, size: tuple[int, int]) -> tuple[Image, Image, tuple[samples.Defect, ...]]:
    """An intact surface, its damaged copy and the damage."""
    rng = np.random.default_rng(seed)
    if kind == "panel":
        drawn = samples.draw_panel(*size, seed=seed)
        kinds = list(rng.permutation(samples.KINDS)[: int(rng.integers(2, 6))])
        return drawn.image, *samples.damage_panel(drawn, kinds, seed)
    if kind == "scanned board":
        copper = scans.draw_board(*size, seed)
        hurt, faults = scans.add_faults(copper, int(rng.integers(3, 12)), seed)
        return cv2.merge([copper] * 3), cv2.merge([hurt] * 3), faults
    if kind == "photograph":
        sheet = surfaces.load_photograph(seed)
    elif kind == "label":
        sheet = surfaces.draw_label(*size, seed=seed)
    else:
        sheet = surfaces.draw_board(*size, seed=seed, binary=kind != "board")
    return sheet.image, *surfaces.add_defects(sheet, int(rng.integers(2, 7)), seed)


def view(level: str, rng: np.random.Generator) -> View:
    """A view of `level`: aligned (light, noise and compression only) or everything together."""
    if level == "aligned":
        return View(light=0.15, gain=float(rng.uniform(0.9, 1.1)), noise=3, jpeg=88)
    return View(
        rotation=float(rng.uniform(-10, 10)),
        scale=float(rng.uniform(0.8, 1.25)),
        perspective=0.04,
        light=0.4,
        gain=float(rng.uniform(0.85, 1.12)),
        noise=5,
        blur=float(rng.uniform(0.3, 1.2)),
        jpeg=80,
    )


def pairs(level: str, count: int, seed: int = 100) -> Iterator[Pair]:
    """`count` pairs per kind of surface."""
    for kind in KINDS:
        for index in range(count):
            rng = np.random.default_rng([seed, index, len(kind)])
            size = (640, 640) if index % 2 else (900, 700)
            reference, hurt, defects = surface(kind, seed + index, size)
            photo, matrix = samples.photograph(hurt, view(level, rng), seed + index)
            if kind == "black-and-white board" and level == "aligned":
                reference, photo = threshold(reference, rng), threshold(hurt, rng)
            truth = tuple(_move_box(defect.box, matrix, photo) for defect in defects)
            if kind == "scanned board" and level == "aligned":
                reference, photo, truth = scan(reference, hurt, defects, rng)
            boxes = tuple(box for box in truth if not box.is_empty)
            yield Pair(kind, reference, photo, boxes, level == "aligned" and kind in SCANS)


def scan(
    intact: Image, hurt: Image, defects: Sequence[samples.Defect], rng: np.random.Generator
) -> tuple[Image, Image, tuple[Rect, ...]]:
    """Scans of an intact and a faulty board that do not quite lie on each other, and the true boxes."""
    height, width = intact.shape[:2]
    shift = scans.draw_shift(width, height, rng)
    truth = []
    for box in (defect.box for defect in defects):
        x, y = shift[int(box.y + box.h / 2), int(box.x + box.w / 2)].tolist()
        truth.append(Rect(box.x + x, box.y + y, box.w, box.h))
    return scans.scan(intact[..., 0], None, rng), scans.scan(hurt[..., 0], shift, rng), tuple(truth)


def threshold(image: Image, rng: np.random.Generator) -> Image:
    """The image as a scanner that only knows black and white sees it: its edges jitter by a pixel or two."""
    rough = cv2.GaussianBlur(rng.standard_normal(image.shape[:2]).astype(np.float32), (0, 0), 1.5) * 60
    soft = cv2.GaussianBlur(image[..., 0].astype(np.float32), (0, 0), 1.6)
    level = soft + rough > float(rng.uniform(105, 150))
    return np.repeat((level * np.uint8(255))[..., None], 3, axis=2)


def _move_box(box: Rect, matrix: samples.Matrix, photo: Image) -> Rect:
    points = np.array([[[box.x, box.y], [box.right, box.y], [box.right, box.bottom], [box.x, box.bottom]]])
    seen = cv2.perspectiveTransform(points, matrix)[0]
    (x1, y1), (x2, y2) = seen.min(axis=0), seen.max(axis=0)
    inside = rect_from_corners(x1, y1, x2, y2).clamp(photo.shape[1], photo.shape[0])
    whole = rect_from_corners(x1, y1, x2, y2).area
    return inside if inside.area > 0.6 * whole else Rect(0, 0, 0, 0)


def annotate(truth: Sequence[Rect], photo: Image) -> list[Rect]:
    """The true boxes as those of DeepPCB are drawn (Tang et al. 2019): `MARGIN` px more on each side."""
    return [
        Rect(box.x - MARGIN, box.y - MARGIN, box.w + 2 * MARGIN, box.h + 2 * MARGIN).clamp(
            photo.shape[1], photo.shape[0]
        )
        for box in truth
    ]


def match_boxes(found: Sequence[DetectedDifference], truth: Sequence[Rect]) -> list[bool]:
    """For each finding, the surest first, whether it takes a true box that no other has taken."""
    free = list(truth)
    verdicts = []
    for one in found:
        best = max(free, key=one.box.iou, default=None)
        hit = best is not None and one.box.iou(best) >= MATCH
        if hit and best is not None:
            free.remove(best)
        verdicts.append(hit)
    return verdicts


def quality(level: str, count: int, seed: int) -> list[tuple[float, bool]]:
    """Print precision, recall and F per kind and together; gives (confidence, real) of every finding."""
    sums: dict[str, list[int]] = {kind: [0, 0, 0, 0, 0, 0] for kind in KINDS}
    judged: list[tuple[float, bool]] = []
    for pair in pairs(level, count, seed):
        row = sums[pair.kind]
        row[2] += len(pair.truth)
        try:
            result = detect(pair.reference, _whole(pair.reference), pair.photo)
        except AlignmentFailed:
            row[3] += 1
            continue
        hits = match_boxes(result.boxes, pair.expected)
        row[0] += sum(hits)
        row[1] += len(hits)
        row[4] += sum(match_boxes(result.boxes, pair.truth))
        row[5] += sum(match_boxes(result.boxes, annotate(pair.truth, pair.photo)))
        judged += [(one.confidence, hit) for one, hit in zip(result.boxes, hits, strict=True)]
    together = [sum(column) for column in zip(*sums.values(), strict=True)]
    for kind, row in [*sums.items(), ("all", together)]:
        hit, given, true, refused, tight, generous = row
        precision, recall = hit / max(given, 1), hit / max(true, 1)
        print_figure(
            f"F, {level}: {kind}",
            2 * hit / max(given + true, 1),
            "",
            f_hugging=round(2 * tight / max(given + true, 1), 3),
            f_with_annotators_margin=round(2 * generous / max(given + true, 1), 3),
            precision=round(precision, 3),
            recall=round(recall, 3),
            refused=refused,
        )
    return judged


def strangers(count: int) -> None:
    """How many pairs of different surfaces pass, find something, or are refused."""
    answers = {"passed": 0, "findings": 0, "refused": 0}
    for kind in KINDS:
        for index in range(count):
            rng = np.random.default_rng([7, index])
            reference, _, _ = surface(kind, 500 + index, (640, 640))
            other = kind if index % 2 else KINDS[int(rng.integers(len(KINDS)))]
            _, hurt, _ = surface(other, 900 + index, (640, 640))
            photo, _ = samples.photograph(hurt, view("aligned" if index % 4 < 2 else "all", rng), index)
            try:
                found = detect(reference, _whole(reference), photo).boxes
                answers["findings" if found else "passed"] += 1
            except AlignmentFailed:
                answers["refused"] += 1
    total = sum(answers.values())
    shares: dict[str, Any] = {
        name: round(value / total, 3) for name, value in answers.items() if name != "passed"
    }
    print_figure("strangers that pass", answers["passed"] / total, "", **shares)


def calibration(judged: Sequence[tuple[float, bool]], of: str = "") -> None:
    """Of the findings in each tenth of confidence, how many are real, with the 95 % interval of Wilson.

    judged: confidence and whether it is real, of each finding. of: what they are findings of. A tenth with
    few findings is shown, but says too little to be judged.
    """
    kind = f", {of}" if of else ""
    off = []
    for tenth in range(10):
        band = [(given, real) for given, real in judged if min(int(given * 10 + 1e-9), 9) == tenth]
        if not band:
            continue
        share, given = (float(np.mean([each[index] for each in band])) for index in (1, 0))
        low, high = wilson(share, len(band))
        if len(band) >= MIN_JUDGED:
            off.append(abs(share - given))
        print_figure(
            f"real of the findings with confidence {tenth / 10:.1f}..{tenth / 10 + 0.1:.1f}{kind}",
            share,
            "",
            given=round(given, 3),
            count=len(band),
            interval=[round(low, 3), round(high, 3)],
        )
    if off:
        print_figure(
            f"confidence is off by at most{kind}", max(off), "", goal=CONFIDENCE_GOAL, tenths=len(off)
        )


def wilson(share: float, count: int) -> tuple[float, float]:
    """The 95 % interval of a share of `count` (Wilson 1927)."""
    square = 1.96**2 / count
    middle = (share + square / 2) / (1 + square)
    reach = 1.96 / (1 + square) * float(np.sqrt(share * (1 - share) / count + square / (4 * count)))
    return middle - reach, middle + reach


def speed(count: int, megapixels: int, times: int) -> None:
    """What an aligned pair of 640 x 640 and a large pair with alignment cost, the least of `times` runs.

    `count` pairs of 640 x 640 per kind of surface.

    Memory is kept as the service and the command line keep it. The machine may be shared, so processor time
    per pair is given beside the wall clock, with what two free cores would make of it, and as a yardstick of
    the same run: SIFT features of the same photos on one core.
    """
    allocator.keep_freed_memory()
    small = [pair for pair in pairs("aligned", 2 * count) if pair.photo.shape[:2] == (640, 640)]
    once = _measure_time(lambda: [_compare(pair) for pair in small], times)
    threads = cv2.getNumThreads()
    # As the service runs two at a time: one core each, so OpenCV starts no threads of its own.
    cv2.setNumThreads(1)
    alone = _measure_time(lambda: [_compare(pair) for pair in small], times)
    sift = _measure_time(lambda: [_features(pair) for pair in small], times)
    cv2.setNumThreads(threads)
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn"), _one_thread) as pool:
        list(pool.map(_compare, small * 2))
        begun = time.perf_counter()
        list(pool.map(_compare, small * 4))
        both = time.perf_counter() - begun
    number = len(small)
    print_figure(
        "640 x 640 aligned, processor time",
        1000 * alone.processor / number,
        "ms",
        floor=1000 * sift.processor / number,
    )
    print_figure(
        "640 x 640 aligned, on two free cores",
        2 * number / alone.processor,
        "pairs/s",
        goal=PAIRS_PER_SECOND,
        at_least=True,
        one_by_one=round(number / once.wall, 1),
        two_processes=round(4 * number / both, 1),
    )
    height = round((megapixels * 1e6 / 1.5) ** 0.5)
    scene = samples.draw_scene(
        height * 3 // 2, height, 3, view=View(rotation=6, scale=1.0, perspective=0.03, light=0.3, noise=4)
    )
    large = Pair("panel", scene.reference, scene.photo, ())
    whole = _measure_time(lambda: _compare(large), times)
    goal = LARGE_SECONDS if megapixels == LARGE_MEGAPIXELS else None
    print_figure(
        f"{megapixels} MP with alignment", whole.wall, "s", goal=goal, processor=round(whole.processor, 2)
    )


@dataclass(frozen=True)
class Time:
    """Seconds by the wall clock and of all the processors together."""

    wall: float
    processor: float


def _measure_time(work: Callable[[], object], times: int) -> Time:
    """The least of several runs, after one to warm up: what is left when others do not disturb."""
    work()
    runs = []
    for _ in range(times):
        wall, processor = time.perf_counter(), time.process_time()
        work()
        runs.append(Time(time.perf_counter() - wall, time.process_time() - processor))
    return Time(min(run.wall for run in runs), min(run.processor for run in runs))


def _compare(pair: Pair) -> int:
    return len(detect(pair.reference, _whole(pair.reference), pair.photo).boxes)


def _features(pair: Pair) -> int:
    grey = cv2.cvtColor(pair.photo, cv2.COLOR_BGR2GRAY)
    return len(cv2.SIFT_create().detectAndCompute(grey, None)[0])  # type: ignore[attr-defined]


def _one_thread() -> None:
    allocator.keep_freed_memory()
    cv2.setNumThreads(1)


def _whole(image: Image) -> Rect:
    return Rect(0, 0, image.shape[1], image.shape[0])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; everything without a flag."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.reference_difference",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--pairs", type=int, default=12, help="pairs per kind of surface")
    parser.add_argument("--seed", type=int, default=100, help="another one gives surfaces never seen before")
    parser.add_argument("--megapixels", type=int, default=LARGE_MEGAPIXELS, help="of the large pair")
    parser.add_argument("--times", type=int, default=3, help="runs of which the fastest counts")
    parser.add_argument("--speed", action="store_true", help="only the speed")
    options = parser.parse_args(arguments)
    with closing(WorkThreads()) as threads, threads.shared():
        if not options.speed:
            aligned = quality("aligned", options.pairs, options.seed)
            calibration(aligned + quality("all", options.pairs, options.seed))
            strangers(options.pairs)
        speed(min(options.pairs, 2), options.megapixels, options.times)
    return 0


if __name__ == "__main__":
    sys.exit(main())
