"""Watches the event loop of the GUI thread."""

from __future__ import annotations

import faulthandler
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.floor import Floor

if TYPE_CHECKING:
    from PySide6.QtCore import QEventLoop

STALL_MS = 50.0
"""Goal for the longest turn of the GUI thread's event loop."""
_TIMEOUT_SECONDS = 300.0
_WATCH_INTERVAL = 0.005
_CHECK_MS = 100
"""Time between two checks whether a loop has to end early, ms."""


def queued_seconds() -> float:
    """Return how many seconds the main thread has waited for a core; 0 where the system does not count it."""
    try:
        return int(Path("/proc/self/schedstat").read_text().split()[1]) / 1e9
    except OSError:
        return 0.0


class Stalls:
    """Measures the turns of the GUI thread's event loop, in seconds.

    `longest` is the longest turn and `longest_work` the most processor time in a turn, which is what the
    program costs on a shared machine. `waited` is how long the thread waited for a core in the longest turn
    (0 where the system does not count it). `held` is the longest turn without such waiting: work, and waiting
    for other threads of the program. With a `floor` the figures of a process with only a timer are measured
    at the same time. With `tell_above` (ms) a thread prints the stacks of all threads to the standard error
    whenever a turn takes longer, because the GUI thread may be waiting for the interpreter's lock.
    """

    def __init__(self, tell_above: float | None = None, floor: Floor | None = None) -> None:
        from PySide6.QtCore import Qt, QTimer

        self.longest = self.longest_work = self.waited = self.held = 0.0
        self._floor_figures: dict[str, float] = {}
        self._floor = floor
        if floor is not None:
            floor.reset()
        self._last, self._worked, self._queued = time.perf_counter(), time.thread_time(), queued_seconds()
        self._timer = QTimer(interval=1, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_turn)
        self._timer.start()
        self._ended = threading.Event()
        if tell_above is not None:
            watcher = threading.Thread(target=self._watch, args=(tell_above / 1000,), daemon=True)
            watcher.start()

    def end(self) -> None:
        """Stop measuring."""
        self._timer.stop()
        self._ended.set()
        if self._floor is not None:
            self._floor_figures = {
                "floor": round(self._floor.longest(), 1),
                "stolen": round(self._floor.stolen()),
            }

    @property
    def figure_details(self) -> dict[str, Any]:
        """The measured times (ms) besides the longest turn, for `figures.print_figure`."""
        measured = {"processor": self.longest_work, "held": self.held, "waited": self.waited}
        return {name: round(seconds * 1000, 1) for name, seconds in measured.items()} | self._floor_figures

    def _on_turn(self) -> None:
        now, worked, queued = time.perf_counter(), time.thread_time(), queued_seconds()
        if now - self._last > self.longest:
            self.longest, self.waited = now - self._last, queued - self._queued
        self.longest_work = max(self.longest_work, worked - self._worked)
        self.held = max(self.held, now - self._last - (queued - self._queued))
        self._last, self._worked, self._queued = now, worked, queued

    def _watch(self, above: float) -> None:
        reported = 0.0
        while not self._ended.wait(_WATCH_INTERVAL):
            began = self._last
            held = time.perf_counter() - began
            if held > above and reported != began:
                reported = began
                print(f"held for {held * 1000:.0f} ms so far", file=sys.stderr, flush=True)
                # Python's `traceback` would hold references to Qt objects, which must not be deleted on this
                # thread.
                faulthandler.dump_traceback(sys.stderr)


def wait_until(done: Callable[[], bool], what: str, seconds: float = _TIMEOUT_SECONDS) -> None:
    """Run the event loop until `done()` is true.

    Raises RuntimeError after `seconds`, naming `what`, and as soon as a callback of Qt raised an exception.
    """
    from PySide6.QtCore import QEventLoop, QTimer

    ends = time.monotonic() + seconds
    while not done():
        if time.monotonic() > ends:
            raise RuntimeError(f"{what} does not come to an end")
        pause = QEventLoop()
        QTimer.singleShot(20, pause.quit)
        run_loop(pause, what)


def run_loop(loop: QEventLoop, what: str, seconds: float = _TIMEOUT_SECONDS) -> None:
    """Run `loop` until it is quit. Raises RuntimeError as `wait_until` does."""
    from PySide6.QtCore import QTimer

    from desktop.crash.handler import record_callback_errors

    ends = time.monotonic() + seconds
    with record_callback_errors() as errors:
        watch = QTimer(interval=_CHECK_MS)
        watch.timeout.connect(lambda: loop.quit() if errors or time.monotonic() > ends else None)
        watch.start()
        loop.exec()
        watch.stop()
    if errors:
        raise RuntimeError(f"{what} failed: {errors[0]!r}") from errors[0]
    if time.monotonic() > ends:
        raise RuntimeError(f"{what} does not come to an end")
