"""Provides what benchmarks share: timing, the printed line per figure, and the machine's description."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def say(
    figure: str,
    value: float,
    unit: str,
    *,
    goal: float | None = None,
    at_least: bool = False,
    floor: float | None = None,
    **more: Any,
) -> None:
    """Print one line of JSON.

    `goal` is the most that `value` may be, or the least with `at_least`, and `ok` whether it is reached.
    `floor` is something bare, measured in the same run and unit, and `ratio` the value over it.
    """
    line: dict[str, Any] = {"figure": figure, "value": _rounded(value), "unit": unit}
    if goal is not None:
        reached = value >= goal if at_least else value <= goal
        line |= {"goal": goal, "goal_is": "at least" if at_least else "at most", "ok": bool(reached)}
    if floor is not None:
        line["floor"] = _rounded(floor)
        if floor:
            line["ratio"] = _rounded(value / floor)
    _print(line | more)


def skip(figure: str, why: str) -> None:
    """Print the line of a figure that cannot be measured here."""
    _print({"figure": figure, "skipped": why})


def _print(line: dict[str, Any]) -> None:
    print(json.dumps(line, ensure_ascii=False), flush=True)


def _rounded(value: float) -> float:
    """With three decimals below ten, and one above a hundred."""
    return round(float(value), 3 if abs(value) < 10 else 2 if abs(value) < 100 else 1)


def processor_seconds(pid: int) -> float:
    """The processor time of a process, of all its threads. Source: proc(5), fields 14 and 15 of `stat`."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def timed(work: Callable[[], object], times: int, warm_up: int = 0) -> list[float]:
    """The milliseconds of each of `times` calls, after `warm_up` calls that do not count."""
    for _ in range(warm_up):
        work()
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append((time.perf_counter() - start) * 1000)
    return taken


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` (0..1) of the values lie."""
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def resident_mb(field: str, pid: int | None = None) -> float:
    """A figure of /proc/PID/status in MB, such as VmRSS; of this process without `pid`.

    0 where the system does not tell.
    """
    try:
        text = Path(f"/proc/{pid or 'self'}/status").read_text()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith(field)), 0.0)


def cores() -> int:
    """How many processor cores this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed is not None else os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Machine:
    """Where figures were measured; `load` is how many processes wanted a core when that began."""

    processor: str
    cores: int
    memory_gib: float
    system: str
    python: str
    load: float

    @staticmethod
    def of_this_computer() -> Machine:
        """This machine; what it does not tell is "unknown" or 0."""
        try:
            system = platform.freedesktop_os_release()["PRETTY_NAME"]
        except (OSError, KeyError):
            system = platform.platform()
        return Machine(_processor(), cores(), _memory_gib(), system, platform.python_version(), _load())

    @property
    def description(self) -> str:
        """All of it in a line."""
        hardware = f"{self.processor}, {self.cores} cores, {self.memory_gib:g} GiB"
        return f"{hardware}, {self.system}, Python {self.python}, load {self.load:.1f} at the start"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, "") or platform.processor() or platform.machine() or "unknown"


def _memory_gib() -> float:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, OSError, ValueError):
        return 0.0


def _load() -> float:
    try:
        return os.getloadavg()[0]
    except (AttributeError, OSError):
        return 0.0


def commit() -> str:
    """The commit that was measured, short, with a word when files differ from it; "unknown" without git."""
    try:
        name = _git("rev-parse", "--short=10", "HEAD")
        return f"{name} with changes" if _git("status", "--porcelain", "-uno") else name
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*arguments: str) -> str:
    run = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return run.stdout.strip()
