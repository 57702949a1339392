"""Listens for phones in the local network, beside the server of a service on loopback."""

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
    """A second server on the loop of the first, which takes the signals."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.running = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        self.running.set()

    def capture_signals(self) -> Any:
        """Leave them alone."""
        return nullcontext()


async def listen_for_phones(settings: Settings, app: ASGIApp) -> PhoneListener:
    """Answer phones in the local network, over TLS, on a free port. Raises CertificateError and OSError."""
    # The library that reads certificates takes 30 ms, which a service on loopback starts sooner without.
    from service.tls.choice import usable_files

    certificate = await asyncio.to_thread(usable_files, settings)
    fingerprint = await asyncio.to_thread(certificate.fingerprint)
    listening = socket.create_server(("0.0.0.0", 0))  # noqa: S104 - what it answers is `PhoneRequestFilter`
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
    serving = asyncio.create_task(server.serve([listening]))
    starting = asyncio.create_task(server.running.wait())
    await asyncio.wait({serving, starting}, return_when=asyncio.FIRST_COMPLETED)
    if serving.done():
        starting.cancel()
        listening.close()
        await serving

    async def stop() -> None:
        server.should_exit = True
        await serving

    return PhoneListener(listening.getsockname()[1], fingerprint, stop)
