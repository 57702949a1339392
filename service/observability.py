"""Connects metrics, traces and JSON logs (`service.monitoring`) to requests, detections and the database."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlmodel import Session

from service.account.store import count_sessions
from service.db.database import Database, now
from service.detection.jobs.job_rows import queue_state
from service.detection.service import DetectionService
from service.events.change_feed import ChangeFeed
from service.settings import Settings
from service.tasks import end_tasks
from service.web.middleware import RequestObserver
from shared.system.os_errors import describe_os_error

if TYPE_CHECKING:
    from service.monitoring.endpoint import MetricsServer, MetricsText
    from service.monitoring.metrics import FiguresCollector, Metrics
    from service.monitoring.tracing import Tracing


class MetricsAddressError(Exception):
    """The metrics cannot be served on their address; the text is the reason."""


class Observers:
    """Creates the metrics, traces and log lines that the settings enable, and registers them as observers."""

    def __init__(
        self, database: Database, settings: Settings, detection: DetectionService, change_feed: ChangeFeed
    ) -> None:
        self._database, self._change_feed = database, change_feed
        self.requests: list[RequestObserver] = []
        self.metrics: Metrics | None = None
        self._tracing: Tracing | None = None
        # Imported only if enabled: most services do not use them and so start sooner.
        if settings.has_metrics:
            from service.monitoring.metrics import Metrics

            self.metrics = metrics = Metrics(figures_collector(database, settings))
            self.requests.append(metrics.request)
            detection.observe(lambda end: metrics.detection(*end))
            database.after_commit.append(metrics.changes)
            database.watch = metrics
        if settings.otel_endpoint:
            from service.monitoring.tracing import Tracing

            self._tracing = tracing = Tracing(settings.otel_endpoint)
            self.requests.append(tracing.request)
            detection.observe(lambda end: tracing.detection(*end))
        if settings.log_format == "json":
            from service.monitoring.json_log import log_request

            self.requests.append(log_request)

    @asynccontextmanager
    async def observe_process(self) -> AsyncIterator[None]:
        """Sample the process while the block runs. At the end, send the remaining traces."""
        sampling = None
        if self.metrics is not None:
            sampling = asyncio.create_task(
                self.metrics.sample(self._database, lambda: self._change_feed.reader_count)
            )
        try:
            yield
        finally:
            await end_tasks(sampling)
            if self.metrics is not None:
                self.metrics.close()
            if self._tracing is not None:
                await asyncio.to_thread(self._tracing.stop)


def figures_collector(database: Database, settings: Settings) -> FiguresCollector:
    """The collector of figures about the machine and the database's content, which Prometheus reads."""
    from service.monitoring.metrics import FiguresCollector, StoredFigures

    def read_stored_figures(session: Session) -> StoredFigures:
        at, queue = now(), queue_state(session)
        wait_seconds = max(0.0, (at - queue.oldest).total_seconds()) if queue.oldest is not None else 0.0
        sessions = count_sessions(session, at)
        return StoredFigures(queue.queued, queue.running, wait_seconds, queue.batch_items, sessions)

    file = Path(str(database.url.database)) if database.is_sqlite else None
    return FiguresCollector(lambda: database.read_now(read_stored_figures), settings.data_dir, file)


def serve_metrics(settings: Settings, text: MetricsText) -> MetricsServer | None:
    """Serve the metrics on their address; None if the settings have none. Raises MetricsAddressError."""
    if settings.metrics_address is None:
        return None
    from service.monitoring.endpoint import MetricsServer

    try:
        server = MetricsServer(settings.metrics_address, text, settings.read_metrics_token())
    except OSError as problem:
        raise MetricsAddressError(describe_os_error(problem)) from None
    server.start()
    return server


@contextmanager
def process_metrics(settings: Settings) -> Iterator[Callable[[int], object]]:
    """Collect the metrics of all processes in a temporary folder and serve their sums.

    Yields a function that must be called with the process ID of each process that died.
    """
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="walkaround-metrics-"))
        # prometheus_client reads the variable when it is imported: in this process and in its children.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        from prometheus_client import CollectorRegistry
        from prometheus_client.multiprocess import mark_process_dead

        from service.monitoring.metrics import metrics_text, text_registry

        database = Database(settings.url, settings.statement_seconds)
        stack.callback(database.close)
        figures = figures_collector(database, settings)
        stack.callback(figures.close)
        registry = text_registry(CollectorRegistry(), figures)
        server = serve_metrics(settings, lambda accept: metrics_text(registry, accept))
        if server is not None:
            stack.callback(server.stop)
        yield mark_process_dead
