"""Waits for the store of files while it does not answer, so that a job need not fail for it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from service.detection.failure import DetectionFailed
from service.stores.port import StoreUnavailableError

T = TypeVar("T")

WAIT_SECONDS = 120.0
"""How long a job waits; other jobs that need the store wait with it."""

_PAUSE_SECONDS = 2.0


async def with_store(work: Callable[[], Awaitable[T]]) -> T:
    """What `work` gives, tried again while it raises StoreUnavailableError.

    Raises DetectionFailed with `store_away` after `WAIT_SECONDS`.
    """
    ends = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            return await work()
        except StoreUnavailableError as away:
            if time.monotonic() >= ends:
                raise DetectionFailed("store_away") from away
        await asyncio.sleep(_PAUSE_SECONDS)
