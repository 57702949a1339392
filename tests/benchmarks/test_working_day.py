"""Tests when the memory of a working day counts as growing."""

from __future__ import annotations

import pytest

from benchmarks.working_day import measure_growth


def test_growth_is_distinguished_from_fluctuation() -> None:
    steady = [300.0 + place % 3 for place in range(40)]
    assert abs(measure_growth(steady)) <= 1
    growing = [300.0 + 2 * place for place in range(40)]
    assert measure_growth(growing) == pytest.approx(30)
    assert measure_growth([300.0]) == 0
