"""Bounds the rate behind a count of events among trials."""

from __future__ import annotations

import math

CONFIDENCE = 0.95


def rate_bound(events: int, trials: int, confidence: float = CONFIDENCE) -> float | None:
    """Return an upper bound on the rate of events after `events` in `trials`; None without trials.

    It is the exact one-sided bound of Clopper and Pearson (1934): at this rate, `events` or fewer occur with
    probability 1 - `confidence`. Without an event it is about 3 / trials.
    """
    if trials == 0:
        return None
    if events >= trials:
        return 1.0
    low, high = events / trials, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _probability_of_at_most(events, trials, middle) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def _probability_of_at_most(events: int, trials: int, rate: float) -> float:
    # P(X <= events) for a binomial X, summed term by term in logarithms.
    if rate >= 1:
        return 0.0
    log_term = trials * math.log1p(-rate)
    odds = math.log(rate) - math.log1p(-rate) if events else 0.0
    total = math.exp(log_term)
    for index in range(1, events + 1):
        log_term += math.log((trials - index + 1) / index) + odds
        total += math.exp(log_term)
    return total
