"""Lets worker threads yield to the GUI thread."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
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
