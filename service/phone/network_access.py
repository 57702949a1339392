"""Lets phones reach a service that listens on this machine alone: a second listener, on request, over TLS."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from starlette.types import ASGIApp, Receive, Scope, Send

log = logging.getLogger("walkaround.phone")

LOOK_SECONDS = 15.0
"""How often it is looked whether there is still a code that a phone may use."""

_OPEN = ("/phone", "/api/phone")
_CLOSED = tuple(f"{start}/codes" for start in _OPEN)


class PhoneListener(NamedTuple):
    """A listener: its port, the fingerprint of its certificate, and what ends it."""

    port: int
    fingerprint: str
    stop: Callable[[], Awaitable[None]]


Listen = Callable[[], Awaitable[PhoneListener]]
"""Begins to listen in the local network. Raises OSError and CertificateError."""


class PhoneRequestFilter:
    """Gives on to `app` what a phone asks for, and answers anything else as what is not there.

    Whoever is in the network reaches the page and what a claimed code opens, and no other operation.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if not _is_for_phones(scope["path"]):
            scope = {**scope, "method": "GET", "path": "/phone/nothing", "raw_path": b"/phone/nothing"}
        # A phone names the address of this machine in its network; secrets in headers say who it is, which no
        # page of another host can send.
        headers = [pair for pair in scope["headers"] if pair[0] != b"host"]
        await self._app({**scope, "headers": [*headers, (b"host", b"localhost")]}, receive, send)


def _is_for_phones(path: str) -> bool:
    def is_below(starts: tuple[str, ...]) -> bool:
        return any(path == start or path.startswith(f"{start}/") for start in starts)

    return is_below(_OPEN) and not is_below(_CLOSED)


class NetworkAccess:
    """Opened when a code is made that asks for it, closed when no valid code is left.

    `listen` is None where there is nothing to open: the service is reached already, or is several processes.
    """

    def __init__(self, is_needed: Callable[[], Awaitable[bool]]) -> None:
        self.listen: Listen | None = None
        self.listening: PhoneListener | None = None
        self._is_needed = is_needed
        self._lock = asyncio.Lock()
        self._closing: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Listen, unless it does already. Raises OSError and CertificateError."""
        async with self._lock:
            if self.listen is None or self.listening is not None:
                return
            self.listening = await self.listen()
            log.info("phones are answered on port %d", self.listening.port)
            self._closing = asyncio.create_task(self._close_when_not_needed())

    async def close(self) -> None:
        """End it."""
        if self._closing is not None:
            self._closing.cancel()
            await asyncio.gather(self._closing, return_exceptions=True)
        async with self._lock:
            await self._stop()

    async def _stop(self) -> None:
        listening, self.listening = self.listening, None
        if listening is not None:
            await listening.stop()
            log.info("phones are not answered on port %d any more", listening.port)

    async def _close_when_not_needed(self) -> None:
        while self.listening is not None:
            await asyncio.sleep(LOOK_SECONDS)
            # Under the lock: a code that is made now opens it after this, and not before.
            async with self._lock:
                if not await self._is_still_needed():
                    await self._stop()

    async def _is_still_needed(self) -> bool:
        try:
            return await self._is_needed()
        except Exception:
            # A database that is away for a moment: the codes are checked again at each request anyway.
            return True
