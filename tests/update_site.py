"""Serves the document of available versions, for tests."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from email.message import Message

import pytest


class Site:
    """A web server that answers with `text` and records its requests."""

    def __init__(self) -> None:
        self.text = b""
        self.status = 200
        self.requests: list[tuple[str, Message]] = []
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.requests.append((self.path, self.headers))
                self.send_response(site.status)
                if site.status == 302:
                    self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", str(len(site.text)))
                self.end_headers()
                self.wfile.write(site.text)

            def log_message(self, *_: object) -> None: ...

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/walkaround.json"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def says(self, **document: object) -> None:
        self.text = json.dumps(document).encode()


@pytest.fixture
def update_site() -> Iterator[Site]:
    site = Site()
    yield site
    site.server.shutdown()
    site.server.server_close()
    site.thread.join()
