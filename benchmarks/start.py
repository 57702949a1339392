"""Measures the time from the start of the desktop until a user can log in.

    python -m benchmarks.start [--program FILE | --sources] [--times N]

The program (dist/walkaround/walkaround if it exists, else the sources) starts with its own service and
without a display, for a user with data and for a new user, whose database is created. The floor is an empty
window of Qt. Because wall-clock time depends on the load of the machine, the lines also have the processor
time of desktop and service. Prints one JSON line per figure (`benchmarks/figures.py`).
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.figures import ROOT, find_children, make_parser, print_figure, processor_seconds
from shared.system.paths import program_command

GOAL_SECONDS = 1.2
BUNDLED = ROOT / "dist" / "walkaround" / "walkaround"
READY = "login page ready"
_TIMEOUT_SECONDS = 60.0
BARE_WINDOW_SCRIPT = """
from PySide6.QtWidgets import QApplication, QWidget
application = QApplication([])
window = QWidget()
window.show()
application.processEvents()
print("shown", flush=True)
"""


class Start(NamedTuple):
    """Wall-clock time of a start, and the processor time of desktop and service, in seconds."""

    clock: float
    desktop: float
    service: float


def measure_start(command: Sequence[str], home: Path) -> Start:
    """Start the program with this home folder, measure until its login page is ready, and end it."""
    log = home / ".local" / "state" / "Walkaround" / "log" / "desktop.log"
    before = _count_ready_starts(log)
    environment = {"HOME": str(home), "PATH": os.defpath, "QT_QPA_PLATFORM": "offscreen", "LANG": "C.UTF-8"}
    start = time.perf_counter()
    with subprocess.Popen(command, env=environment, cwd=ROOT, stderr=subprocess.DEVNULL) as process:
        try:
            while _count_ready_starts(log) == before:
                if process.poll() is not None or time.perf_counter() - start > _TIMEOUT_SECONDS:
                    raise RuntimeError(f"{command[0]} shows no login page")
                time.sleep(0.005)
            seconds = time.perf_counter() - start
            children = find_children(process.pid)
            return Start(seconds, processor_seconds(process.pid), sum(map(processor_seconds, children)))
        finally:
            process.terminate()
            process.wait(30)


def _count_ready_starts(log: Path) -> int:
    """Count the starts in the log that reached the login page."""
    return log.read_text("utf-8").count(READY) if log.exists() else 0


def measure_bare_window() -> float:
    """Return the seconds until an empty window of Qt is shown."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    start = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", BARE_WINDOW_SCRIPT], stdout=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        return time.perf_counter() - start


def _folder(name: str, number: int) -> Path:
    folder = Path(name, str(number))
    folder.mkdir(exist_ok=True)
    return folder


def _print_start_figure(figure: str, starts: Sequence[Start], floor: float, goal: float | None) -> None:
    print_figure(
        figure,
        statistics.median(start.clock for start in starts),
        "s",
        goal=goal,
        floor=floor,
        fastest=round(min(start.clock for start in starts), 3),
        desktop_processor=statistics.median(start.desktop for start in starts),
        service_processor=statistics.median(start.service for start in starts),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures. Returns 0."""
    options = make_parser(__doc__, program=str, sources=False, times=7).parse_args(arguments)
    program = None if options.sources else options.program or (str(BUNDLED) if BUNDLED.exists() else None)
    command = [program] if program else program_command()
    # The first start of each program is not measured, because it reads all files from the disk.
    measure_bare_window()
    program_kind = "bundle" if program else "sources"
    with tempfile.TemporaryDirectory() as name:
        fresh = [measure_start(command, _folder(name, number)) for number in range(2)][1:]
        home = _folder(name, 0)
        starts, floors = [], []
        for number in range(options.times):
            floors.append(measure_bare_window())
            starts.append(measure_start(command, home))
            fresh.append(measure_start(command, _folder(name, 2 + number)))
    floor = statistics.median(floors)
    goal = GOAL_SECONDS if program else None
    _print_start_figure(f"start of the {program_kind} to login", starts, floor, goal)
    _print_start_figure(f"first start of the {program_kind} to login, fresh user", fresh, floor, None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
