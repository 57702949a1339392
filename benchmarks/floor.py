"""Measures the stalls of a process with only a timer, which is the floor of all figures of stalls.

    with Floor() as floor:
        floor.reset()
        ...
        floor.longest()

A separate process of the same priority repeatedly sleeps for 1 ms and records its longest pause.
`python -m benchmarks.floor` is that process. It answers each line with the longest pause since the line
before it, in ms.
"""

from __future__ import annotations

import select
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

_TICK_SECONDS = 0.001


class Floor:
    """The process with the timer, and the processor time that other virtual machines took."""

    def __init__(self) -> None:
        # In the same session and with the same priority, so that the system treats it like the GUI.
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
        """Restart the measurement; waits for the process."""
        self._read_longest_ms()
        self._stolen = stolen_seconds()

    def longest(self) -> float:
        """Return the longest pause of the process since `reset`, ms."""
        return self._read_longest_ms()

    def stolen(self) -> float:
        """Return the processor time that other virtual machines took since `reset`, ms."""
        return (stolen_seconds() - self._stolen) * 1000

    def _read_longest_ms(self) -> float:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())


def stolen_seconds() -> float:
    """Return the processor seconds that other virtual machines took since the boot; 0 if unknown.

    Source: `steal` of proc(5), in hundredths of a second.
    """
    try:
        return int(Path("/proc/stat").read_text().split(None, 9)[8]) / 100
    except (OSError, IndexError, ValueError):
        return 0.0


def main() -> None:
    """Run the timer until the input ends."""
    longest, last = 0.0, time.perf_counter()
    while True:
        is_readable = select.select([sys.stdin], [], [], _TICK_SECONDS)[0]
        time_now = time.perf_counter()
        longest, last = max(longest, time_now - last), time_now
        if is_readable:
            if not sys.stdin.readline():
                return
            print(longest * 1000, flush=True)
            longest, last = 0.0, time.perf_counter()


if __name__ == "__main__":
    main()
