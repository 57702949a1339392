"""Measures the stalls of a process with nothing but a timer: the floor of every figure of stalls.

    with Floor() as floor:
        floor.reset()
        ...
        floor.longest()

A process of its own, of the same priority, sleeps for 1 ms again and again and remembers the longest that it
was away. Run as `python -m benchmarks.floor` it is that process, and answers each line with the ms since the
line before.
"""

from __future__ import annotations

import select
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

_TICK = 0.001


class Floor:
    """The process with the timer, and how long other virtual machines had the processors meanwhile."""

    def __init__(self) -> None:
        # In the same session and without another priority, so that the system treats it as it does the GUI.
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.floor"],
            cwd=Path(__file__).parent.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._stolen = 0.0
        self.reset()

    def __enter__(self) -> Floor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def reset(self) -> None:
        """Begin again; waits for the process."""
        self._ask()
        self._stolen = stolen_seconds()

    def longest(self) -> float:
        """The longest that it was away since `reset`, ms."""
        return self._ask()

    def stolen(self) -> float:
        """How many ms of processors went to other virtual machines since `reset`."""
        return (stolen_seconds() - self._stolen) * 1000

    def _ask(self) -> float:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())


def stolen_seconds() -> float:
    """Seconds of processors that went to other virtual machines since the start; 0 where nobody tells.

    Source: `steal` of proc(5), in hundredths of a second.
    """
    try:
        return int(Path("/proc/stat").read_text().split(None, 9)[8]) / 100
    except (OSError, IndexError, ValueError):
        return 0.0


def main() -> None:
    """Be the process with the timer until the input ends."""
    longest, last = 0.0, time.perf_counter()
    while True:
        ended = select.select([sys.stdin], [], [], _TICK)[0]
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
        if ended:
            if not sys.stdin.readline():
                return
            print(longest * 1000, flush=True)
            longest, last = 0.0, time.perf_counter()


if __name__ == "__main__":
    main()
