"""Keeps freed memory for the next picture instead of returning it to the system at once."""

from __future__ import annotations

import ctypes
import sys
from typing import Final

# Parameters of mallopt(3): the free memory that is kept at the end of the heap, and the size from which a
# block is mapped by itself, which is at most half a heap of a thread (32 MiB).
_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
_KEPT_BYTES: Final = 64 * 2**20
_LARGEST_BLOCK: Final = 32 * 2**20


def keep_freed_memory() -> None:
    """Let this process keep up to 64 MiB of memory that it has freed.

    A comparison allocates hundreds of blocks of some MB. If the system provides each block, it clears the
    pages first, which takes up to a quarter of the time. Does nothing if the C library is not glibc.
    """
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)
        mallopt(_MMAP_THRESHOLD, _LARGEST_BLOCK)
