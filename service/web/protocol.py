"""Adds time limits and designed refusals to uvicorn's HTTP/1.1 protocol (httptools).

Its parser, llhttp, is strict: it refuses several lengths, a length beside an encoding, unknown encodings and
blanks before a colon. It does not limit the head of a request or the framing of a body, but this protocol
does. It drops trailers: no operation reads them, and they must not become headers (RFC 9110, 6.5.1).

Configures the servers of the service: time limits of connections, handshakes and answers.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable
from typing import Any, ClassVar

import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from service.web.envelope import failure_body
from service.web.middleware import SECURITY_HEADERS, new_request_id
from shared.record.codes import ErrorCode

HEAD_SECONDS = 15.0
"""How long the head of a request may take, counted from the connection and again from its first byte."""

HEAD_BYTES = 64 * 1024
"""Most bytes of the head of a request."""

FRAMING_BYTES = 16 * 1024
"""Most bytes around the content of a body (lines of chunks, trailers) beyond `FRAMING_RATIO`."""

FRAMING_RATIO = 8
"""Bytes of framing that each byte of content may have in addition. A chunk of one byte needs five."""

IDLE_CONNECTIONS = 512
"""Most idle connections of a process: half of the number of files that Linux lets it open."""

_WHOLE_SERVER = b"*"
"""The target of an OPTIONS that asks about the server as a whole (RFC 9110, 9.3.7)."""

_DROPPED: Any = deque[tuple[bytes, bytes]](maxlen=0)
"""Where uvicorn appends trailers: it holds nothing."""


class GuardedProtocol(HttpToolsProtocol):
    """Closes a connection whose request does not arrive, and refuses invalid HTTP with an envelope."""

    end_streams: ClassVar[Callable[[], None]] = staticmethod(lambda: None)
    """Ends the streams of this process, which would stay open otherwise."""

    _head_timer: asyncio.TimerHandle | None = None
    _head_bytes = 0
    _in_head = False
    _framing_bytes = 0
    """Received bytes of a body around its content, less those that its content allows."""
    _idle: dict[GuardedProtocol, None]
    """The connections of this server that wait for a request, the one that has waited longest first."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection and wait for its first head."""
        super().connection_made(transport)
        self._idle = vars(self.server_state).setdefault("idle_connections", {})
        self._start_head_timer()
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Release a connection."""
        self._idle.pop(self, None)
        self._stop_head_timer()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """End the streams: the server waits for open answers, and a stream would be open forever."""
        type(self).end_streams()
        super().shutdown()

    def data_received(self, data: bytes) -> None:
        """Parse the received bytes."""
        self._framing_bytes += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES:
                self.send_400_response("the head of a request is too long")
        elif self._framing_bytes > FRAMING_BYTES:
            self.send_400_response("the chunks or trailers of a body are too long")
        elif self.cycle is None or self.cycle.response_complete:
            # Blank lines before a request do not extend its time limit.
            self._start_head_timer()

    def on_message_begin(self) -> None:
        """Start the time limit of a head: its first byte has arrived."""
        super().on_message_begin()
        self._idle.pop(self, None)
        self._in_head, self._head_bytes = True, 0
        self._start_head_timer()

    def on_headers_complete(self) -> None:
        """Start to answer: the head of a request has arrived."""
        self._in_head = False
        self._stop_head_timer()
        is_about_server = self.url == _WHOLE_SERVER
        if is_about_server:
            self.url = b"/"
        self._check_head()
        super().on_headers_complete()
        self._framing_bytes, self.headers = 0, _DROPPED
        if is_about_server:
            self.scope["path"], self.scope["raw_path"] = "*", _WHOLE_SERVER

    def on_body(self, body: bytes) -> None:
        """Buffer a part of the content of a body."""
        self._framing_bytes -= (1 + FRAMING_RATIO) * len(body)
        super().on_body(body)

    def on_response_complete(self) -> None:
        """Wait for the next request after an answer, unless it has arrived already."""
        is_idle = not self.pipeline and not self._in_head
        super().on_response_complete()
        if is_idle and not self.transport.is_closing():
            self._await_request()

    def _await_request(self) -> None:
        """Wait for a request; if too many connections wait, close the one that has waited longest."""
        self._idle[self] = None
        if len(self._idle) > IDLE_CONNECTIONS:
            longest = next(iter(self._idle))
            del self._idle[longest]
            longest.transport.close()

    def _check_head(self) -> None:
        """Raise ValueError for a fault that llhttp accepts; the parser reports it like its own errors."""
        hosts = sum(name == b"host" for name, _ in self.headers)
        if hosts > 1 or (hosts == 0 and self.parser.get_http_version() != "1.0"):
            raise ValueError("a request has one Host")
        if any(name == b"transfer-encoding" and value.lower() != b"chunked" for name, value in self.headers):
            raise ValueError("an unknown encoding")
        if not self.url.startswith(b"/") and self.parser.get_method() != b"CONNECT":
            # The absolute form, for proxies, contains a host that is not checked like the Host header.
            raise ValueError("the target is not a path")

    def send_400_response(self, msg: str) -> None:
        """Answer an invalid request and close: the end of the request, and so the next one, is unknown."""
        request_id = new_request_id()
        self.logger.info("%s: %s", request_id, msg)
        text = "请求不是有效的 HTTP/1.1，请检查客户端"
        body = json.dumps(failure_body(ErrorCode.INVALID_INPUT, text), ensure_ascii=False).encode()
        headers = [
            ("content-type", "application/json"),
            ("content-length", str(len(body))),
            ("connection", "close"),
            ("x-request-id", request_id),
            ("cache-control", "no-store"),
            *SECURITY_HEADERS,
        ]
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            head = "".join(f"{name}: {value}\r\n" for name, value in headers)
            self.transport.write(STATUS_LINE[400] + head.encode() + b"\r\n" + body)
        if self.cycle is not None:
            # Notifies the reader of the incomplete body that the client has left.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()

    def _start_head_timer(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


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
