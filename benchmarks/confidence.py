"""Judges the confidence of reference-difference by the pairs of all its benchmarks, and fits its weights.

    python -m benchmarks.confidence [--pairs N] [--seed N] [--only NAME] [--fit]

Prints one JSON line per figure (`benchmarks/figures.py`): of the findings in each tenth of confidence the
share that is real, for photos, for scans in black and white, and for photos of a bilevel reference image. The
pairs are those of `benchmarks/disturbances.py`, `benchmarks/reference_difference.py` (surfaces) and
`benchmarks/bilevel.py`.

`--fit` prints weights instead, fitted on the parts of these pairs that are not surely nothing, and the same
shares for confidences of which each was computed with weights fitted without its kind of surface and
disturbance.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks import bilevel, disturbances, optics, reference_difference
from benchmarks.figures import print_figure
from service.detection.reference_difference import AlignmentFailed, DetectedDifference, Parameters
from service.detection.reference_difference.difference.confidence import (
    MOST_CONFIDENT,
    confidence,
    measures,
)
from service.detection.reference_difference.model import examine, photo_box
from service.detection.reference_difference.threads import WorkThreads
from shared.geometry import Rect
from shared.samples import Image

Rows = NDArray[np.float64]

PHOTOS, SCANS, BILEVEL = "photos", "scans in black and white", "photos of a bilevel reference image"
GENERATORS: Final = ("disturbances", "surfaces", "bilevel")
KINDS: Final = (PHOTOS, SCANS, BILEVEL)
WEIGHTS: Final = ("bias", "strength", "thickness", "peers", "left", "surroundings", "usual", "area")
_LEFT: Final = WEIGHTS.index("left")
LEFT: Final = {PHOTOS: 2.7, SCANS: 0.49, BILEVEL: 0.0}
"""The weight of what a shift leaves, fitted on drawn scenes with parallax and highlights that move."""
LEAST_CONFIDENCE: Final = 0.5
LEAST_FITTED: Final = 0.1
"""Parts that are surely nothing are left out of the fit: they are most, and would bend it for the others."""
# Pairs of each kind for one of `benchmarks.disturbances`, which has many more kinds.
_OF_SURFACES, _OF_BILEVEL = 3, 8
# Against the square of a weight, and the steps of the fit.
_RIDGE, _STEPS = 0.5, 60


@dataclass(frozen=True)
class Part:
    """A differing part of a pair: its kind of picture, and whether it is real.

    group: surface and disturbance. measures: those of `confidence`.
    """

    kind: str
    group: str
    measures: tuple[float, ...]
    confidence: float
    real: bool


def parts(generator: str, count: int, seed: int) -> Iterator[Part]:
    """All parts of `count` pairs of each kind of a generator, also those that are not reported.

    Highlights are left out, since their confidence is a constant.
    """
    if generator == "disturbances":
        for name, disturbance in optics.DISTURBANCES.items():
            for surface in disturbances.SURFACES:
                for index in range(count):
                    one = disturbances.pair(disturbance, surface, seed + index)
                    verdicts = partial(disturbances.hits, one=one)
                    yield from _parts(f"{surface}, {name}", one.reference, one.region, one.photo, verdicts)
    elif generator == "surfaces":
        for level in ("aligned", "all"):
            for pair in reference_difference.pairs(level, _OF_SURFACES * count, seed):
                matched = partial(reference_difference.matched, truth=pair.expected)
                yield from _parts(f"{pair.kind}, {level}", pair.reference, None, pair.photo, matched)
    else:
        for index, sheet in enumerate(bilevel.pairs(_OF_BILEVEL * count, seed)):
            of_sheet = partial(_of_sheet, sheet=sheet)
            yield from _parts(f"{sheet.kind}, {index % 4}", sheet.reference, None, sheet.photo, of_sheet)


def _of_sheet(found: Sequence[DetectedDifference], sheet: bilevel.Photographed) -> list[bool | None]:
    return bilevel.hits([each.box for each in found], sheet)


def _parts(
    group: str,
    reference: Image,
    region: Rect | None,
    photo: Image,
    verdicts: Callable[[Sequence[DetectedDifference]], Sequence[bool | None]],
) -> Iterator[Part]:
    whole = Rect(0, 0, reference.shape[1], reference.shape[0])
    try:
        seen = examine(reference, region or whole, photo, Parameters())
    except AlignmentFailed:
        return
    kind = SCANS if seen.scanned else BILEVEL if seen.bilevel else PHOTOS
    every = [(confidence(part, view, seen), part, view) for view in seen.looks for part in view.found]
    every.sort(key=lambda one: -one[0])
    size = (photo.shape[1], photo.shape[0])
    found = [
        DetectedDifference("", sure, photo_box(part, view, seen.scanned, size)) for sure, part, view in every
    ]
    for (sure, part, view), real in zip(every, verdicts(found), strict=True):
        if real is not None and not part.highlight:
            yield Part(kind, group, measures(part, view, seen), sure, real)


def fitted(x: Rows, y: Rows, left: float) -> Rows:
    """The weights (n,) of measures x (parts, n), the first of them 1, for y (parts,): 1 where real.

    The probability is that of `confidence`, `MOST_CONFIDENT` at most. Logistic regression with a ridge, by
    Fisher's scoring. The weight of what a shift leaves stays `left`: nothing stands out of these surfaces, so
    they do not show what it is for.
    """
    weights = np.zeros(x.shape[1])
    weights[_LEFT] = left
    ridge = np.eye(len(weights)) * _RIDGE
    free = np.arange(len(weights)) != _LEFT
    for _ in range(_STEPS):
        odds = _logistic(x @ weights)
        guess = MOST_CONFIDENT * odds
        slope, spread = guess * (1 - odds), guess * (1 - guess) + 1e-9
        pull = (x.T @ (slope * (y - guess) / spread) - ridge @ weights)[free]
        bend = (x * (slope**2 / spread)[:, None]).T @ x + ridge
        step = np.linalg.solve(bend[free][:, free], pull)
        weights[free] += step * min(1.0, 2 / max(float(np.abs(step).max()), 1e-9))
    return weights


def held_out(x: Rows, y: Rows, left: float, groups: Sequence[str]) -> Rows:
    """The confidences (parts,), each by weights that were fitted without the part's group."""
    names = np.array(groups)
    sure = np.zeros(len(y))
    for name in sorted(set(groups)):
        out = names == name
        sure[out] = MOST_CONFIDENT * _logistic(x[out] @ fitted(x[~out], y[~out], left))
    return sure


