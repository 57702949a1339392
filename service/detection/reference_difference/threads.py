"""Runs channels or images in parallel: NumPy and OpenCV release the interpreter lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

_POOL = ThreadPoolExecutor(min(os.cpu_count() or 1, 3))


def side_by_side(work: Sequence[Callable[[], T]]) -> list[T]:
    """What each piece of `work` gives, in order; the first runs on this thread."""
    others = [_POOL.submit(piece) for piece in work[1:]]
    return [*(piece() for piece in work[:1]), *(other.result() for other in others)]
