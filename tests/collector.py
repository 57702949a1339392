"""A collector of OpenTelemetry traces for tests: a plain HTTP server that stores the requests."""

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
    """The requests that arrived, in order: paths and bodies."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.received: list[tuple[str, bytes]] = []
        self.changed = threading.Condition()

    def add(self, path: str, body: bytes) -> None:
        """Store a request."""
        with self.changed:
            self.received.append((path, body))
            self.changed.notify_all()

    @property
    def spans(self) -> list[Span]:
        """All spans that arrived."""
        spans: list[Span] = []
        for path, body in list(self.received):
            assert path == "/v1/traces"
            for resource_spans in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope_spans in resource_spans.scope_spans:
                    spans += scope_spans.spans
        return spans

    def wait_for_spans(self, number: int, seconds: float = 60) -> list[Span]:
        """Wait until `number` spans have arrived, and return all of them."""
        deadline = time.monotonic() + seconds
        with self.changed:
            while len(self.spans) < number:
                remaining = deadline - time.monotonic()
                assert remaining > 0, f"only {len(self.spans)} of {number} spans arrived"
                self.changed.wait(remaining)
        return self.spans


@contextlib.contextmanager
def running_collector() -> Iterator[Collector]:
    """A collector that listens on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            collector.add(self.path, body)
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