def _logistic(value: Rows) -> Rows:
    return np.asarray(1 / (1 + np.exp(-np.clip(value, -30, 30))), np.float64)


def fit(every: Sequence[Part]) -> None:
    """Print the weights of each kind of picture, and what is real by confidences that are held out."""
    for kind in KINDS:
        some = [part for part in every if part.kind == kind and part.confidence >= LEAST_FITTED]
        if not some:
            continue
        x = np.array([(1.0, *part.measures) for part in some])
        y = np.array([part.real for part in some], np.float64)
        left = LEFT[kind]
        for name, weight in zip(WEIGHTS, fitted(x, y, left).tolist(), strict=True):
            print_figure(
                f"weight of {name}, {kind}", weight, "", parts=len(y), real=round(float(y.mean()), 3)
            )
        sure = held_out(x, y, left, [part.group for part in some]).tolist()
        pairs = [(given, part.real) for given, part in zip(sure, some, strict=True)]
        reference_difference.calibration(pairs, f"{kind}, held out")


def judge(every: Sequence[Part]) -> None:
    """Print for each kind of picture, and for all, how many findings of each tenth of confidence are real."""
    found = [part for part in every if part.confidence >= LEAST_CONFIDENCE]
    for kind in KINDS:
        of_kind = [(part.confidence, part.real) for part in found if part.kind == kind]
        reference_difference.calibration(of_kind, kind)
    reference_difference.calibration([(part.confidence, part.real) for part in found], "all")


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge or fit."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.confidence",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--pairs", type=int, default=6, help="pairs per disturbance and kind of surface")
    parser.add_argument("--seed", type=int, default=100, help="another one gives surfaces never seen before")
    parser.add_argument("--only", action="append", choices=GENERATORS, help="these pairs; may be repeated")
    parser.add_argument("--fit", action="store_true", help="fit the weights")
    options = parser.parse_args(arguments)
    with closing(WorkThreads()) as threads, threads.shared():
        every = [
            part
            for generator in options.only or GENERATORS
            for part in parts(generator, options.pairs, options.seed)
        ]
    (fit if options.fit else judge)(every)
    return 0


if __name__ == "__main__":
    sys.exit(main())
