"""Lowers the priority of worker threads below that of the GUI thread."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from typing import Final

from PySide6.QtCore import QThread

_NICENESS: Final = 10


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
