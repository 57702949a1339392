"""Provides the functions that benchmarks share: timing, printed figures, the machine's description."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from shared.rates import rate_bound

ROOT = Path(__file__).resolve().parent.parent


def make_parser(doc: str | None, **options: bool | float | type) -> argparse.ArgumentParser:
    """Return a parser of a benchmark's options that `doc` explains.

    An option that is a number has this default, one that is a type has none, and one that is False is a flag.
    """
    prog = f"python -m benchmarks.{Path(sys.argv[0]).stem}"
    formatter = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(prog=prog, description=doc, formatter_class=formatter)
    for name, value in options.items():
        if value is False:
            parser.add_argument(f"--{name}", action="store_true")
        else:
            kind, default = (value, None) if isinstance(value, type) else (type(value), value)
            parser.add_argument(f"--{name}", type=kind, default=default)
    return parser


def print_figure(
    figure: str,
    value: float,
    unit: str,
    *,
    goal: float | None = None,
    at_least: bool = False,
    floor: float | None = None,
    **details: Any,
) -> None:
    """Print one line of JSON.

    `goal` is the maximum for `value`, or with `at_least` the minimum, and `ok` is whether it is reached.
    `floor` is the figure of a minimal program, measured in the same run and unit, and `ratio` is `value` /
    `floor`. `details` is added to the line.
    """
    line: dict[str, Any] = {"figure": figure, "value": _round_figure(value), "unit": unit}
    if goal is not None:
        is_reached = value >= goal if at_least else value <= goal
        line |= {"goal": goal, "goal_is": "at least" if at_least else "at most", "ok": bool(is_reached)}
    if floor is not None:
        line["floor"] = _round_figure(floor)
        if floor:
            line["ratio"] = _round_figure(value / floor)
    _print_line(line | details)


def print_rate(figure: str, count: int, total: int, goal: float, /, **details: Any) -> None:
    """Print `count` of `total` in percent, with the upper bound of the rate (`shared.rates.rate_bound`)."""
    bound = rate_bound(count, total)
    details["bound"] = None if bound is None else round(100 * bound, 2)
    print_figure(figure, 100 * count / max(total, 1), "%", goal=goal, **details)


def print_skipped(figure: str, reason: str) -> None:
    """Print the line of a figure that cannot be measured on this machine."""
    _print_line({"figure": figure, "skipped": reason})


def _print_line(line: dict[str, Any]) -> None:
    print(json.dumps(line, ensure_ascii=False), flush=True)


def _round_figure(value: float) -> float:
    """Round to three decimals below 10, two below 100 and one from there on."""
    return round(float(value), 3 if abs(value) < 10 else 2 if abs(value) < 100 else 1)


def processor_seconds(pid: int) -> float:
    """Return the processor time of a process with all its threads (fields 14 and 15 of `stat`, proc(5))."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def find_children(pid: int) -> list[int]:
    """Return the ids of the processes that a process has started (Linux)."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for children in lists for child in children.read_text().split()]


def time_calls(work: Callable[[], object], times: int, warm_up: int = 0) -> list[float]:
    """Return the milliseconds of each of `times` calls, after `warm_up` calls that do not count."""
    for _ in range(warm_up):
        work()
    durations = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        durations.append((time.perf_counter() - start) * 1000)
    return durations


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which `share` (0..1) of the values are."""
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def resident_mb(field: str, pid: int | None = None) -> float:
    """Return a field of /proc/PID/status in MB, such as VmRSS, of this process without `pid`.

    Returns 0 if the system has no such file.
    """
    try:
        text = Path(f"/proc/{pid or 'self'}/status").read_text()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith(field)), 0.0)


def count_cores() -> int:
    """Return how many processor cores this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed is not None else os.cpu_count() or 1


def describe_machine() -> str:
    """Return the processor, cores, memory, system and load average, what is known of them."""
    processor, system = platform.processor(), platform.platform()
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next(line for line in lines if line.startswith("model name")).partition(":")[2].strip()
        system = platform.freedesktop_os_release()["PRETTY_NAME"]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    hardware = f"{processor or 'unknown'}, {count_cores()} cores, {memory:.1f} GiB"
    load = os.getloadavg()[0]
    return f"{hardware}, {system}, Python {platform.python_version()}, load {load:.1f} at the start"


def describe_commit() -> str:
    """Return the short commit, with a note if files differ from it; "unknown" without git."""
    try:
        name = _git("rev-parse", "--short=10", "HEAD")
        return f"{name} with changes" if _git("status", "--porcelain", "-uno") else name
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*arguments: str) -> str:
    run = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return run.stdout.strip()
