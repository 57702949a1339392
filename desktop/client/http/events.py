"""Reads the service's event stream (server-sent events)."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Generator, Iterator
from typing import Any

import httpx
from pydantic import ValidationError

from desktop.client.http.errors import Unreachable
from desktop.client.http.transport import Transport
from shared.wire.events import ChangeEvent

# The service sends something every 15 s, if only a comment.
_SILENCE_SECONDS = 40.0


class Events:
    """The event stream of the service. `read` blocks; `close` ends it from any thread."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._guard = threading.Lock()
        self._open: set[httpx.Response] = set()

    def read(
        self,
        take: Callable[[ChangeEvent | None], None],
        last_id: str | None = None,
        begin: Callable[[], None] = lambda: None,
    ) -> None:
        """Call `take` with each change, and with None when some were missed, until the service ends it.

        `last_id`: the id of the last event that was taken, to go on after it. `begin` is called once, when
        `close` can end this reading: a caller of `close` that may read again later refuses there a reading
        that was still connecting. What `take` and `begin` raise ends the reading. Raises Unreachable when the
        connection is lost or closed, and what every call raises.
        """
        with contextlib.closing(self.changes(last_id, begin)) as changes:
            for change in changes:
                take(change)

    def changes(
        self, last_id: str | None = None, begin: Callable[[], None] = lambda: None
    ) -> Generator[ChangeEvent | None, None, None]:
        """`read` as a generator, which holds the connection until it ends or is closed."""
        headers = {"Accept": "text/event-stream"}
        if last_id is not None:
            headers["Last-Event-ID"] = last_id
        with self._transport.stream("/events", headers=headers, seconds=_SILENCE_SECONDS) as response:
            with self._guard:
                self._open.add(response)
            try:
                if self._transport.closed:
                    raise Unreachable
                begin()
                yield from _changes(response)
            finally:
                with self._guard:
                    self._open.discard(response)

    def close(self) -> None:
        """End every reading at once: a blocked read wakes up."""
        with self._guard:
            for response in self._open:
                stream: Any = response.extensions.get("network_stream")
                connection = stream.get_extra_info("socket") if stream is not None else None
                if connection is not None:
                    with contextlib.suppress(OSError):
                        # Of the socket below: with TLS, its own one would go from under the blocked read.
                        socket.socket.shutdown(connection, socket.SHUT_RDWR)


def _changes(response: httpx.Response) -> Iterator[ChangeEvent | None]:
    event, data = "", ""
    for line in _received(response):
        if line.startswith("event:"):
            event = line[6:].strip()
        elif line.startswith("data:"):
            data += line[5:].strip()
        elif not line:
            if event == "end":
                return
            if event == "resync":
                yield None
            elif event == "change":
                try:
                    change = ChangeEvent.model_validate_json(data)
                except ValidationError:
                    # Of a newer service.
                    pass
                else:
                    yield change
            event, data = "", ""


def _received(response: httpx.Response) -> Iterator[str]:
    try:
        yield from response.iter_lines()
    except (httpx.StreamError, OSError) as error:
        raise Unreachable from error
