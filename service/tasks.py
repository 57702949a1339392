"""Wakes and ends tasks that work in the background.

A `Notifier` wakes them on any event loop, from any thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import Any


class Notifier:
    """Counts notifications and wakes the coroutines that wait for the next one.

    A coroutine reads `count`, checks its condition, then waits for a notification after that count. So it
    does not miss a notification between the check and the wait.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._waiting: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}

    @property
    def count(self) -> int:
        """The number of notifications until now."""
        return self._count

    def notify(self) -> None:
        """Wake all waiting coroutines. May be called from any thread."""
        with self._lock:
            self._count += 1
            waiting, self._waiting = self._waiting, {}
        for event, loop in waiting.items():
            # A loop may be closed while its coroutine waits. The coroutines of other loops still wake.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(event.set)

    async def wait(self, count: int, seconds: float | None = None) -> int:
        """Wait until there were more than `count` notifications, at most `seconds`; return their number."""
        event = asyncio.Event()
        with self._lock:
            if is_notified := self._count > count:
                event.set()
            else:
                self._waiting[event] = asyncio.get_running_loop()
        try:
            # Before Python 3.12 `asyncio.wait_for` may lose a cancellation (python/cpython#86296).
            async with asyncio.timeout(seconds):
                # A coroutine that never has to wait still lets others run.
                await (asyncio.sleep(0) if is_notified else event.wait())
        except TimeoutError:
            pass
        finally:
            with self._lock:
                self._waiting.pop(event, None)
        return self._count


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
