"""Runs the whole desktop with a local service in a temporary folder, and watches its event loop.

    with Floor() as floor, run_desktop() as (desktop, folder):
        stalls = Stalls(floor=floor)
        ...
        stalls.end()

The floor of a stall is a separate process of the same priority that repeatedly sleeps for 1 ms and records
its longest pause: `python -m benchmarks.window`. It answers each line with the longest pause since the line
before it, in ms.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from benchmarks.figures import print_figure

if TYPE_CHECKING:
    from PySide6.QtCore import QEventLoop

    from desktop.app.application import Desktop
    from desktop.pages.workbench import WorkbenchPage

STALL_MS = 50.0
"""Goal for the longest turn of the GUI thread's event loop."""
_TIMEOUT_SECONDS = 300.0
_WATCH_INTERVAL = 0.005
_CHECK_MS = 100
"""Time between two checks whether a loop has to end early, ms."""
WINDOW_SIZE = (1440, 900)
ADMIN_LOGIN = ("chief", "correct-horse-battery")
"""Name and password of the user who is logged in."""
_TICK_SECONDS = 0.001


class Floor:
    """The process with the timer, and the processor time that other virtual machines took."""

    def __init__(self) -> None:
        # In the same session and with the same priority, so that the system treats it like the GUI.
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.window"],
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

    def print_figure(self, doing: str, **details: Any) -> None:
        """Print the longest turn, for example "while opening", with `details`."""
        details |= self.figure_details
        print_figure(f"longest stall {doing}", self.longest * 1000, "ms", goal=STALL_MS, **details)

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


@contextmanager
def measure_stall(doing: str, floor: Floor, settle_s: float, where: float | None) -> Iterator[None]:
    """Print the longest stall `doing` while the block runs, and for `settle_s` seconds after it."""
    stalls = Stalls(where, floor)
    try:
        yield
        process_events(settle_s)
    finally:
        stalls.end()
    stalls.print_figure(doing)


def process_events(seconds: float) -> None:
    """Run the event loop for so many seconds, so that pending work arrives."""
    ends = time.monotonic() + seconds
    wait_until(lambda: time.monotonic() > ends, "the waiting")


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


@contextmanager
def run_desktop(at_login: Callable[[], object] = lambda: None) -> Iterator[tuple[Desktop, Path]]:
    """Run the desktop with a new service and `ADMIN_LOGIN` logged in; yield it and a temporary folder.

    `at_login` is called while the login page is visible.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for variable in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            os.environ[variable] = str(folder / variable)
        from desktop.app.application import Desktop
        from desktop.app.running import make_application
        from desktop.background.memory import release_memory
        from desktop.connection.local_service import ServiceState
        from desktop.preferences import Preferences

        # As run_desktop does, like gc.freeze below.
        release_memory()
        application = make_application()
        preferences = Preferences()
        preferences.change(set_up=True, tours_start=False)
        desktop = Desktop(server_url="", data_folder=folder / "data", preferences=preferences)
        try:
            desktop.set_language("en")
            desktop.start()
            desktop.window.resize(*WINDOW_SIZE)
            gc.freeze()
            wait_until(
                lambda: desktop.context.service_state is ServiceState.READY, "the start of the service"
            )
            at_login()
            desktop.context.enter(desktop.context.session.account.first_run(*ADMIN_LOGIN))
            yield desktop, folder
        finally:
            desktop.close()
            application.processEvents()


def find_workbench(desktop: Desktop) -> WorkbenchPage:
    """Return the workbench of the desktop's current window."""
    from desktop.pages.workbench import WorkbenchPage

    page = desktop.window.find_or_make_page(WorkbenchPage.page_id)
    assert isinstance(page, WorkbenchPage)
    return page


def wait_for_picture(page: WorkbenchPage) -> None:
    """Wait until the reference image and the photo of the chosen item are shown."""
    wait_until(
        lambda: page.canvas.view.source is not None and page.photos.pairing.pair is not None, "the picture"
    )


def detect_all(page: WorkbenchPage) -> None:
    """Run all detections of the open record as the command does, and wait for their results."""
    from shared.record import results

    def detected() -> bool:
        assert page.open_record.document is not None
        newest = [results.newest_detection(item.result) for item in page.open_record.document.items]
        return all(entry is not None and results.is_finished(entry) for entry in newest)

    if not page.context.commands.run("record.detect"):
        raise RuntimeError("nothing can be detected")
    wait_until(detected, "the detection")


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
