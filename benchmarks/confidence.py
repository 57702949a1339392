"""Measures the calibration of reference-difference's confidence on its benchmarks, and fits its weights.

    python -m benchmarks.confidence [--pairs N] [--seed N] [--only NAME] [--fit]

Prints one JSON line per figure (`benchmarks/figures.py`): the share of real findings in each tenth of
confidence, for photos, for scans in black and white, and for photos of a bilevel reference image. The
pairs are those of `benchmarks/disturbances.py`, `benchmarks/reference_difference.py` (surfaces) and
`benchmarks/bilevel.py`.

`--fit` prints weights instead, fitted on the parts of these pairs with a confidence of at least
`MIN_FITTED_CONFIDENCE`, and the same shares for held-out confidences: each is computed with weights that were
fitted without its kind of surface and disturbance.
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
    MAX_CONFIDENCE,
    confidence,
    measures,
)
from service.detection.reference_difference.model import examine, photo_box
from service.detection.reference_difference.threads import WorkThreads
from shared.record.geometry import Rect
from shared.samples import Image

Rows = NDArray[np.float64]
Matcher = Callable[[Sequence[DetectedDifference]], Sequence[bool | None]]
"""Returns for each finding whether it is real; None if it does not count."""

PHOTOS, SCANS, BILEVEL = "photos", "scans in black and white", "photos of a bilevel reference image"
GENERATORS: Final = ("disturbances", "surfaces", "bilevel")
KINDS: Final = (PHOTOS, SCANS, BILEVEL)
WEIGHT_NAMES: Final = ("bias", "strength", "thickness", "peers", "left", "surroundings", "usual", "area")
_SHIFT_INDEX: Final = WEIGHT_NAMES.index("left")
SHIFT_WEIGHTS: Final = {PHOTOS: 2.7, SCANS: 0.49, BILEVEL: 0.0}
"""The weight of "left", what a shift leaves; fitted on drawn scenes with parallax and moving highlights."""
MIN_CONFIDENCE: Final = 0.5
MIN_FITTED_CONFIDENCE: Final = 0.1
"""Parts with less confidence are left out of the fit. They are the majority and would dominate it."""
# Pairs of each kind for each pair of `benchmarks.disturbances`, which has many more kinds.
_SURFACES_FACTOR, _BILEVEL_FACTOR = 3, 8
# Factor of the squared weights, and the number of iterations.
_RIDGE, _STEPS = 0.5, 60


@dataclass(frozen=True)
class Part:
    """A differing part of a pair: its kind of picture, and whether it is real.

    `group`: surface and disturbance. `measures`: the measures of `confidence`.
    """

    kind: str
    group: str
    measures: tuple[float, ...]
    confidence: float
    real: bool


def find_parts(generator: str, count: int, seed: int) -> Iterator[Part]:
    """Yield all parts of `count` pairs of each kind of a generator, also unreported ones.

    Highlights are left out, because their confidence is a constant.
    """
    match: Matcher
    if generator == "disturbances":
        for name, disturbance in optics.DISTURBANCES.items():
            for surface in disturbances.SURFACES:
                for index in range(count):
                    disturbed = disturbances.draw_pair(disturbance, surface, seed + index)
                    match = partial(disturbances.match_findings, pair=disturbed)
                    group, region = f"{surface}, {name}", disturbed.region
                    yield from _find_pair_parts(group, disturbed.reference, region, disturbed.photo, match)
    elif generator == "surfaces":
        for level in ("aligned", "all"):
            for pair in reference_difference.pairs(level, _SURFACES_FACTOR * count, seed):
                match = partial(reference_difference.match_boxes, truth=pair.expected)
                group = f"{pair.kind}, {level}"
                yield from _find_pair_parts(group, pair.reference, None, pair.photo, match)
    else:
        for index, bilevel_pair in enumerate(bilevel.draw_pairs(_BILEVEL_FACTOR * count, seed)):
            match = partial(_match_bilevel, pair=bilevel_pair)
            group = f"{bilevel_pair.kind}, {index % 4}"
            yield from _find_pair_parts(group, bilevel_pair.reference, None, bilevel_pair.photo, match)


def _match_bilevel(found: Sequence[DetectedDifference], pair: bilevel.BilevelPair) -> list[bool | None]:
    return bilevel.match_findings([finding.box for finding in found], pair)


def _find_pair_parts(
    group: str, reference: Image, region: Rect | None, photo: Image, match: Matcher
) -> Iterator[Part]:
    whole = Rect(0, 0, reference.shape[1], reference.shape[0])
    try:
        seen = examine(reference, region or whole, photo, Parameters())
    except AlignmentFailed:
        return
    kind = SCANS if seen.scanned else BILEVEL if seen.bilevel else PHOTOS
    rated = [(confidence(part, view, seen), part, view) for view in seen.looks for part in view.found]
    rated.sort(key=lambda entry: -entry[0])
    size = (photo.shape[1], photo.shape[0])
    found = [
        DetectedDifference("", value, photo_box(part, view, seen.scanned, size))
        for value, part, view in rated
    ]
    for (value, part, view), real in zip(rated, match(found), strict=True):
        if real is not None and not part.highlight:
            yield Part(kind, group, measures(part, view, seen), value, real)


def fit_weights(x: Rows, y: Rows, left: float) -> Rows:
    """Fit weights (n,) for measures x (parts, n), whose first column is 1, and y (parts,), 1 for real parts.

    The probability is that of `confidence`, at most `MAX_CONFIDENCE`. Logistic regression with a ridge, by
    Fisher scoring. The weight of "left" stays `left`: nothing stands out of these surfaces, so they contain
    no data for it.
    """
    weights = np.zeros(x.shape[1])
    weights[_SHIFT_INDEX] = left
    ridge = np.eye(len(weights)) * _RIDGE
    free = np.arange(len(weights)) != _SHIFT_INDEX
    for _ in range(_STEPS):
        odds = _logistic(x @ weights)
        probability = MAX_CONFIDENCE * odds
        slope, spread = probability * (1 - odds), probability * (1 - probability) + 1e-9
        gradient = (x.T @ (slope * (y - probability) / spread) - ridge @ weights)[free]
        information = (x * (slope**2 / spread)[:, None]).T @ x + ridge
        step = np.linalg.solve(information[free][:, free], gradient)
        weights[free] += step * min(1.0, 2 / max(float(np.abs(step).max()), 1e-9))
    return weights


def held_out_confidences(x: Rows, y: Rows, left: float, groups: Sequence[str]) -> Rows:
    """Return confidences (parts,), each with weights that were fitted without the part's group."""
    names = np.array(groups)
    confidences = np.zeros(len(y))
    for name in sorted(set(groups)):
        is_held_out = names == name
        weights = fit_weights(x[~is_held_out], y[~is_held_out], left)
        confidences[is_held_out] = MAX_CONFIDENCE * _logistic(x[is_held_out] @ weights)
    return confidences


