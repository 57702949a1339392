"""Configures the servers of the service: how long connections, handshakes and answers may take."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import uvicorn

from service.web.protocol import HEAD_SECONDS

ANSWER_SECONDS = 5
"""How long requests in progress may take once the service has been asked to stop."""

KEEP_ALIVE_SECONDS = 75
"""How long a connection without a request stays open: longer than clients and proxies keep theirs (60 s)."""

HANDSHAKE_SECONDS = HEAD_SECONDS
"""How long the TLS handshake of a connection may take, as the head of a request may."""

CLOSING_SECONDS = 1.0
"""How long a closed TLS connection may take to say that the client closes it as well."""


class BoundedConfig(uvicorn.Config):
    """The configuration with the bounds of a TLS connection, which uvicorn leaves at 60 and 30 s."""

    def get_loop_factory(self) -> Callable[[], asyncio.AbstractEventLoop] | None:
        """What makes the event loop."""
        make = super().get_loop_factory() or asyncio.new_event_loop

        def bounded() -> asyncio.AbstractEventLoop:
            loop = make()
            listen: Callable[..., Any] = loop.create_server

            # A service on loopback may come to listen with TLS for phones.
            def create_server(*arguments: Any, **options: Any) -> Any:
                if options.get("ssl"):
                    options["ssl_handshake_timeout"] = HANDSHAKE_SECONDS
                    options["ssl_shutdown_timeout"] = CLOSING_SECONDS
                return listen(*arguments, **options)

            loop.create_server = create_server  # type: ignore[method-assign]
            return loop

        return bounded
