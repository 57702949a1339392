"""Lets phones reach the service: finds its addresses, and opens a listener over TLS for one on loopback.

Listens for phones in the local network, in addition to the server of a service on loopback.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import Any, NamedTuple

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from service.settings import Settings
from service.tasks import end_tasks
from service.tls import needs_tls
from service.web.addresses import is_loopback, local_addresses
from service.web.protocol import ANSWER_SECONDS, KEEP_ALIVE_SECONDS, BoundedConfig, GuardedProtocol

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
        await end_tasks(self._close_task)
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


class PhoneNetworkAddress(NamedTuple):
    """The URLs at which phones reach the service, and the fingerprint of its own certificate, if used."""

    addresses: list[str]
    fingerprint: str | None


def phone_network_address(
    settings: Settings, server: tuple[str, int] | None, listener: PhoneListener | None
) -> PhoneNetworkAddress:
    """Find the addresses at which phones reach a service that answered at the host and port `server`. Blocks.

    Phones reach a service on loopback only through `listener`. Behind a proxy the service does not know its
    address and returns none; clients then use the address that they know.
    """
    if listener is not None:
        return PhoneNetworkAddress(
            [f"https://{_url_host(host)}:{listener.port}" for host in _lan_addresses()], listener.fingerprint
        )
    if _is_loopback(settings.host) or settings.plain_http or settings.trusted_proxies or server is None:
        return PhoneNetworkAddress([], None)
    scheme = "https" if needs_tls(settings) else "http"
    listens_everywhere = settings.host in ("0.0.0.0", "::")  # noqa: S104 - compared, not listened on
    hosts = _lan_addresses() if listens_everywhere else [settings.host]
    return PhoneNetworkAddress(
        [f"{scheme}://{_url_host(host)}:{server[1]}" for host in hosts], _fingerprint(settings)
    )


def _is_loopback(host: str) -> bool:
    return host == "localhost" or is_loopback(host)


def _lan_addresses() -> list[str]:
    addresses = []
    for text in local_addresses():
        address = ipaddress.ip_address(text.partition("%")[0])
        # The second listener uses only IPv4, and an IPv6 address is hard to type.
        if address.version == 4 and not address.is_loopback and not address.is_link_local:
            addresses.append(str(address))
    return addresses


def _url_host(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def _fingerprint(settings: Settings) -> str | None:
    if not needs_tls(settings):
        return None
    # Importing the library for certificates takes 30 ms, which a service on loopback saves.
    from service.tls.files import configured_files

    files = configured_files(settings)
    return files.fingerprint() if files.is_own else None


class _PhoneServer(uvicorn.Server):
    """A second server on the event loop of the first one, which handles the signals."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.has_started = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then set `has_started`."""
        await super().startup(sockets)
        self.has_started.set()

    def capture_signals(self) -> Any:
        """Leave the signals to the first server."""
        return nullcontext()


async def listen_for_phones(settings: Settings, app: ASGIApp) -> PhoneListener:
    """Answer phones in the local network over TLS on a free port. Raises CertificateError and OSError."""
    # Importing the library for certificates takes 30 ms, which a service on loopback saves.
    from service.tls.files import usable_files

    certificate = await asyncio.to_thread(usable_files, settings)
    fingerprint = await asyncio.to_thread(certificate.fingerprint)
    server_socket = socket.create_server(("0.0.0.0", 0))  # noqa: S104 - what it answers is `PhoneRequestFilter`
    config = BoundedConfig(
        PhoneRequestFilter(app),
        lifespan="off",
        log_config=None,
        http=GuardedProtocol,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=ANSWER_SECONDS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        ssl_context_factory=certificate.reloading_context,
        access_log=False,
        ws="none",
    )
    server = _PhoneServer(config)
    server_task = asyncio.create_task(server.serve([server_socket]))
    start_task = asyncio.create_task(server.has_started.wait())
    await asyncio.wait({server_task, start_task}, return_when=asyncio.FIRST_COMPLETED)
    if server_task.done():
        start_task.cancel()
        server_socket.close()
        await server_task

    async def stop() -> None:
        server.should_exit = True
        await server_task

    return PhoneListener(server_socket.getsockname()[1], fingerprint, stop)
