"""Collects garbage on the GUI thread only.

Python collects cycles on the thread that happens to allocate. A cycle that holds a Qt object, such as a page
with a bound method in a lambda, could then be deleted on a worker thread, and Qt crashes when an object is
deleted on a thread that does not own it.

Returns the memory of closed pictures to the system, which glibc would keep for later.
"""

from __future__ import annotations

import ctypes
import gc
import linecache
import sys
import time
from typing import Any, Final

from PySide6.QtCore import QObject, QTimer

from desktop.background.workers import run

INTERVAL_MS = 500
MANY = 10_000
"""New objects that are not visited but excluded from collections, because visiting them takes 8 ms.

They are the content of a large record: importing ten thousand regions makes 400,000 within an interval, which
took 61 ms.
"""
LONG_SECONDS = 0.006
"""Processor time of a full collection above which its survivors are excluded from the next ones."""


class GarbageCollection(QObject):
    """Collects garbage on the GUI thread by a timer, in place of Python's own collection, until `end`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thresholds = gc.get_threshold()
        gc.disable()
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def pause(self) -> None:
        """Collect nothing until `freeze_existing`: a thread imports what would only be visited in vain."""
        self._timer.stop()

    def freeze_existing(self) -> None:
        """Exclude the objects that exist now from later collections, until `end`.

        These are a hundred thousand objects of the modules and of the first window. They live as long as the
        program, and each full collection would visit them for 50 ms.
        """
        gc.freeze()
        self._timer.start()

    def collect(self) -> None:
        """Collect the generations that are due by Python's own thresholds.

        The survivors of a long full collection are excluded from later ones, as by `freeze_existing`: the
        pages would take 11 ms each time. So are `MANY` objects that are new. Reference counts still free
        these objects; only cycles among them stay until `end`.
        """
        counts = gc.get_count()
        if counts[0] > MANY:
            gc.freeze()
            return
        due = [
            number
            for number, (n, limit) in enumerate(zip(counts, self._thresholds, strict=True))
            if n > limit
        ]
        if due:
            began = time.thread_time()
            gc.collect(max(due))
            if max(due) == len(counts) - 1 and time.thread_time() - began > LONG_SECONDS:
                gc.freeze()

    def end(self) -> None:
        """Turn Python's own collection on again. Safe to call twice."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()


# Parameters of mallopt(3), and below their values: how many free bytes glibc keeps at the end of a heap, from
# how many bytes on it maps a block separately (and so returns it when it is freed), and how many heaps the
# threads share.
_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
_ARENA_MAX: Final = -8
_MAX_FREE_BYTES: Final = 2**20
_MMAP_FROM_BYTES: Final = 256 * 2**10
_MAX_HEAPS: Final = 2
_QUIET_MS: Final = 1_000


def release_memory() -> None:
    """Configure glibc to return freed memory to the system. Call it before any thread is made.

    By default, once a block of up to 32 MiB was freed, glibc takes further ones of that size from the heap
    of a thread, and keeps the gaps between blocks in use: half a gigabyte after 24 photos of 12 MP. Does
    nothing where the C library is not glibc.
    """
    mallopt = _find_glibc_function("mallopt")
    if mallopt is not None:
        mallopt(_ARENA_MAX, _MAX_HEAPS)
        mallopt(_MMAP_THRESHOLD, _MMAP_FROM_BYTES)
        mallopt(_TRIM_THRESHOLD, _MAX_FREE_BYTES)


class MemoryTrimming(QObject):
    """Returns the free memory within the heaps to the system: 10 to 20 MB after a picture is closed."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, singleShot=True, interval=_QUIET_MS)
        self._timer.timeout.connect(self._start_trimming)

    def schedule(self) -> None:
        """Trim one second after the last call. Call it whenever pictures were opened or closed."""
        self._timer.start()

    def _start_trimming(self) -> None:
        run(trim, owner=self, priority=-1)


def trim() -> None:
    """Return the free memory within the heaps to the system, where the C library is glibc.

    Takes milliseconds: not for the GUI thread.
    """
    # PySide reads the source of every imported module by `inspect`, which keeps all lines: 23 MB.
    linecache.clearcache()
    malloc_trim = _find_glibc_function("malloc_trim")
    if malloc_trim is not None:
        malloc_trim(0)


def _find_glibc_function(name: str) -> Any:
    """Return the function `name` of the C library, or None where that is not glibc."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
