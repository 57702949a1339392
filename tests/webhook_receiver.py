"""Receives webhooks, over HTTP or TLS, on loopback."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

PATIENCE = 60.0


class Received(NamedTuple):
    """One request: its path, its headers with lower-case names, and its body."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def message(self) -> dict[str, Any]:
        """The body as JSON."""
        message: dict[str, Any] = json.loads(self.body)
        return message


class Receiver:
    """A server that stores requests and answers with `status` and `headers`, until `close`."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.status = 204
        self.headers: dict[str, str] = {}
        self.received: list[Received] = []
        self.answers = threading.Event()
        self.answers.set()
        self._condition = threading.Condition()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                with receiver._condition:
                    receiver.received.append(Received(self.path, headers, body))
                    receiver._condition.notify_all()
                receiver.answers.wait(PATIENCE)
                self.send_response(receiver.status)
                for name, value in receiver.headers.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = False

            def handle_error(self, request: object, client_address: object) -> None:
                """Ignore a client that disconnects."""

        self._server = Server(("127.0.0.1", 0), Handler)
        if context is not None:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    @property
    def url(self) -> str:
        """The address without TLS."""
        return f"http://127.0.0.1:{self.port}/hook"

    def wait(self, count: int) -> list[Received]:
        """Wait for `count` requests and return all received ones."""
        with self._condition:
            assert self._condition.wait_for(lambda: len(self.received) >= count, PATIENCE), self.received
            return list(self.received)

    def close(self) -> None:
        """Stop the server after the running answers."""
        self.answers.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
