"""Ends asyncio tasks that work in the background."""

from __future__ import annotations

import asyncio
from typing import Any


async def end_tasks(*tasks: asyncio.Task[Any] | None, seconds: float = 1.0) -> None:
    """Cancel the tasks, those that still run again every `seconds`, and return once all are done.

    A task may lose a cancellation and continue: by an exception of the code that it runs on cancellation,
    such as a write that fails, and before Python 3.12 by `asyncio.wait_for`, with which psycopg's pool waits
    for connections (python/cpython#86296).
    """
    started = [task for task in tasks if task is not None]
    while running := [task for task in started if not task.done()]:
        for task in running:
            task.cancel()
        await asyncio.wait(running, timeout=seconds)
    # Otherwise asyncio logs each exception that nobody retrieves.
    await asyncio.gather(*started, return_exceptions=True)
