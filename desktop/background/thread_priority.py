"""Gives the GUI thread a core and the interpreter's lock before worker threads."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from typing import Final

from PySide6.QtCore import QThread

_NICENESS: Final = 10
_SWITCH_SECONDS: Final = 0.001
"""How long a thread keeps the interpreter's lock while another one waits for it.

Python's default is 5 ms. The GUI thread releases the lock in many calls of Qt, and would wait that long after
each of them.
"""


def shorten_switches() -> None:
    """Let Python switch between threads more often. Costs nothing while only one thread runs Python code."""
    sys.setswitchinterval(_SWITCH_SECONDS)


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
