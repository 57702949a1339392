"""A collector of OpenTelemetry traces for tests: a plain HTTP server that keeps what it is sent."""

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
    """What arrived, in the order of its arrival: paths and bodies."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.received: list[tuple[str, bytes]] = []
        self.arrived = threading.Condition()

    def take(self, path: str, body: bytes) -> None:
        """Keep a body."""
        with self.arrived:
            self.received.append((path, body))
            self.arrived.notify_all()

    @property
    def spans(self) -> list[Span]:
        """Every span that arrived."""
        spans: list[Span] = []
        for path, body in list(self.received):
            assert path == "/v1/traces"
            for of_resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for of_scope in of_resource.scope_spans:
                    spans += of_scope.spans
        return spans

    def await_spans(self, number: int, seconds: float = 60) -> list[Span]:
        """The spans, once there are so many."""
        deadline = time.monotonic() + seconds
        with self.arrived:
            while len(self.spans) < number:
                left = deadline - time.monotonic()
                assert left > 0, f"only {len(self.spans)} of {number} spans came"
                self.arrived.wait(left)
        return self.spans


@contextlib.contextmanager
def running_collector() -> Iterator[Collector]:
    """A collector that listens on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            collector.take(self.path, body)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

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
