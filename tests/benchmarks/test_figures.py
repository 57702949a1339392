from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from benchmarks import __main__ as bench
from benchmarks.figures import (
    describe_commit,
    describe_machine,
    percentile,
    print_figure,
    print_skipped,
    time_calls,
)


def read_printed(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    line: dict[str, object] = json.loads(capsys.readouterr().out)
    return line


@pytest.mark.parametrize(
    ("value", "at_least", "ok"), [(9, False, True), (11, False, False), (9, True, False), (11, True, True)]
)
def test_a_figure_reaches_its_goal_or_not(
    capsys: pytest.CaptureFixture[str], value: float, at_least: bool, ok: bool
) -> None:
    print_figure("a figure", value, "ms", goal=10, at_least=at_least)
    assert read_printed(capsys)["ok"] is ok


def test_figure_is_printed_with_its_floor(capsys: pytest.CaptureFixture[str]) -> None:
    print_figure("a figure", 30, "ms", floor=12, p99=40)
    line = {"figure": "a figure", "value": 30, "unit": "ms", "floor": 12, "ratio": 2.5, "p99": 40}
    assert read_printed(capsys) == line


def test_figure_that_cannot_be_measured_gives_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    print_skipped("a figure", "no model")
    assert read_printed(capsys) == {"figure": "a figure", "skipped": "no model"}


def test_calls_that_warm_up_do_not_count() -> None:
    calls: list[int] = []
    assert len(time_calls(lambda: calls.append(1), 3, warm_up=2)) == 3
    assert len(calls) == 5


def test_percentile() -> None:
    assert percentile(range(1, 101), 0.5) == 51
    assert percentile([7], 0.99) == 7


def test_machine_is_described() -> None:
    assert f"Python {sys.version.split()[0]}, load " in describe_machine()


def test_table_has_a_row_for_each_figure() -> None:
    lines: list[dict[str, Any]] = [
        {"figure": "a | b", "value": 30, "unit": "ms", "goal": 20, "goal_is": "at most", "ok": False},
        {"figure": "c", "value": 1.5, "unit": "", "floor": 3, "ratio": 0.5, "p99": 4},
        {"figure": "d", "skipped": "no model"},
    ]
    date = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    text = bench.format_table([("canvas", lines, 12.3)], "A Processor, 2 cores", date)
    assert "A Processor, 2 cores" in text
    assert f"Commit: {describe_commit()}" in text
    assert "2026-01-02 03:04 UTC" in text
    assert "canvas 12 s" in text
    assert "- Goals missed: 1 of 1\n" in text
    assert text.splitlines()[-3:] == [
        "| canvas | a \\| b | 30 ms | at most 20 (missed) |  |  |  |",
        "| canvas | c | 1.5 |  | 3 | 0.5 | p99 4 |",
        "| canvas | d | not measured: no model |  |  |  |  |",
    ]


def test_commit_is_unknown_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.figures.ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert describe_commit() == "unknown"


def replace_benchmarks(monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    """Replace every benchmark by a process that runs `source`."""
    real = subprocess.Popen

    def run_source(command: list[str], **options: Any) -> object:
        return real([command[0], "-c", source], **options)

    monkeypatch.setattr(subprocess, "Popen", run_source)


def test_a_table_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_benchmarks(monkeypatch, """print('{"figure": "f", "value": 1, "unit": "s"}')""")
    out = tmp_path / "table.md"
    assert bench.main(["--only", "canvas", "--out", str(out)]) == 0
    assert "| canvas | f | 1 s |" in out.read_text("utf-8")


def test_a_benchmark_that_fails_leaves_no_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    replace_benchmarks(monkeypatch, "raise SystemExit(3)")
    out = tmp_path / "table.md"
    assert bench.main(["--only", "canvas", "--out", str(out)]) == 1
    assert not out.exists()
    assert "benchmarks.canvas ended with 3" in capsys.readouterr().err
