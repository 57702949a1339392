"""Lets phones reach a service on loopback: opens a second listener over TLS on request."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from starlette.types import ASGIApp, Receive, Scope, Send

log = logging.getLogger("walkaround.phone")

LOOK_SECONDS = 15.0
"""How often to check whether any code is still valid."""

_OPEN_PATHS = ("/phone", "/api/phone")
_CLOSED_PATHS = tuple(f"{start}/codes" for start in _OPEN_PATHS)


class PhoneListener(NamedTuple):
    """A listener: its port, the fingerprint of its certificate, and the function that ends it."""

    port: int
    fingerprint: str
    stop: Callable[[], Awaitable[None]]


StartListener = Callable[[], Awaitable[PhoneListener]]
"""Starts to listen in the local network. Raises OSError and CertificateError."""


class PhoneRequestFilter:
    """Passes requests of phones to `app`, and answers every other request with 404.

    Machines in the network reach only the page and the operations for claimed codes.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if not _is_for_phones(scope["path"]):
            scope = {**scope, "method": "GET", "path": "/phone/nothing", "raw_path": b"/phone/nothing"}
        # A phone sends this machine's network address as Host, which the service would refuse. The check
        # against other sites is not needed here: phones authenticate by a header that other sites cannot
        # send.
        headers = [pair for pair in scope["headers"] if pair[0] != b"host"]
        await self._app({**scope, "headers": [*headers, (b"host", b"localhost")]}, receive, send)


def _is_for_phones(path: str) -> bool:
    def is_below(starts: tuple[str, ...]) -> bool:
        return any(path == start or path.startswith(f"{start}/") for start in starts)

    return is_below(_OPEN_PATHS) and not is_below(_CLOSED_PATHS)


class NetworkAccess:
    """Opens the local network for a code that needs it, and closes it when no valid code is left.

    `start_listener` is None if nothing can be opened: phones reach the service already, or it has several
    processes.
    """

    def __init__(self, is_needed: Callable[[], Awaitable[bool]]) -> None:
        self.start_listener: StartListener | None = None
        self.listener: PhoneListener | None = None
        self._is_needed = is_needed
        self._lock = asyncio.Lock()
        self._close_task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Start the listener unless it is running. Raises OSError and CertificateError."""
        async with self._lock:
            if self.start_listener is None or self.listener is not None:
                return
            self.listener = await self.start_listener()
            log.info("phones are answered on port %d", self.listener.port)
            self._close_task = asyncio.create_task(self._close_when_not_needed())

    async def close(self) -> None:
        """Stop the listener."""
        if self._close_task is not None:
            self._close_task.cancel()
            await asyncio.gather(self._close_task, return_exceptions=True)
        async with self._lock:
            await self._stop_listener()

    async def _stop_listener(self) -> None:
        listener, self.listener = self.listener, None
        if listener is not None:
            await listener.stop()
            log.info("phones are not answered on port %d any more", listener.port)

    async def _close_when_not_needed(self) -> None:
        while self.listener is not None:
            await asyncio.sleep(LOOK_SECONDS)
            # Under the lock, so that a code that is created now opens the network after this check.
            async with self._lock:
                if not await self._is_still_needed():
                    await self._stop_listener()

    async def _is_still_needed(self) -> bool:
        try:
            return await self._is_needed()
        except Exception:
            # The database is unreachable for a moment; each request checks its code anyway.
            return True
