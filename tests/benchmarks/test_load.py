from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from benchmarks.load import LoadError, Workload, apply_load

pytestmark = pytest.mark.wrk


class Target:
    """A server that counts its requests, and answers 500 below /wrong."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str, str, str]] = Counter()
        target = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                target.requests[self.command, self.path, self.headers.get("Authorization", ""), body] += 1
                self.send_response(500 if self.path.startswith("/wrong") else 200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            do_GET = do_POST = _answer

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def target() -> Iterator[Target]:
    running = Target()
    yield running
    running.stop()


def test_every_path_is_requested_with_the_token(target: Target) -> None:
    work = Workload(["/a?b=1", "/c"])
    load = apply_load(target.url, work, token="secret", connections=2, seconds=0.3)
    assert {key[:3] for key in target.requests} == {("GET", path, "Bearer secret") for path in work.paths}
    assert abs(target.requests.total() - load.requests) <= 2
    assert load.per_second > 0
    assert 0 < load.p50 <= load.p99


def test_a_body_is_posted(target: Target) -> None:
    work = Workload(["/make"], {"name": "新"})
    apply_load(target.url, work, connections=1, seconds=0.3)
    assert {(method, path) for method, path, *_ in target.requests} == {("POST", "/make")}
    assert {json.dumps(json.loads(body)) for *_, body in target.requests} == {json.dumps(work.body)}


def test_failed_answer_raises_load_error(target: Target) -> None:
    with pytest.raises(LoadError):
        apply_load(target.url, Workload(["/wrong"]), connections=1, seconds=0.3)
