"""Tests when the memory of a working day counts as growing."""

from __future__ import annotations

import pytest

from benchmarks.memory import Memory
from benchmarks.working_day import measure_growth


def test_growth_is_distinguished_from_fluctuation() -> None:
    steady = [Memory(300 + place % 3, 200) for place in range(40)]
    assert abs(measure_growth(steady)) <= 1
    growing = [Memory(300 + 2 * place, 200) for place in range(40)]
    assert measure_growth(growing) == pytest.approx(30)
    assert measure_growth([Memory(300, 200)]) == 0
