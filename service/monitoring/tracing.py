"""Sends spans of requests and detections to an OpenTelemetry collector, where one is configured.

A span says which route, which status and how long: no path, query, header, body, address, user or text of an
exception. FastAPI's own telemetry, which records such things, is switched off (`service.app`).
"""

from __future__ import annotations

import time

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.datastructures import Headers

from shared import __version__

SEND_SECONDS = 2
"""How long the collector may take; the service ends without what it does not take."""


class Tracing:
    """Makes the spans; a thread of OpenTelemetry's sends them in batches, and drops them when it cannot."""

    def __init__(self, endpoint: str) -> None:
        """`endpoint`: the address of the collector, for example http://127.0.0.1:4318."""
        resource = Resource({SERVICE_NAME: "walkaround", SERVICE_VERSION: __version__})
        # Not the global provider: nothing else in the process shall send spans.
        self._provider = TracerProvider(resource=resource)
        exporter = OTLPSpanExporter(f"{endpoint.rstrip('/')}/v1/traces", timeout=SEND_SECONDS)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("walkaround", __version__)
        self._parents = TraceContextTextMapPropagator()

    def request(
        self, method: str, route: str | None, status: int, seconds: float, number: str, headers: Headers
    ) -> None:
        """A span of an answered request, in the trace that the client's `traceparent` names, if it does."""
        ended = time.time_ns()
        attributes: dict[str, str | int] = {
            "http.request.method": method,
            "walkaround.request_id": number,
        }
        if route is not None:
            attributes["http.route"] = route
        if status:
            attributes["http.response.status_code"] = status
        parent = self._parents.extract({"traceparent": headers.get("traceparent", "")}, Context())
        span = self._tracer.start_span(
            f"{method} {route}" if route is not None else method,
            parent,
            SpanKind.SERVER,
            attributes,
            start_time=ended - int(seconds * 1e9),
        )
        if status >= 500:
            span.set_status(Status(StatusCode.ERROR))
        span.end(ended)

    def detection(self, kind: str | None, outcome: str, seconds: float) -> None:
        """A span of an attempt at a detection job."""
        ended = time.time_ns()
        span = self._tracer.start_span(
            "detection",
            Context(),
            attributes={"walkaround.model_kind": kind or "unknown", "walkaround.outcome": outcome},
            start_time=ended - int(seconds * 1e9),
        )
        if outcome == "failed":
            span.set_status(Status(StatusCode.ERROR))
        span.end(ended)

    def stop(self) -> None:
        """Send what is left, and end."""
        self._provider.shutdown()
