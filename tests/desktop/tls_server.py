"""A server with TLS that says that it is a Walkaround service, for tests of what the desktop trusts."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from service.tls.files import CertificateFiles
from tests.certificates import Pair, create_pair


class _Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, _Server)
        self.server.paths.append(self.path)
        document = {"status": "ok"} if self.path == "/healthz" else {"code": 0, "data": {"needed": False}}
        body = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_arguments: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.paths: list[str] = []

    def handle_error(self, *_arguments: object) -> None:
        # A client that does not trust the server ends the handshake.
        pass


class TlsServer:
    """The server at `url` with the certificate of `pair`; `asked` are the paths that it was asked for."""

    def __init__(self, folder: Path) -> None:
        self.pair: Pair = create_pair(folder / "served")
        self._folder = folder
        self._server = _Server()
        context = CertificateFiles(*self.pair).reloading_context()
        # The handshake happens in the thread of its connection, not in the one that accepts the next.
        self._server.socket = context.wrap_socket(
            self._server.socket, server_side=True, do_handshake_on_connect=False
        )
        self.url = f"https://127.0.0.1:{self._server.server_address[1]}"
        self.key = f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def paths(self) -> list[str]:
        return self._server.paths

    @property
    def fingerprint(self) -> str:
        return self.pair.fingerprint

    def replace_certificate(self) -> None:
        """Serve a certificate with another key from the next connection on."""
        self.pair.replace_with(create_pair(self._folder / "next"))

    @contextmanager
    def running(self) -> Iterator[TlsServer]:
        thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            thread.join()
            self._server.server_close()
