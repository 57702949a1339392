"""Measures reference-difference: precision, recall and F at IoU 0.33, with default settings.

    python -m benchmarks.reference_difference [--pairs N] [--seed N] [--speed] [--megapixels N] [--times N]
        [--deeppcb DIR]

Prints one JSON line per figure (`benchmarks/figures.py`). Panels, boards (coloured and black-and-white) and
labels are drawn, damaged and photographed under known views; strangers are two different surfaces of the same
kind. Of black-and-white scans the boxes that annotators draw count, otherwise those that hug the change. The
floor of the speed is SIFT features of the same photos on one core. `--deeppcb` is the folder `PCBData` of
DeepPCB (Tang et al. 2019), of which every fourth pair of the test list is compared.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.figures import make_parser, print_figure
from service.detection.compute import allocator
from service.detection.reference_difference import AlignmentFailed, DetectedDifference, detect
from service.detection.reference_difference.data import apply, corners
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
        if not self.scan:
            return self.truth
        return [widen(box, MARGIN).clamp(self.photo.shape[1], self.photo.shape[0]) for box in self.truth]


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
            truth = tuple(_visible_box(defect.box, matrix, photo) for defect in defects)
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


def deeppcb_pairs(folder: Path) -> Iterator[Pair]:
    """Every fourth pair of the test list of DeepPCB, with the boxes of its annotators."""
    for line in (folder / "test.txt").read_text().splitlines()[::4]:
        place, truth = (folder / name for name in line.split())
        reference, photo = (
            np.asarray(cv2.imdecode(np.frombuffer(file.read_bytes(), np.uint8), cv2.IMREAD_COLOR), np.uint8)
            for file in (place.with_name(f"{place.stem}_{which}.jpg") for which in ("temp", "test"))
        )
        boxes = (map(float, row.replace(",", " ").split()[:4]) for row in truth.read_text().splitlines())
        yield Pair("DeepPCB", reference, photo, tuple(rect_from_corners(*box) for box in boxes))


def move_box(box: Rect, matrix: samples.Matrix) -> Rect:
    """The bounds of `box` of the reference image in the photo, also beyond its edges."""
    points = apply(matrix, corners(box))
    return rect_from_corners(*points.min(axis=0).tolist(), *points.max(axis=0).tolist())


def _visible_box(box: Rect, matrix: samples.Matrix, photo: Image) -> Rect:
    whole = move_box(box, matrix)
    inside = whole.clamp(photo.shape[1], photo.shape[0])
    return inside if inside.area > 0.6 * whole.area else Rect(0, 0, 0, 0)


def widen(box: Rect, margin: float) -> Rect:
    """The box with `margin` px more on each side."""
    return Rect(box.x - margin, box.y - margin, box.w + 2 * margin, box.h + 2 * margin)


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


def quality(name: str, pairs: Iterable[Pair]) -> list[tuple[float, bool]]:
    """Print precision, recall and F per kind and together; gives (confidence, real) of every finding."""
    tally = Tally()
    for pair in pairs:
        found = tally.compare(pair.kind, pair.reference, pair.photo, len(pair.truth))
        tally.count(pair.kind, found, match_boxes(found, pair.expected))
    tally.print_figures(name)
    return tally.judged


class Tally:
    """Counts findings, those that are real, defects and refusals by kind of pair."""

    def __init__(self) -> None:
        self._sums: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0, 0])
        self.judged: list[tuple[float, bool]] = []
        """Confidence of every counted finding, and whether it is real."""

    def compare(
        self, kind: str, reference: Image, photo: Image, defects: int
    ) -> Sequence[DetectedDifference]:
        """Return the findings of a pair with this number of defects; none if it is refused."""
        row = self._sums[kind]
        row[2] += defects
        row[4] += 1
        try:
            return detect(reference, whole(reference), photo).boxes
        except AlignmentFailed:
            row[3] += 1
            return ()

    def count(self, kind: str, found: Sequence[DetectedDifference], verdicts: Sequence[bool | None]) -> None:
        """Count which findings are real; those with the verdict None do not count."""
        judged = [(one.confidence, hit) for one, hit in zip(found, verdicts, strict=True) if hit is not None]
        self._sums[kind][0] += sum(hit for _, hit in judged)
        self._sums[kind][1] += len(judged)
        self.judged += judged

    def print_figures(self, name: str, goal: float | None = None) -> None:
        """Print F of each kind and of all, with `goal` for all."""
        total = [sum(column) for column in zip(*self._sums.values(), strict=True)]
        for kind, (hit, given, true, refused, pairs) in [*self._sums.items(), ("all", total)]:
            print_figure(
                f"F, {name}: {kind}",
                2 * hit / max(given + true, 1),
                "",
                goal=goal if kind == "all" else None,
                at_least=True,
                precision=round(hit / max(given, 1), 3),
                recall=round(hit / max(true, 1), 3),
                refused=round(refused / pairs, 3),
            )


def stranger_pairs(count: int) -> Iterator[tuple[Image, Image]]:
    """`count` reference images per kind, with a photo of another surface each."""
    for kind in KINDS:
        for index in range(count):
            rng = np.random.default_rng([7, index])
            reference, _, _ = surface(kind, 500 + index, (640, 640))
            other = kind if index % 2 else KINDS[int(rng.integers(len(KINDS)))]
            _, hurt, _ = surface(other, 900 + index, (640, 640))
            level = "aligned" if index % 4 < 2 else "all"
            yield reference, samples.photograph(hurt, view(level, rng), index)[0]


def strangers(name: str, pairs: Iterable[tuple[Image, Image]]) -> None:
    """Print how many pairs of different surfaces pass, find something, or are refused."""
    answers: dict[str, Any] = {"passed": 0, "findings": 0, "refused": 0}
    for reference, photo in pairs:
        try:
            found = detect(reference, whole(reference), photo).boxes
            answers["findings" if found else "passed"] += 1
        except AlignmentFailed:
            answers["refused"] += 1
    print_figure(f"{name} that pass", answers.pop("passed"), "pairs", goal=0, **answers)


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
    return len(detect(pair.reference, whole(pair.reference), pair.photo).boxes)


def _features(pair: Pair) -> int:
    grey = cv2.cvtColor(pair.photo, cv2.COLOR_BGR2GRAY)
    return len(cv2.SIFT_create().detectAndCompute(grey, None)[0])  # type: ignore[attr-defined]


def whole(image: Image) -> Rect:
    """All of a picture."""
    return Rect(0, 0, image.shape[1], image.shape[0])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; everything without a flag."""
    parser = make_parser(__doc__, pairs=12, seed=100, megapixels=LARGE_MEGAPIXELS, times=3)
    parser.add_argument("--speed", action="store_true", help="only the speed")
    parser.add_argument("--deeppcb", type=Path)
    options = parser.parse_args(arguments)
    with closing(WorkThreads()) as threads, threads.shared():
        if options.deeppcb:
            quality("test list", deeppcb_pairs(options.deeppcb))
            return 0
        if not options.speed:
            aligned, every = (
                quality(level, pairs(level, options.pairs, options.seed)) for level in ("aligned", "all")
            )
            calibration(aligned + every)
            strangers("strangers", stranger_pairs(options.pairs))
        speed(min(options.pairs, 2), options.megapixels, options.times)
    return 0


if __name__ == "__main__":
    sys.exit(main())
