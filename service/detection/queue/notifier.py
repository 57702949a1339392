"""Wakes waiting coroutines on any event loop from any thread."""

from __future__ import annotations

import asyncio


class Notifier:
    """Wakes all waiting coroutines."""

    def __init__(self) -> None:
        self._waiting: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}

    async def wait(self, seconds: float) -> None:
        """Wait until notified, for at most `seconds`."""
        event = asyncio.Event()
        self._waiting[event] = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(seconds):
                await event.wait()
        except TimeoutError:
            return
        finally:
            del self._waiting[event]

    def notify(self) -> None:
        """Wake those who wait; from any thread."""
        for event, loop in list(self._waiting.items()):
            loop.call_soon_threadsafe(event.set)
