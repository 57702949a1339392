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

# The service sends at least a comment every 15 s.
_SILENCE_SECONDS = 40.0


class Events:
    """The event stream of the service. `read` blocks, and `close` ends it from any thread."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._lock = threading.Lock()
        self._responses: set[httpx.Response] = set()

    def read(
        self,
        on_change: Callable[[ChangeEvent | None], None],
        last_id: str | None = None,
        on_open: Callable[[], None] = lambda: None,
    ) -> None:
        """Call `on_change` with each change, and with None when changes were missed, until the stream ends.

        `last_id` is the id of the last received event; reading continues after it. `on_open` is called once,
        when `close` can end this reading. It may raise to refuse a reading that was still connecting during a
        `close`. Errors of `on_change` and `on_open` end the reading. Raises Unreachable when the connection
        is lost or closed, and ClientError as all calls do.
        """
        with contextlib.closing(self.changes(last_id, on_open)) as changes:
            for change in changes:
                on_change(change)

    def changes(
        self, last_id: str | None = None, on_open: Callable[[], None] = lambda: None
    ) -> Generator[ChangeEvent | None, None, None]:
        """Iterate over the changes, as `read` does. The generator keeps the connection until it is closed."""
        headers = {"Accept": "text/event-stream"}
        if last_id is not None:
            headers["Last-Event-ID"] = last_id
        with self._transport.stream("/events", headers=headers, seconds=_SILENCE_SECONDS) as response:
            with self._lock:
                self._responses.add(response)
            try:
                if self._transport.is_closed:
                    raise Unreachable
                on_open()
                yield from _parse_changes(response)
            finally:
                with self._lock:
                    self._responses.discard(response)

    def close(self) -> None:
        """End all readings immediately. A blocked read wakes up."""
        with self._lock:
            for response in self._responses:
                stream: Any = response.extensions.get("network_stream")
                connection = stream.get_extra_info("socket") if stream is not None else None
                if connection is not None:
                    with contextlib.suppress(OSError):
                        # The method of SSLSocket would remove the TLS object that the blocked read uses.
                        socket.socket.shutdown(connection, socket.SHUT_RDWR)


def _parse_changes(response: httpx.Response) -> Iterator[ChangeEvent | None]:
    event, data = "", ""
    for line in _read_lines(response):
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
                    # The event comes from a newer service.
                    pass
                else:
                    yield change
            event, data = "", ""


def _read_lines(response: httpx.Response) -> Iterator[str]:
    try:
        yield from response.iter_lines()
    except (httpx.StreamError, OSError) as error:
        raise Unreachable from error
