"""Configures the servers of the service: time limits of connections, handshakes and answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import uvicorn

from service.web.protocol import HEAD_SECONDS

ANSWER_SECONDS = 5
"""How long requests in progress may take after the service is asked to stop."""

KEEP_ALIVE_SECONDS = 75
"""How long an idle connection stays open: longer than clients and proxies keep theirs (60 s)."""

HANDSHAKE_SECONDS = HEAD_SECONDS
"""How long the TLS handshake may take: as long as the head of a request."""

CLOSING_SECONDS = 1.0
"""How long a closing TLS connection waits for the client to close it as well."""


class BoundedConfig(uvicorn.Config):
    """Limits handshake and close of TLS connections, for which uvicorn waits 60 and 30 s."""

    def get_loop_factory(self) -> Callable[[], asyncio.AbstractEventLoop] | None:
        """The function that creates the event loop."""
        create_default_loop = super().get_loop_factory() or asyncio.new_event_loop

        def create_loop() -> asyncio.AbstractEventLoop:
            loop = create_default_loop()
            create_default_server: Callable[..., Any] = loop.create_server

            # Every server of the loop: a service on loopback may later serve phones with TLS.
            def create_server(*arguments: Any, **options: Any) -> Any:
                if options.get("ssl"):
                    options["ssl_handshake_timeout"] = HANDSHAKE_SECONDS
                    options["ssl_shutdown_timeout"] = CLOSING_SECONDS
                return create_default_server(*arguments, **options)

            loop.create_server = create_server  # type: ignore[method-assign]
            return loop

        return create_loop
