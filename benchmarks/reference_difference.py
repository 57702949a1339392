"""Measures reference-difference: precision, recall and F, with default settings.

    python -m benchmarks.reference_difference [--pairs N] [--seed N] [--bilevel | --speed | --deeppcb DIR]
        [--megapixels N] [--times N]

Prints one JSON line per figure (`benchmarks/figures.py`). `--bilevel`, `--speed` and `--deeppcb` measure only
one part each.

- Panels, boards (coloured and black-and-white) and labels are drawn, damaged and photographed under known
  views; strangers are two different surfaces. A finding is correct at IoU 0.33. Of black-and-white scans the
  boxes that annotators draw count (8 px larger on each side), otherwise those that hug the change.
- `--bilevel`: boards, and sheets with text, scales and symbols, in white on black and in black on white. The
  reference image is a black-and-white scan without faults. The photo shows another scan, with faults and
  slightly shifted: rotated, tilted, dim, in light that decreases to one side, blurred, with noise and
  compression (`tests/material/scans.py`). A finding is correct if its centre is in a box as annotators draw.
- `--speed`: its floor is SIFT features of the same photos on one core.
- `--deeppcb`: the folder `PCBData` of DeepPCB (Tang et al. 2019), of which every fourth pair of the test list
  is compared.

Defects in refused photos count as missed.
"""

from __future__ import annotations

import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.figures import make_parser, print_figure
from benchmarks.photos import read_photo
from service.detection.compute import allocator
from service.detection.reference_difference import AlignmentFailed, detect
from service.detection.reference_difference.threads import WorkThreads
from shared import samples
from shared.images.cv import cv2
from shared.record.geometry import rect_from_corners
from shared.samples import Image, View
from tests.material.pairs import Pair, bilevel_pairs, bilevel_stranger_pairs, pairs, stranger_pairs, whole

PAIRS_PER_SECOND = 20
LARGE_MEGAPIXELS = 24
LARGE_SECONDS = 2.0
"""The goals: aligned pairs of 640 x 640 on two free cores, and one large pair."""
CONFIDENCE_GOAL, MIN_JUDGED = 0.1, 30
"""By how much a tenth of confidence may be off, and the findings that it takes to say so."""
BILEVEL, BILEVEL_GOAL = "bilevel reference and photo", 0.9
"""What the figures of photos of a bilevel reference image are called, and the goal of F for all of them."""


def deeppcb_pairs(folder: Path) -> Iterator[Pair]:
    """Every fourth pair of the test list of DeepPCB, with the boxes of its annotators."""
    for line in (folder / "test.txt").read_text().splitlines()[::4]:
        place, truth = (folder / name for name in line.split())
        reference, photo = (
            read_photo(place.with_name(f"{place.stem}_{which}.jpg")) for which in ("temp", "test")
        )
        boxes = (map(float, row.replace(",", " ").split()[:4]) for row in truth.read_text().splitlines())
        yield Pair("DeepPCB", reference, photo, [rect_from_corners(*box) for box in boxes])


def quality(name: str, pairs: Iterable[Pair], **goals: float) -> list[tuple[float, bool]]:
    """Print precision, recall and F per kind and together; gives (confidence, real) of every counted finding.

    `name`: what follows "F" in the names of the figures. `goals`: those of F, for `all` kinds together and
    for `each` kind.
    """
    sums: defaultdict[str, Counter[str]] = defaultdict(Counter)
    judged: list[tuple[float, bool]] = []
    for pair in pairs:
        row = sums[pair.kind]
        row["defects"] += len(pair.truth)
        try:
            found = pair.find()
        except AlignmentFailed:
            row["refused"] += 1
            continue
        verdicts = zip(found, pair.judge(found), strict=True)
        counted = [(one.confidence, hit) for one, hit in verdicts if hit is not None]
        row["given"] += len(counted)
        row["hit"] += sum(hit for _, hit in counted)
        judged += counted
    for kind, row in [*sums.items(), ("all", sum(sums.values(), Counter()))]:
        print_figure(
            f"F{name}: {kind}",
            2 * row["hit"] / max(row["given"] + row["defects"], 1),
            "",
            goal=goals.get("all" if kind == "all" else "each"),
            at_least=True,
            precision=round(row["hit"] / max(row["given"], 1), 3),
            recall=round(row["hit"] / max(row["defects"], 1), 3),
            defects=row["defects"],
            refused=row["refused"],
        )
    return judged


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


def calibration(judged: Sequence[tuple[float, bool]], kind: str = "") -> None:
    """Of the findings in each tenth of confidence, how many are real, with the 95 % interval of Wilson.

    judged: confidence and whether it is real, of each finding. A tenth with few findings is shown, but says
    too little to be judged.
    """
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
    once = _measure_time(lambda: [pair.find() for pair in small], times)
    threads = cv2.getNumThreads()
    # As the service runs two at a time: one core each, so OpenCV starts no threads of its own.
    cv2.setNumThreads(1)
    alone = _measure_time(lambda: [pair.find() for pair in small], times)
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
    whole = _measure_time(large.find, times)
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


def _features(pair: Pair) -> int:
    grey = cv2.cvtColor(pair.photo, cv2.COLOR_BGR2GRAY)
    return len(cv2.SIFT_create().detectAndCompute(grey, None)[0])  # type: ignore[attr-defined]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; everything without a flag."""
    sizes = {"pairs": 12, "seed": 100, "megapixels": LARGE_MEGAPIXELS, "times": 3}
    options = make_parser(__doc__, **sizes, bilevel=False, speed=False, deeppcb=Path).parse_args(arguments)
    with closing(WorkThreads()) as threads, threads.shared():
        if options.deeppcb:
            quality(", test list", deeppcb_pairs(options.deeppcb))
            return 0
        if not options.speed and not options.bilevel:
            aligned, every = (
                quality(f", {level}", pairs(level, options.pairs, options.seed))
                for level in ("aligned", "all")
            )
            calibration(aligned + every)
            strangers("strangers", stranger_pairs(options.pairs))
        if not options.speed:
            sheets = bilevel_pairs(options.pairs, options.seed)
            calibration(quality(f", {BILEVEL}", sheets, all=BILEVEL_GOAL), f", {BILEVEL}")
            strangers("strangers of a bilevel reference", bilevel_stranger_pairs(options.pairs, options.seed))
        if not options.bilevel:
            speed(min(options.pairs, 2), options.megapixels, options.times)
    return 0


if __name__ == "__main__":
    sys.exit(main())
