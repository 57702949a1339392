"""Runs work in bounded thread pools and delivers its outcome on the GUI thread.

    task = run(client.records, query, owner=self, done=self._show, failed=self._explain)

A callback is dropped when its task was cancelled or its owner is gone.

Pages and widgets use this pool and make no threads. Four modules have threads of their own, which live as
long as the object that they serve and wait most of the time, so that they would block a thread of the pool
(`tests/desktop/background/test_workers.py` fails when another module makes one):

- `connection/local_service.py`: the watcher of the service, from its start to its end, and the reader of what
  it prints;
- `journal/journal.py`: the thread that flushes the journal to the disk; it knows no Qt, and must not wait
  behind a download;
- `imaging/loader.py`: the readers of the visible picture, which take the tile with the highest priority at
  the moment, not the one that was requested first;
- `imaging/sources/remote.py`: the connections that fetch the tiles of one picture from a service elsewhere,
  dropped with the picture.

They reach the GUI through `gui_caller` or a queued signal.
"""

from __future__ import annotations

import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from enum import Enum
from functools import partial
from heapq import heappop, heappush
from itertools import count
from typing import Any, TypeVar, TypeVarTuple, overload

import shiboken6
from PySide6.QtCore import QCoreApplication, QObject, Qt, QThread, QTimer, Signal, Slot

from desktop.background.threads import BackgroundThread

Args = TypeVarTuple("Args")
T = TypeVar("T")

SHORT_THREADS = 4
LONG_THREADS = 8
_TURN_SECONDS = 0.008


class Cancelled(Exception):  # noqa: N818 - not an error
    """Raised by `ProgressReport` inside a running function after its task was cancelled."""


class Lane(Enum):
    """The pool for the work: SHORT for requests and decoding, LONG for work that runs until it is stopped."""

    SHORT = "short"
    LONG = "long"


class Task:
    """Work that was passed to `run`; tells its state and can be cancelled."""

    def __init__(self, owner: QObject | None) -> None:
        self._cancelled = threading.Event()
        self._finished = False
        self._owner = None if owner is None else weakref.ref(owner)
        # The function, its arguments and the callbacks are held here and released on the GUI thread: a worker
        # that held the last reference to a page or to a method of it would delete it, and Qt crashes when an
        # object dies on another thread.
        self._work: list[Callable[[], Any]] = []
        self._callbacks: dict[str, Callable[[Any], object] | None] = {}

    @property
    def is_cancelled(self) -> bool:
        """True after `cancel()`."""
        return self._cancelled.is_set()

    @property
    def is_finished(self) -> bool:
        """True when no callback of this task will run any more (as seen on the GUI thread)."""
        return self._finished

    def cancel(self) -> None:
        """Cancel the task: no callback runs any more.

        Work that has not begun is skipped; running work ends at its next `ProgressReport`.
        """
        self._cancelled.set()

    def _may_call_back(self) -> bool:
        if self.is_cancelled:
            return False
        if self._owner is None:
            return True
        owner = self._owner()
        return owner is not None and shiboken6.isValid(owner)


class ProgressReport:
    """Passed to a function that reports progress: call it with a value.

    A call raises `Cancelled` when the task was cancelled.
    """

    def __init__(self, task: Task, send: Callable[[Any], None]) -> None:
        self._task = task
        self._send = send

    def __call__(self, value: Any) -> None:
        self.check()
        self._send(value)

    def check(self) -> None:
        """Raise `Cancelled` when the task was cancelled, without reporting anything."""
        if self._task.is_cancelled:
            raise Cancelled

    def wait(self, seconds: float) -> None:
        """Sleep, but wake and raise `Cancelled` as soon as the task is cancelled."""
        if self._task._cancelled.wait(seconds):
            raise Cancelled


