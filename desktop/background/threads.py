"""Threads that start without a wait, and that yield to the GUI thread."""

from __future__ import annotations

import _thread
import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QThread

_NICENESS: Final = 10
_YIELD_SECONDS: Final = 0.0005


def yield_to_gui() -> None:
    """Lower the priority of the calling thread, on Linux also of the threads that it starts.

    The priorities of QThread have no effect under the usual scheduler of Linux.
    """
    if sys.platform == "linux":
        # A container may forbid it, and the whole program may run at a lower priority already.
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
    else:
        QThread.currentThread().setPriority(QThread.Priority.LowPriority)


def yield_interpreter() -> None:
    """Let a waiting thread run Python. Workers call it between calls of Qt that take milliseconds.

    Otherwise the GUI thread waits 5 ms (`sys.getswitchinterval`) before it asks for the interpreter, and then
    until the call ends, each time that Qt calls Python.
    """
    time.sleep(_YIELD_SECONDS)


_running: set[BackgroundThread] = set()


class BackgroundThread:
    """A thread that calls a function and yields to the GUI thread.

    `threading.Thread.start` waits until the system runs the new thread: up to 25 ms where both cores are
    busy. The thread does not keep the program from ending. An exception goes to `threading.excepthook`.
    """

    def __init__(self, work: Callable[[], None], name: str) -> None:
        """Start the thread. `name` tells what it does; several threads may have the same one."""
        self.name = name
        self._work = [work]
        self._ended = threading.Event()
        _running.add(self)
        _thread.start_new_thread(self._run, ())

    def is_alive(self) -> bool:
        """Whether the function has not returned."""
        return not self._ended.is_set()

    def join(self) -> None:
        """Wait until the function has returned."""
        self._ended.wait()

    def _run(self) -> None:
        try:
            yield_to_gui()
            self._work.pop()()
        except Exception as error:
            details = type(error), error, error.__traceback__, None
            threading.excepthook(threading.ExceptHookArgs(details))
        finally:
            _running.discard(self)
            self._ended.set()


def running_threads() -> list[BackgroundThread]:
    """The threads that have not ended."""
    return list(_running)
