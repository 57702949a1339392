from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.rates import rate_bound


@pytest.mark.parametrize(
    ("events", "trials", "bound"),
    # Clopper and Pearson's one-sided 95 % bound, from tables of the beta distribution.
    [(0, 10, 0.2589), (0, 1000, 0.002991), (1, 10, 0.3942), (5, 100, 0.1023), (10, 10, 1.0)],
)
def test_bound_equals_the_exact_clopper_pearson_bound(events: int, trials: int, bound: float) -> None:
    assert rate_bound(events, trials) == pytest.approx(bound, rel=1e-3)


def test_bound_without_comparisons_is_none() -> None:
    assert rate_bound(0, 0) is None


@given(st.integers(0, 20), st.integers(21, 5_000_000))
def test_bound_is_above_the_observed_rate_and_falls_with_trials(events: int, trials: int) -> None:
    bound, later = rate_bound(events, trials), rate_bound(events, trials * 2)
    assert bound is not None
    assert later is not None
    assert events / trials < bound <= 1
    assert later < bound


def test_bound_is_at_most_one_for_nearly_certain_events() -> None:
    bound = rate_bound(99_999, 100_000)
    assert bound is not None
    assert 0.99999 < bound <= 1
