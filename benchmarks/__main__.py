"""Runs every benchmark and writes a table of their figures.

    python -m benchmarks [--only NAME ...] [--out FILE]

Each benchmark runs in its own process, one after another, on a machine that should do nothing else. Their
lines are printed at once. If all of them succeed, the table is written to docs/benchmarks.md or to the file
of `--out`. `--only` runs some benchmarks and needs `--out`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.figures import ROOT, describe_commit, describe_machine

NAMES = (
    *("start", "canvas", "workbench", "working_day", "service", "detection"),
    *("reference_difference", "disturbances", "face"),
)
# In full, each of these takes from 5 to 30 minutes.
_REDUCED_OPTIONS = {
    "working_day": ("--records", "6"),
    "disturbances": ("--pairs", "3"),
}
TABLE = ROOT / "docs" / "benchmarks.md"
PREFACE = (
    "Written by `make bench`: every figure of every benchmark, of one run. A floor is the figure of a",
    "minimal program in the same run, and the ratio is the figure divided by it. On a shared machine the",
    "ratios are more reliable than the figures. The first lines of each module in `benchmarks/` describe",
    "what it measures.",
)
# The keys of a line that have their own columns.
_COLUMNS = ("figure", "value", "unit", "goal", "goal_is", "ok", "floor", "ratio", "skipped")

Line = dict[str, Any]


class FailedError(Exception):
    """Raised when a benchmark failed."""


def run_benchmark(name: str) -> list[Line]:
    """Run the benchmark `name`, print its lines and return them. Raises FailedError."""
    command = [sys.executable, "-m", f"benchmarks.{name}", *_REDUCED_OPTIONS.get(name, ())]
    lines = []
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(json.loads(line))
    if process.returncode:
        raise FailedError(f"benchmarks.{name} ended with {process.returncode}")
    return lines


def format_table(results: Sequence[tuple[str, Sequence[Line], float]], machine: str, date: datetime) -> str:
    """Return the document: machine, commit, date, and a row for each figure.

    `results` contains the name of each benchmark, its lines and its duration in seconds.
    """
    rows, took, reduced = [], [], []
    reached = [line["ok"] for _, lines, _ in results for line in lines if "ok" in line]
    for name, lines, seconds in results:
        took.append(f"{name} {seconds:.0f} s")
        if name in _REDUCED_OPTIONS:
            reduced.append(f"`{name} {' '.join(_REDUCED_OPTIONS[name])}`")
        rows += [_format_row(name, line) for line in lines]
    return "\n".join(
        [
            "# Benchmarks",
            "",
            *PREFACE,
            "",
            f"- Machine: {machine}",
            f"- Commit: {describe_commit()}",
            f"- Goals missed: {reached.count(False)} of {len(reached)}",
            f"- Date: {date:%Y-%m-%d %H:%M} UTC",
            f"- Time taken: {', '.join(took)}",
            f"- Run with fewer or smaller cases than by default: {', '.join(reduced) or 'none'}",
            "",
            "| benchmark | figure | value | goal | floor | ratio | also |",
            "|---|---|---|---|---|---|---|",
            *rows,
            "",
        ]
    )


def _format_row(name: str, line: Line) -> str:
    value, goal = f"not measured: {line.get('skipped')}", ""
    if "value" in line:
        value = f"{line['value']:g} {line['unit']}".strip()
    if "goal" in line:
        goal = f"{line['goal_is']} {line['goal']:g}{'' if line['ok'] else ' (missed)'}"
    floor, ratio = (f"{line[key]:g}" if key in line else "" for key in ("floor", "ratio"))
    details = ", ".join(f"{key} {value}" for key, value in line.items() if key not in _COLUMNS)
    cells = (name, line["figure"], value, goal, floor, ratio, details)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks and write the table. Returns 1 if a benchmark failed, else 0."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=NAMES, metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--out", type=Path, help="the file for the table")
    options = parser.parse_args(arguments)
    if options.only and options.out is None:
        parser.error("--only needs --out: the table of the project holds all figures of one run")
    machine, date, results = describe_machine(), datetime.now(UTC), []
    try:
        for name in options.only or NAMES:
            start = time.monotonic()
            results.append((name, run_benchmark(name), time.monotonic() - start))
    except FailedError as problem:
        print(f"{problem}; no table was written", file=sys.stderr)
        return 1
    out = options.out or TABLE
    out.write_text(format_table(results, machine, date), "utf-8")
    print(f"written: {out}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
