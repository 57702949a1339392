"""Adds time limits and designed refusals to uvicorn's HTTP/1.1 protocol (h11).

h11 reads strictly (several lengths, unknown encodings, blanks before a colon are refused) and keeps the head
of a request within `h11_max_incomplete_event_size`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from service.web.envelope import failure_body
from service.web.middleware import SECURITY_HEADERS, new_request_id
from shared.codes import ErrorCode

HEAD_SECONDS = 15.0
"""How long the head of a request may be on its way, from the connection or from its first byte."""


class GuardedProtocol(H11Protocol):
    """Ends a connection whose request does not come, and refuses what is not HTTP with an envelope."""

    end_streams: ClassVar[Callable[[], None]] = staticmethod(lambda: None)
    """Ends the answers of this process that would stay open by themselves."""

    _head_due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection; its first head is awaited from now on."""
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Release a connection."""
        self._head_came()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """The server ends: it waits for the open answers, and a stream would be open forever."""
        type(self).end_streams()
        super().shutdown()

    def data_received(self, data: bytes) -> None:
        """Take what came."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._head_came()
        elif self._head_due is None and not self.transport.is_closing():
            self._await_head()

    def send_400_response(self, msg: str) -> None:
        """Answer a request that cannot be read, and close: what follows it cannot be separated."""
        number = new_request_id()
        self.logger.info("%s: %s", number, msg)
        text = "请求不是有效的 HTTP/1.1，请检查客户端"
        body = json.dumps(failure_body(ErrorCode.INVALID_INPUT, text), ensure_ascii=False).encode()
        headers = [
            ("content-type", "application/json"),
            ("content-length", str(len(body))),
            ("connection", "close"),
            ("x-request-id", number),
            ("cache-control", "no-store"),
            *SECURITY_HEADERS,
        ]
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            for event in (
                h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
                h11.Data(data=body),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _await_head(self) -> None:
        self._head_due = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _head_came(self) -> None:
        if self._head_due is not None:
            self._head_due.cancel()
            self._head_due = None
