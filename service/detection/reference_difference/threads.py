"""Runs channels or images in parallel: NumPy and OpenCV release the interpreter lock.

The threads belong to a `WorkThreads`, which the caller of a comparison owns and closes. Work inside its
`shared` uses them. Anywhere else, also on these threads themselves, the work is done in order with the same
results.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TypeVar

T = TypeVar("T")

# The least px of a frame that is compared by several threads. The maps of a smaller one mostly stay in the
# cache of one core, and sharing them takes 3 to 5 % more processor time.
_LEAST_SHARED: Final = 1_000_000

# Not an argument, because the work is shared five calls below `detect`, in functions without threads.
_SHARED: ContextVar[Executor | None] = ContextVar("work_threads", default=None)


class WorkThreads:
    """Up to three threads that share the work of comparisons. They start when there is work."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(min(os.cpu_count() or 1, 3), thread_name_prefix="compare")

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Let this thread share its work with these threads inside the block."""
        before = _SHARED.set(self._pool)
        try:
            yield
        finally:
            _SHARED.reset(before)

    def close(self) -> None:
        """End the threads after their present work."""
        self._pool.shutdown()


@contextmanager
def in_order_if_small(pixels: int) -> Iterator[None]:
    """Let this thread do the work on a frame of so many px alone inside the block if the frame is small."""
    before = _SHARED.set(_SHARED.get() if pixels >= _LEAST_SHARED else None)
    try:
        yield
    finally:
        _SHARED.reset(before)


def run_parallel(work: Sequence[Callable[[], T]]) -> list[T]:
    """The results of the pieces of `work`, in order; the first piece runs on this thread."""
    pool = _SHARED.get()
    if pool is None:
        return [piece() for piece in work]
    others = [pool.submit(piece) for piece in work[1:]]
    return [*(piece() for piece in work[:1]), *(other.result() for other in others)]