def _logistic(value: Rows) -> Rows:
    return np.asarray(1 / (1 + np.exp(-np.clip(value, -30, 30))), np.float64)


def print_weights(parts: Sequence[Part]) -> None:
    """Print the weights and the held-out calibration for each kind of picture."""
    for kind in KINDS:
        fitted = [part for part in parts if part.kind == kind and part.confidence >= MIN_FITTED_CONFIDENCE]
        if not fitted:
            continue
        x = np.array([(1.0, *part.measures) for part in fitted])
        y = np.array([part.real for part in fitted], np.float64)
        left = SHIFT_WEIGHTS[kind]
        for name, weight in zip(WEIGHT_NAMES, fit_weights(x, y, left).tolist(), strict=True):
            print_figure(
                f"weight of {name}, {kind}", weight, "", parts=len(y), real=round(float(y.mean()), 3)
            )
        confidences = held_out_confidences(x, y, left, [part.group for part in fitted]).tolist()
        pairs = [(given, part.real) for given, part in zip(confidences, fitted, strict=True)]
        reference_difference.calibration(pairs, f"{kind}, held out")


def print_calibration(parts: Sequence[Part]) -> None:
    """Print the share of real findings in each tenth of confidence, for each kind of picture and for all."""
    found = [part for part in parts if part.confidence >= MIN_CONFIDENCE]
    for kind in KINDS:
        of_kind = [(part.confidence, part.real) for part in found if part.kind == kind]
        reference_difference.calibration(of_kind, kind)
    reference_difference.calibration([(part.confidence, part.real) for part in found], "all")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark or the fit."""
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
        all_parts = [
            part
            for generator in options.only or GENERATORS
            for part in find_parts(generator, options.pairs, options.seed)
        ]
    (print_weights if options.fit else print_calibration)(all_parts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
