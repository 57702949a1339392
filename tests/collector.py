"""Collects OpenTelemetry traces for tests, with an HTTP server."""

from __future__ import annotations

import contextlib
import gzip
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span


class Collector:
    """The received requests in their order: paths and bodies."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.received: list[tuple[str, bytes]] = []
        self.condition = threading.Condition()

    def add_request(self, path: str, body: bytes) -> None:
        """Store a request."""
        with self.condition:
            self.received.append((path, body))
            self.condition.notify_all()

    @property
    def spans(self) -> list[Span]:
        """All received spans."""
        spans: list[Span] = []
        for path, body in list(self.received):
            assert path == "/v1/traces"
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    spans += scope.spans
        return spans

    def wait_for_spans(self, number: int, seconds: float = 60) -> list[Span]:
        """Wait for `number` spans and return all received ones."""
        deadline = time.monotonic() + seconds
        with self.condition:
            while len(self.spans) < number:
                remaining = deadline - time.monotonic()
                assert remaining > 0, f"only {len(self.spans)} of {number} spans arrived"
                self.condition.wait(remaining)
        return self.spans


@contextlib.contextmanager
def running_collector() -> Iterator[Collector]:
    """Run a collector on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            collector.add_request(self.path, body)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    collector = Collector(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield collector
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