class _GuiCalls(QObject):
    """Runs calls that are posted from any thread on the GUI thread, in order.

    Calls that are waiting together are spread over several turns of the event loop when they take long, so
    that the window paints and responds in between.
    """

    _posted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._calls: deque[Callable[[], None]] = deque()
        self._guard = threading.Lock()
        self._scheduled = False
        self._next = QTimer(self, singleShot=True, interval=0)
        self._next.timeout.connect(self._run)
        self._posted.connect(self._run, Qt.ConnectionType.QueuedConnection)

    def post(self, call: Callable[[], None]) -> None:
        """Run `call` on the GUI thread soon; may be called from any thread."""
        with self._guard:
            self._calls.append(call)
            scheduled, self._scheduled = self._scheduled, True
        if not scheduled:
            self._posted.emit()

    @Slot()
    def _run(self) -> None:
        ends = time.monotonic() + _TURN_SECONDS
        try:
            while (call := self._pop_call()) is not None:
                call()
                if time.monotonic() > ends:
                    return
        finally:
            if self._scheduled:
                self._next.start()

    def _pop_call(self) -> Callable[[], None] | None:
        with self._guard:
            self._scheduled = bool(self._calls)
            return self._calls.popleft() if self._scheduled else None


class _Pool:
    """Python threads that run jobs by priority. A thread starts when no other is idle, and ends with `close`.

    QThreadPool would create and delete a thread state of Python, and the wrapper of a QRunnable, in a thread
    of Qt for each job.
    """

    def __init__(self, max_threads: int) -> None:
        self._max_threads = max_threads
        self._jobs: list[tuple[int, int, Callable[[], None]]] = []
        self._numbers = count()
        self._changed = threading.Condition()
        self._threads = self._idle = 0
        self._is_closed = False

    def start(self, body: Callable[[], None], priority: int) -> None:
        """Run `body` in a thread of the pool, before those with a lower priority."""
        with self._changed:
            heappush(self._jobs, (-priority, next(self._numbers), body))
            needs_thread = len(self._jobs) > self._idle and self._threads < self._max_threads
            self._threads += needs_thread
            self._changed.notify()
        if needs_thread:
            BackgroundThread(self._run_jobs, "worker")

    def close(self) -> None:
        """Drop the jobs that have not begun, and end each thread after its job."""
        with self._changed:
            self._is_closed = True
            self._jobs.clear()
            self._changed.notify_all()

    def wait(self, seconds: float) -> bool:
        """Wait until the threads ended after `close`. Returns False when some still run after `seconds`."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._threads, seconds)

    def _run_jobs(self) -> None:
        while (body := self._wait_for_job()) is not None:
            body()
            # An idle thread must not keep the task of its last job.
            del body
        with self._changed:
            self._threads -= 1
            self._changed.notify_all()

    def _wait_for_job(self) -> Callable[[], None] | None:
        with self._changed:
            self._idle += 1
            while not self._jobs and not self._is_closed:
                self._changed.wait()
            self._idle -= 1
            return None if self._is_closed else heappop(self._jobs)[2]


class _Pools:
    def __init__(self) -> None:
        self.gui_calls = _GuiCalls()
        self.open = True
        self.tasks: set[Task] = set()
        self._pools = {
            Lane.SHORT: _Pool(SHORT_THREADS),
            Lane.LONG: _Pool(LONG_THREADS),
        }

    def start(self, lane: Lane, body: Callable[[], None], priority: int) -> None:
        self._pools[lane].start(body, priority)

    def close(self, wait_ms: int) -> bool:
        self.open = False
        for task in self.tasks:
            task.cancel()
        for pool in self._pools.values():
            pool.close()
        waited = [pool.wait(wait_ms / 1000) for pool in self._pools.values()]
        if all(waited):
            _abandoned.discard(self)
        else:
            # Without this reference, the last worker would delete the gui_calls, which belongs to the GUI
            # thread.
            _abandoned.add(self)
        return all(waited)


_pools: _Pools | None = None
_abandoned: set[_Pools] = set()


def _current_pools() -> _Pools:
    global _pools
    application = QCoreApplication.instance()
    if application is None:
        raise RuntimeError("make the QApplication before running work")
    if QThread.currentThread() != application.thread():
        raise RuntimeError("call run() on the GUI thread only")
    if _pools is None:
        _pools = _Pools()
    return _pools


@overload
def run(
    function: Callable[[*Args], T],
    *args: *Args,
    owner: QObject | None,
    done: Callable[[T], object] | None = None,
    failed: Callable[[Exception], object] | None = None,
    progress: None = None,
    lane: Lane = Lane.SHORT,
    priority: int = 0,
) -> Task: ...


@overload
def run(
    function: Callable[[ProgressReport, *Args], T],
    *args: *Args,
    owner: QObject | None,
    done: Callable[[T], object] | None = None,
    failed: Callable[[Exception], object] | None = None,
    progress: Callable[[Any], object],
    lane: Lane = Lane.SHORT,
    priority: int = 0,
) -> Task: ...


def run(  # type: ignore[misc]  # mypy cannot match *Any with *Args
    function: Callable[..., Any],
    *args: Any,
    owner: QObject | None,
    done: Callable[[Any], object] | None = None,
    failed: Callable[[Exception], object] | None = None,
    progress: Callable[[Any], object] | None = None,
    lane: Lane = Lane.SHORT,
    priority: int = 0,
) -> Task:
    """Run ``function(*args)`` in the pool, then call `done(result)` or `failed(exception)`.

    With `progress`, the function gets a `ProgressReport` as its first argument, and `progress(value)` is
    called with every value that it reports. Callbacks run on the GUI thread, never after `Task.cancel()` and
    never when `owner` was deleted (None: no owner). Deleting the owner does not stop the work: a save is
    still finished. Without `failed`, an exception goes to `sys.excepthook`. Work with a higher `priority`
    starts first.

    Raises RuntimeError when it is not called on the GUI thread.
    """
    pools = _current_pools()
    task = Task(owner)
    task._callbacks = {"done": done, "failed": failed or _report_unexpected, "progress": progress}
    pools.tasks.add(task)
    if progress is None:
        task._work.append(partial(function, *args))
    else:
        report = ProgressReport(task, lambda value: _post(pools, task, "progress", [value]))
        task._work.append(partial(function, report, *args))
    pools.start(lane, partial(_work, pools, task), priority)
    return task


def _work(pools: _Pools, task: Task) -> None:
    """Run the function of `task` in a worker, and post its outcome to the GUI thread."""
    callback_name, outcome = _call_function(task)
    _post(pools, task, callback_name, outcome)


def _call_function(task: Task) -> tuple[str, list[Any]]:
    """Call the function of `task`; return the name of the callback to run and its argument.

    The argument is in a list that the GUI thread empties, because it may hold Qt objects (see `Task._work`).
    """
    try:
        if task.is_cancelled:
            raise Cancelled
        return "done", [task._work[0]()]
    except Cancelled:
        task.cancel()
        return "cancelled", [None]
    except Exception as error:
        return "failed", [error]


def _post(pools: _Pools, task: Task, callback_name: str, outcome: list[Any]) -> None:
    # After close() nothing reads the gui_calls, and its C++ half may already be gone with the application.
    if pools.open:
        pools.gui_calls.post(partial(_deliver, pools, task, callback_name, outcome))


def _deliver(pools: _Pools, task: Task, callback_name: str, outcome: list[Any]) -> None:
    """Call the callback of `task` on the GUI thread, unless it was cancelled or its owner is gone."""
    value = outcome.pop()
    callback = task._callbacks.get(callback_name)
    if callback_name != "progress":
        task._finished = True
        task._work.clear()
        task._callbacks.clear()
        pools.tasks.discard(task)
    if callback is not None and task._may_call_back():
        callback(value)


def _report_unexpected(error: Exception) -> None:
    sys.excepthook(type(error), error, error.__traceback__)


def gui_caller() -> Callable[[Callable[[], None]], None]:
    """Return a function that runs a callable on the GUI thread and may be called from any thread.

    For objects with a thread of their own, such as the watcher of the embedded service. Call `gui_caller`
    itself on the GUI thread; after `shutdown` the calls are dropped.
    """
    pools = _current_pools()

    def call(function: Callable[[], None]) -> None:
        if pools.open:
            pools.gui_calls.post(function)

    return call


def busy() -> int:
    """Return how many tasks are not finished yet."""
    return 0 if _pools is None else len(_pools.tasks)


def shutdown(wait_ms: int = 5_000) -> bool:
    """Cancel all tasks, drop those that have not begun and wait up to `wait_ms` for the others.

    Returns False when some still run. The next `run` makes new pools.
    """
    global _pools
    pools, _pools = _pools, None
    return pools is None or pools.close(wait_ms)
