"""Serves the metrics over HTTP: on a separate address, or on the service's address with a token."""

from __future__ import annotations

import asyncio
import hmac
import logging
import socket
import threading
from collections.abc import Callable

import uvicorn
from fastapi import APIRouter, Request, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from service.web.envelope import Problem
from service.web.protocol import GuardedProtocol
from shared.record.codes import ErrorCode

log = logging.getLogger("walkaround.metrics")

MetricsText = Callable[[str], tuple[bytes, str]]
"""Returns the metrics and their content type for an Accept header."""

_END_SECONDS = 3.0


def _may_read(request: Request, token: str) -> bool:
    scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and hmac.compare_digest(credentials.strip().encode(), token.encode())


async def _answer(request: Request, text: MetricsText) -> Response:
    # In a thread: the figures are read from the disk and the database.
    body, content_type = await asyncio.to_thread(text, request.headers.get("accept", ""))
    return Response(body, headers={"Content-Type": content_type, "Cache-Control": "no-store"})


def metrics_routes(text: MetricsText, token: str) -> APIRouter:
    """Return the route `/metrics`, which answers requests that carry `token` as bearer token."""
    router = APIRouter()

    @router.get("/metrics", include_in_schema=False)
    async def metrics(request: Request) -> Response:
        if not _may_read(request, token):
            headers = {"WWW-Authenticate": "Bearer"}
            raise Problem(401, ErrorCode.NOT_LOGGED_IN, "请提供读取指标的令牌", headers=headers)
        return await _answer(request, text)

    return router


def metrics_app(text: MetricsText, token: str | None) -> ASGIApp:
    """Return an application that answers only GET /metrics; with `token`, only requests that carry it."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        if request.url.path != "/metrics" or request.method != "GET":
            response = Response(status_code=404)
        elif token is not None and not _may_read(request, token):
            response = Response(status_code=401, headers={"WWW-Authenticate": "Bearer"})
        else:
            response = await _answer(request, text)
        await response(scope, receive, send)

    return app


class MetricsServer:
    """Serves the metrics on a separate address, in a thread with its own event loop.

    Raises OSError if it cannot listen on the address.
    """

    def __init__(self, address: tuple[str, int], text: MetricsText, token: str | None) -> None:
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self._socket = socket.create_server(address, family=family)
        self._server = uvicorn.Server(
            uvicorn.Config(
                metrics_app(text, token),
                http=GuardedProtocol,
                log_config=None,
                access_log=False,
                server_header=False,
                lifespan="off",
                ws="none",
                limit_concurrency=16,
                timeout_graceful_shutdown=1,
            )
        )
        self._thread = threading.Thread(target=self._run, name="metrics-server", daemon=True)

    @property
    def url(self) -> str:
        """The address it listens on."""
        host, port = self._socket.getsockname()[:2]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/metrics"

    def _run(self) -> None:
        self._server.run(sockets=[self._socket])

    def start(self) -> None:
        """Start to answer requests."""
        self._thread.start()
        log.info("metrics are at %s", self.url)

    def stop(self) -> None:
        """Stop answering and close the socket."""
        self._server.should_exit = True
        self._thread.join(_END_SECONDS)
        self._socket.close()
