"""Threads that start without a wait."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable

from desktop.background.thread_priority import yield_to_gui

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
