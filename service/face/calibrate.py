"""What a set of comparisons says about a threshold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from service.face.gallery import Gallery
from service.face.rules import threshold
from service.face.worker import About
from shared.wire.face import FaceCalibration, FaceScores

Scores = NDArray[np.float32]

CONFIDENCE = 0.95


def rate_bound(events: int, trials: int, confidence: float = CONFIDENCE) -> float | None:
    """The upper bound on a rate after `events` in `trials`; None without trials.

    Clopper and Pearson (1934), the exact one-sided bound: the rate at which so few events would be seen with
    probability 1 - `confidence`. Without an event it is nearly 3 / trials.
    """
    if trials == 0:
        return None
    if events >= trials:
        return 1.0
    low, high = events / trials, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _at_most(events, trials, middle) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def _at_most(events: int, trials: int, rate: float) -> float:
    # P(X <= events) for a binomial X, term by term in logarithms.
    log_term = trials * np.log1p(-rate) if rate < 1 else -np.inf
    total = np.exp(log_term)
    for index in range(1, events + 1):
        log_term += np.log((trials - index + 1) / index) + np.log(rate) - np.log1p(-rate)
        total += np.exp(log_term)
    return float(total)


def summary(scores: Scores) -> FaceScores:
    """How many scores, and where they lie."""
    if not len(scores):
        return FaceScores(pairs=0)
    return FaceScores(
        pairs=len(scores),
        largest=float(scores.max()),
        percentile_99=float(np.percentile(scores, 99)),
        median=float(np.median(scores)),
        smallest=float(scores.min()),
    )


def calibration(about: About, gallery: Gallery, strangers: Scores | None = None) -> FaceCalibration:
    """The enrolled users against each other, and with `strangers` (further scores of strangers against the
    enrolled) against those.
    """
    between, within = gallery.pairs()
    if strangers is not None:
        between = np.concatenate((between, strangers))
    needed = threshold(about.thresholds, len(gallery))
    false_matches = int((between >= needed).sum())
    return FaceCalibration(
        model=about.model_id,
        metric=about.metric.value,
        templates=len(gallery),
        users=len(gallery.users),
        threshold=needed,
        strangers=summary(between),
        same_user=summary(within),
        false_matches=false_matches,
        false_match_bound=rate_bound(false_matches, len(between)),
    )
