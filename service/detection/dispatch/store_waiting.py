"""Waits for the store of files while it does not answer, so that jobs do not fail because of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from service.detection.failure import DetectionFailed
from service.stores.port import StoreUnavailableError

T = TypeVar("T")

WAIT_SECONDS = 120.0
"""The longest time that a job waits. Other jobs that need the store wait too."""

_PAUSE_SECONDS = 2.0


async def retry_store(work: Callable[[], Awaitable[T]]) -> T:
    """Run `work` again while it raises StoreUnavailableError, and return its result.

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
