"""Watches the event loop of the GUI thread."""

from __future__ import annotations

import faulthandler
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.floor import Floor

STALL_MS = 50.0
"""The longest that the GUI thread may be held."""
_PATIENCE = 300.0
_LOOK_EVERY = 0.005


def in_line() -> float:
    """For how many seconds the main thread was ready and had no core; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/schedstat").read_text().split()[1]) / 1e9
    except OSError:
        return 0.0


class Stalls:
    """The longest time between two turns of the event loop, and the longest the GUI thread itself worked.

    On a shared machine only the second says what the program costs; `waited` is how long in the longest turn
    the thread had no core (0 where the system does not tell). `held` is the longest turn less such waiting:
    work, and waiting for other threads of the program. With a `floor` the figure stands beside what a process
    with nothing but a timer went through meanwhile. With `tell_above` (ms) a thread writes to the standard
    error where all threads are whenever a turn takes longer: what the GUI thread waits for may be the
    interpreter's lock.
    """

    def __init__(self, tell_above: float | None = None, floor: Floor | None = None) -> None:
        from PySide6.QtCore import Qt, QTimer

        self.longest = self.longest_work = self.waited = self.held = 0.0
        self._beneath: dict[str, float] = {}
        self._floor = floor
        if floor is not None:
            floor.reset()
        self._last, self._worked, self._queued = time.perf_counter(), time.thread_time(), in_line()
        self._timer = QTimer(interval=1, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start()
        self._over = threading.Event()
        if tell_above is not None:
            watcher = threading.Thread(target=self._watch, args=(tell_above / 1000,), daemon=True)
            watcher.start()

    def end(self) -> None:
        """Watch no more."""
        self._timer.stop()
        self._over.set()
        if self._floor is not None:
            self._beneath = {
                "floor": round(self._floor.longest(), 1),
                "stolen": round(self._floor.stolen()),
            }

    @property
    def explained(self) -> dict[str, Any]:
        """What `figures.say` is given besides the longest turn, ms."""
        measured = {"processor": self.longest_work, "held": self.held, "waited": self.waited}
        return {name: round(seconds * 1000, 1) for name, seconds in measured.items()} | self._beneath

    def _beat(self) -> None:
        now, worked, queued = time.perf_counter(), time.thread_time(), in_line()
        if now - self._last > self.longest:
            self.longest, self.waited = now - self._last, queued - self._queued
        self.longest_work = max(self.longest_work, worked - self._worked)
        self.held = max(self.held, now - self._last - (queued - self._queued))
        self._last, self._worked, self._queued = now, worked, queued

    def _watch(self, above: float) -> None:
        reported = 0.0
        while not self._over.wait(_LOOK_EVERY):
            began = self._last
            held = time.perf_counter() - began
            if held > above and reported != began:
                reported = began
                print(f"held for {held * 1000:.0f} ms so far", file=sys.stderr, flush=True)
                # Frames in Python's hands would keep Qt objects that must not die on this thread.
                faulthandler.dump_traceback(sys.stderr)


def until(done: Callable[[], bool], what: str, seconds: float = _PATIENCE) -> None:
    """Turn the event loop until it is so; RuntimeError when that takes longer than `seconds`."""
    from PySide6.QtCore import QEventLoop, QTimer

    ends = time.monotonic() + seconds
    while not done():
        if time.monotonic() > ends:
            raise RuntimeError(f"{what} does not come to an end")
        pause = QEventLoop()
        QTimer.singleShot(20, pause.quit)
        pause.exec()
