"""Returns memory to the system as soon as it is no longer needed: pictures come and go all day."""

from __future__ import annotations

import ctypes
import sys
from typing import Any, Final

from PySide6.QtCore import QObject, QTimer

from desktop.background.workers import run

# Of mallopt(3): the free memory at the end of a heap that is kept, the size from which a block is mapped on
# its own and so given back when it is freed, and how many heaps the threads share.
_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
_ARENA_MAX: Final = -8
_KEPT: Final = 2**20
_LARGE: Final = 256 * 2**10
_HEAPS: Final = 2
_QUIET_MS: Final = 1_000


def release_memory() -> None:
    """Have this process give freed memory back. To be called before any thread is made.

    Left to itself glibc takes blocks of up to 32 MiB from the heap of a thread once one of that size was
    freed, and keeps what is free between two that stay: half a gigabyte after 24 photos of 12 MP. Does
    nothing where the C library is not glibc.
    """
    mallopt = _of_glibc("mallopt")
    if mallopt is not None:
        mallopt(_ARENA_MAX, _HEAPS)
        mallopt(_MMAP_THRESHOLD, _LARGE)
        mallopt(_TRIM_THRESHOLD, _KEPT)


class MemoryTrimming(QObject):
    """Returns the free memory within the heaps, some time after `soon`: 10 to 20 MB after a picture."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._later = QTimer(self, singleShot=True, interval=_QUIET_MS)
        self._later.timeout.connect(self._begin)

    def soon(self) -> None:
        """Pictures came or went: do it once that is over."""
        self._later.start()

    def _begin(self) -> None:
        run(trim, owner=self, priority=-1)


def trim() -> None:
    """Return the free memory within the heaps to the system. Takes milliseconds: not for the GUI thread.

    Does nothing where the C library is not glibc.
    """
    malloc_trim = _of_glibc("malloc_trim")
    if malloc_trim is not None:
        malloc_trim(0)


def _of_glibc(name: str) -> Any:
    """A function of the C library; None where that is not glibc."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
