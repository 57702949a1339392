"""Listens for phones in the local network, in addition to the server of a service on loopback."""

from __future__ import annotations

import asyncio
import socket
from contextlib import nullcontext
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from service.phone.network_access import PhoneListener, PhoneRequestFilter
from service.settings import Settings
from service.web.protocol import GuardedProtocol
from service.web.server_config import ANSWER_SECONDS, KEEP_ALIVE_SECONDS, BoundedConfig


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
    from service.tls.choice import usable_files

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
