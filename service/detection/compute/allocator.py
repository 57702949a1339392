"""Keeps freed memory for the next picture instead of returning it to the system at once."""

from __future__ import annotations

import ctypes
import sys
from typing import Final

# Of mallopt(3): the free memory at the end of the heap that is kept, and the size from which a block is
# mapped on its own, at most half a heap of a thread (32 MiB).
_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
_KEPT: Final = 64 * 2**20
_LARGEST: Final = 32 * 2**20


def keep() -> None:
    """Let this process keep up to 64 MiB that it has given back.

    A comparison asks for hundreds of blocks of some MB; when each comes fresh from the system, clearing its
    pages takes up to a quarter of the time. Does nothing where the C library is not glibc.
    """
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_TRIM_THRESHOLD, _KEPT)
        mallopt(_MMAP_THRESHOLD, _LARGEST)
