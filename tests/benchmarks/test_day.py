"""The working day of the benchmark is played whole, in small."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from benchmarks.day import growth
from benchmarks.memory import Memory
from shared.paths import root


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process shares")
def test_a_day_of_two_records_is_played_and_measured() -> None:
    words = [sys.executable, "-m", "benchmarks.day", "--records", "2", "--items", "2", "--width", "800"]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    played = subprocess.run(words, cwd=root(), env=environment, capture_output=True, text=True, check=False)
    assert played.returncode == 0, played.stderr
    lines = {line["figure"]: line for line in map(json.loads, played.stdout.splitlines())}
    assert list(lines) == [
        "memory at the login page",
        "memory with the first record open",
        "memory after record 1",
        "longest stall in record 1",
        "memory after record 2",
        "longest stall in record 2",
        "memory at the end",
        "growth over the second half",
        "longest stall of the day",
    ]
    login, opened = lines["memory at the login page"], lines["memory with the first record open"]
    assert 50 < login["value"] < opened["value"]
    assert login["unique"] < login["value"]


def test_growth_is_told_from_going_up_and_down() -> None:
    steady = [Memory(300 + place % 3, 200) for place in range(40)]
    assert abs(growth(steady)) <= 1
    growing = [Memory(300 + 2 * place, 200) for place in range(40)]
    assert growth(growing) == pytest.approx(30)
    assert growth([Memory(300, 200)]) == 0
