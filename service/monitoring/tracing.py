"""Sends spans of requests and detections to an OpenTelemetry collector, if one is configured.

A span contains route, status and duration, but no path, query, header, body, address, user or exception text.
FastAPI's own telemetry, which records these, is switched off (`service.app`).
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
"""Time limit for the collector; spans that it does not accept by then are lost when the service ends."""


class Tracing:
    """Creates spans. A thread of OpenTelemetry sends them in batches, and discards them if it cannot."""

    def __init__(self, endpoint: str) -> None:
        """`endpoint`: the address of the collector, for example http://127.0.0.1:4318."""
        resource = Resource({SERVICE_NAME: "walkaround", SERVICE_VERSION: __version__})
        # Not the global provider, so that no other code in the process sends spans.
        self._provider = TracerProvider(resource=resource)
        exporter = OTLPSpanExporter(f"{endpoint.rstrip('/')}/v1/traces", timeout=SEND_SECONDS)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("walkaround", __version__)
        self._parents = TraceContextTextMapPropagator()

    def request(
        self, method: str, route: str | None, status: int, seconds: float, number: str, headers: Headers
    ) -> None:
        """Create the span of an answered request, in the trace of the client's `traceparent` if any."""
        end_time = time.time_ns()
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
            start_time=end_time - int(seconds * 1e9),
        )
        if status >= 500:
            span.set_status(Status(StatusCode.ERROR))
        span.end(end_time)

    def detection(self, kind: str | None, outcome: str, seconds: float) -> None:
        """Create the span of an attempt at a detection job."""
        end_time = time.time_ns()
        span = self._tracer.start_span(
            "detection",
            Context(),
            attributes={"walkaround.model_kind": kind or "unknown", "walkaround.outcome": outcome},
            start_time=end_time - int(seconds * 1e9),
        )
        if outcome == "failed":
            span.set_status(Status(StatusCode.ERROR))
        span.end(end_time)

    def stop(self) -> None:
        """Send the remaining spans and stop."""
        self._provider.shutdown()
