"""Optional layers around the operations: compression, clients that left, other origins.

The layers that every request needs are in `service.web.middleware`.
"""

from __future__ import annotations

import asyncio
import gzip
import logging
from collections import deque
from collections.abc import Collection, Iterable

from fastapi.responses import JSONResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.web.envelope import failure_body
from service.web.middleware import SECURITY_HEADERS, new_request_id
from shared.record.codes import ErrorCode
from shared.wire.common import ERROR_HEADER, UPDATED_BY
from shared.wire.face import DEVICE_HEADER

MIN_BYTES = 1000
"""Compression would not save a packet for a shorter body."""

LEVEL = 4
"""The gzip level: a page of 200 records, 100 kB, becomes 8 kB in 0.4 ms. Level 6 saves only 5 % more."""

IN_THREAD_BYTES = 256 * 1024
"""A longer body is compressed in a thread: it would delay other requests by more than a millisecond."""

_COMPRESSED_TYPES = ("application/json", "text/")
_EXCLUDING_HEADERS = ("etag", "content-encoding", "content-range")


class AnswerForm:
    """Answers HEAD with the status and headers of a GET, and compresses for clients that accept gzip.

    It compresses JSON and texts that are sent in one piece and have no ETag: an ETag identifies the bytes, so
    the compressed form would need another one, which If-Match would have to accept. Pictures are compressed
    already. Streams and ranges are not changed.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            if scope["method"] == "HEAD":
                scope["method"], send = "GET", _WithoutBody(send)
            if _accepts_gzip(scope["headers"]):
                send = _Compressed(send)
        await self.app(scope, receive, send)


class _WithoutBody:
    """Sends the start of an answer and an empty body. After that, a stream receives a disconnect."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._complete = False

    async def __call__(self, message: Message) -> None:
        if not self._complete:
            self._complete = True
            await self._send(message)
            await self._send({"type": "http.response.body", "body": b""})


class _Compressed:
    """Delays the start of an answer until its body shows whether it is worth compressing."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _may_compress(message):
            self._start = message
            return
        start, self._start = self._start, None
        if start is not None:
            body = message.get("body", b"")
            if not message.get("more_body", False) and len(body) >= MIN_BYTES:
                compressed = await _compress(body)
                headers = MutableHeaders(raw=start["headers"])
                headers["Content-Encoding"] = "gzip"
                headers["Content-Length"] = str(len(compressed))
                message = {**message, "body": compressed}
            await self._send(start)
        await self._send(message)


def _accepts_gzip(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether Accept-Encoding names gzip, with a weight above 0 (RFC 9110, 12.5.3)."""
    for name, value in headers:
        if name == b"accept-encoding" and b"gzip" in value.lower():
            for element in value.lower().split(b","):
                coding, *parameters = (part.strip() for part in element.split(b";"))
                if coding == b"gzip":
                    return not any(_is_zero(parameter) for parameter in parameters)
    return False


def _is_zero(parameter: bytes) -> bool:
    name, _, weight = parameter.partition(b"=")
    return name.strip() == b"q" and not weight.strip().strip(b"0.")


def _may_compress(start: Message) -> bool:
    headers = MutableHeaders(raw=[*start.get("headers", ())])
    kind = headers.get("content-type", "")
    return (
        kind.startswith(_COMPRESSED_TYPES)
        and not kind.startswith("text/event-stream")
        and not any(name in headers for name in _EXCLUDING_HEADERS)
    )


async def _compress(body: bytes) -> bytes:
    if len(body) > IN_THREAD_BYTES:
        return await asyncio.to_thread(gzip.compress, body, LEVEL, mtime=0)
    return gzip.compress(body, LEVEL, mtime=0)


log = logging.getLogger("walkaround.http")

WATCH_AFTER_SECONDS = 0.1
"""The delay before a request is watched: most requests are answered sooner and need no watching."""


class CancelOnDisconnect:
    """Cancels a read request, and the query that it waits for, when its client has left.

    A request that changes something runs to its end: its client may reconnect and ask for the outcome.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in {"GET", "HEAD"}:
            await self.app(scope, receive, send)
            return
        request = asyncio.current_task()
        assert request is not None
        # The body of a read request is not used. If one arrives, the operation receives an empty one.
        buffered: deque[Message] = deque()
        watch_task: asyncio.Task[None] | None = None
        has_left = False

        async def watch() -> None:
            nonlocal has_left
            while (await receive())["type"] != "http.disconnect":
                if not buffered:
                    buffered.append({"type": "http.request", "body": b"", "more_body": False})
            has_left = True
            request.cancel()

        def start_watching() -> None:
            nonlocal watch_task
            watch_task = asyncio.create_task(watch())

        def stop_watching() -> None:
            timer.cancel()
            if watch_task is not None:
                watch_task.cancel()

        async def send_and_stop_watching(message: Message) -> None:
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                # The server reports the end of an answer as a disconnect.
                stop_watching()
            await send(message)

        async def receive_buffered() -> Message:
            return buffered.popleft() if buffered else await receive()

        timer = asyncio.get_running_loop().call_later(WATCH_AFTER_SECONDS, start_watching)
        try:
            await self.app(scope, receive_buffered, send_and_stop_watching)
        except asyncio.CancelledError:
            if not has_left or request.uncancel():
                raise
            log.info("the client has left: its request was cancelled")
        finally:
            stop_watching()


METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT")

REQUEST_HEADERS = (
    *("Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "If-Range"),
    *("Last-Event-ID", "Range", "X-Request-Id", DEVICE_HEADER),
)
"""Request headers that a page may set: those that operations read."""

EXPOSED_HEADERS = (
    *("Allow", "Content-Disposition", "Content-Range", "ETag", "Retry-After", "WWW-Authenticate"),
    *(UPDATED_BY, ERROR_HEADER, "X-Request-Id"),
)
"""Response headers that a page may read, beside the ones that every page may read."""

PREFLIGHT_SECONDS = 600
"""How long a browser may cache the answer to a preflight."""

_NO_ORIGIN = Headers({})


class AllowedOrigins(CORSMiddleware):
    """Answers the preflights of pages of `origins`, and lets these pages read the answers (CORS).

    It does not change requests of other origins, or without an origin. Tokens are sent in a header that only
    the page can set. So cookies and other credentials are not allowed.
    """

    def __init__(self, app: ASGIApp, origins: Collection[str]) -> None:
        super().__init__(
            app,
            allow_origins=origins,
            allow_methods=METHODS,
            allow_headers=REQUEST_HEADERS,
            expose_headers=EXPOSED_HEADERS,
            max_age=PREFLIGHT_SECONDS,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self.is_allowed_origin(Headers(scope=scope).get("origin", "")):
            await super().__call__(scope, receive, send)
        else:
            await self.simple_response(scope, receive, send, _NO_ORIGIN)

    def preflight_response(self, request_headers: Headers) -> Response:
        """The answer to a preflight, with the headers that every answer has."""
        response = super().preflight_response(request_headers)
        if response.status_code != 200:
            text = "请求无法解析，请检查请求的格式"
            failure = JSONResponse(failure_body(ErrorCode.INVALID_INPUT, text), response.status_code)
            failure.headers["Vary"] = response.headers["Vary"]
            response = failure
        response.headers.update(dict(SECURITY_HEADERS))
        response.headers["Cache-Control"] = "no-store"
        response.headers["X-Request-Id"] = new_request_id()
        return response
