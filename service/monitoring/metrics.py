"""Counts what the service does, for Prometheus.

Labels are only routes, states and other words of a fixed list, never a path, an ID or a name. With several
service processes (`PROMETHEUS_MULTIPROC_DIR` is set before this module is imported), each process counts in
its own files, and every process returns the sums.

Reads the figures of the machine and the database at the moment of a scrape.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from service.changes import ObjectChange
from service.db.database import Database
from service.db.storage_faults import classify_storage_fault
from service.db.write_queue import Kind
from service.exception_trace import trace_of
from shared import __version__

log = logging.getLogger("walkaround.metrics")

ANSWER_SECONDS = 3.0
"""How long a scrape waits for the database. The time limit of Prometheus is ten seconds."""


@dataclass(frozen=True, slots=True)
class StoredFigures:
    """The figures from the database: waiting jobs and items, the age of the oldest job, and live sessions."""

    queued_jobs: int
    running_jobs: int
    oldest_queued_seconds: float
    batch_items: int
    sessions: int


class FiguresCollector(Collector):
    """Collects the figures that are read at each scrape: disk, database files, queue and sessions.

    `read_stored` reads the database, on a thread of this object. `database_file` is the file of SQLite.
    """

    def __init__(
        self, read_stored: Callable[[], StoredFigures], data_dir: Path, database_file: Path | None
    ) -> None:
        self._read_stored = read_stored
        self._data_dir = data_dir
        self._database_file = database_file
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="metrics")
        self._pending_read: Future[StoredFigures] | None = None

    def close(self) -> None:
        """Release the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def describe(self) -> Iterable[Metric]:
        """Return nothing; without this method the registry would collect once to find the names."""
        return []

    def collect(self) -> Iterable[Metric]:
        """Yield the current figures; those of the database only if it answers."""
        info = GaugeMetricFamily(
            "walkaround_info", "The version of the service, always 1.", labels=["version"]
        )
        info.add_metric([__version__], 1)
        yield info
        disk = shutil.disk_usage(self._data_dir)
        yield _gauge("walkaround_disk_free_bytes", "Free bytes where the data folder lies.", disk.free)
        yield _gauge("walkaround_disk_used_bytes", "Used bytes where the data folder lies.", disk.used)
        if self._database_file is not None:
            wal = self._database_file.with_name(self._database_file.name + "-wal")
            for name, path in (("file", self._database_file), ("wal", wal)):
                size = path.stat().st_size if path.exists() else 0
                yield _gauge(f"walkaround_sqlite_{name}_bytes", f"Size of SQLite's {name}.", size)
        figures = self._stored_figures()
        yield _gauge(
            "walkaround_database_up", "Whether the database answered this scrape.", figures is not None
        )
        if figures is not None:
            jobs = GaugeMetricFamily(
                "walkaround_detection_jobs", "Detection jobs that are not finished.", labels=["state"]
            )
            jobs.add_metric(["queued"], figures.queued_jobs)
            jobs.add_metric(["running"], figures.running_jobs)
            yield jobs
            yield _gauge(
                "walkaround_detection_oldest_queued_seconds",
                "How long the oldest queued job waits; 0 without any.",
                figures.oldest_queued_seconds,
            )
            yield _gauge(
                "walkaround_detection_batch_items",
                "Items of batches for which jobs are still to be made.",
                figures.batch_items,
            )
            yield _gauge("walkaround_sessions", "Sessions that have not ended.", figures.sessions)

    def _stored_figures(self) -> StoredFigures | None:
        # One query at a time: a database that does not answer must not block a thread for each scrape.
        if self._pending_read is None:
            self._pending_read = self._thread.submit(self._read_stored)
        try:
            figures = self._pending_read.result(timeout=ANSWER_SECONDS)
        except TimeoutError:
            if not self._pending_read.done():
                return None
            figures = None
        except Exception as problem:
            log.debug("the figures of the database cannot be read: %s", trace_of(problem))
            figures = None
        self._pending_read = None
        return figures


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


# These would add a second series to each counter; `walkaround_start_time_seconds` has the same information.
disable_created_metrics()  # type: ignore[no-untyped-call]

SAMPLE_SECONDS = 1.0
"""How often a process samples its state."""

MULTIPROCESS = "PROMETHEUS_MULTIPROC_DIR"
"""The variable with the folder in whose files prometheus_client counts."""

STREAMS = frozenset({"/api/events"})
"""Routes whose answers stay open for hours, so their durations are not counted."""

_REQUEST_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_WAIT_SECONDS = (0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30)
_DETECTION_SECONDS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"})
_LOGIN_METHODS = {"pwd": "password", "face": "face"}
_FAILED_LOGINS = {"login_failed": "password", "face_login_failed": "face"}


class Metrics:
    """The counters of one process, and the text for Prometheus with those of this process or of all."""

    def __init__(self, figures: FiguresCollector) -> None:
        self._registry = CollectorRegistry()
        self._figures = figures
        self._text_registry = text_registry(self._registry, figures)
        self._requests = Histogram(
            "walkaround_http_request_duration_seconds",
            "Seconds from the head of a request to the end of its answer.",
            ("method", "route", "status"),
            buckets=_REQUEST_SECONDS,
            registry=self._registry,
        )
        self._detections = Histogram(
            "walkaround_detection_duration_seconds",
            "Seconds of an attempt at a detection job, by how it ended.",
            ("kind", "outcome"),
            buckets=_DETECTION_SECONDS,
            registry=self._registry,
        )
        self._logins = Counter(
            "walkaround_logins",
            "Logins, by method and outcome.",
            ("method", "outcome"),
            registry=self._registry,
        )
        waits = Histogram(
            "walkaround_database_wait_seconds",
            "Seconds until a thread was free for a read or a write.",
            ("kind",),
            buckets=_WAIT_SECONDS,
            registry=self._registry,
        )
        self._faults = Counter(
            "walkaround_database_faults",
            "Reads and writes that the database or its disk refused.",
            ("why",),
            registry=self._registry,
        )
        kinds: tuple[Kind, Kind] = ("read", "write")
        self._waits = {kind: waits.labels(kind) for kind in kinds}
        self._loop_reads = Counter(
            "walkaround_database_reads_at_once", "Reads that waited for no thread.", registry=self._registry
        )
        self._lag = Gauge(
            "walkaround_event_loop_lag_seconds",
            "How late the event loop came back to a timer; of several processes the worst.",
            registry=self._registry,
            multiprocess_mode="livemax",
        )
        self._streams = Gauge(
            "walkaround_event_streams",
            "Open event streams.",
            registry=self._registry,
            multiprocess_mode="livesum",
        )
        self._connections = Gauge(
            "walkaround_postgresql_connections",
            "Connections to PostgreSQL, in use and idle.",
            ("state",),
            registry=self._registry,
            multiprocess_mode="livesum",
        )
        start_time = Gauge(
            "walkaround_start_time_seconds",
            "When the service started, in seconds since 1970.",
            registry=self._registry,
            multiprocess_mode="min",
        )
        start_time.set(time.time())

    def text(self, accept: str = "") -> tuple[bytes, str]:
        """Return all metrics and their content type, in the format that the header `accept` requests."""
        return metrics_text(self._text_registry, accept)

    def close(self) -> None:
        """Close the collector of figures."""
        self._figures.close()

    # Counting

    def request(
        self, method: str, route: str | None, status: int, seconds: float, _number: str, _headers: object
    ) -> None:
        """Count an answered request."""
        if route in STREAMS:
            return
        group = f"{status // 100}xx" if status else "aborted"
        method = method if method in _METHODS else "other"
        self._requests.labels(method, route or "other", group).observe(seconds)

    def detection(self, kind: str | None, outcome: str, seconds: float) -> None:
        """Count an attempt at a detection job."""
        self._detections.labels(kind or "unknown", outcome).observe(seconds)

    def changes(self, changes: Sequence[ObjectChange]) -> None:
        """Count the logins in committed changes."""
        for change in changes:
            if change.action == "login":
                methods = change.details.get("methods", ())
                names = sorted(_LOGIN_METHODS.get(method, "other") for method in methods)
                self._logins.labels("+".join(names), "accepted").inc()
            elif change.action in _FAILED_LOGINS:
                self._logins.labels(_FAILED_LOGINS[change.action], "refused").inc()

    # `service.db.write_queue.Watch`

    def record_wait(self, kind: Kind, seconds: float) -> None:
        """Count a read or a write that waited for a thread."""
        self._waits[kind].observe(seconds)

    def record_immediate_read(self) -> None:
        """Count a read on the event loop."""
        self._loop_reads.inc()

    def record_failure(self, problem: Exception) -> None:
        """Count a fault of the database or of its disk."""
        cause = classify_storage_fault(problem)
        if cause is not None:
            self._faults.labels(str(cause)).inc()

    async def sample(self, database: Database, streams: Callable[[], int]) -> None:
        """Sample the state of this process every `SAMPLE_SECONDS` until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            start = loop.time()
            await asyncio.sleep(SAMPLE_SECONDS)
            self._lag.set(max(0.0, loop.time() - start - SAMPLE_SECONDS))
            self._streams.set(streams())
            if not database.is_sqlite:
                pool = database.reader.pool
                self._connections.labels("used").set(pool.checkedout())  # type: ignore[attr-defined]
                self._connections.labels("idle").set(pool.checkedin())  # type: ignore[attr-defined]


def text_registry(process_registry: CollectorRegistry, figures: FiguresCollector) -> CollectorRegistry:
    """Return a registry with the figures and the counts of this process, or of all processes."""
    if MULTIPROCESS not in os.environ:
        process_registry.register(figures)
        return process_registry
    merged_registry = CollectorRegistry()
    MultiProcessCollector(merged_registry)  # type: ignore[no-untyped-call]
    merged_registry.register(figures)
    return merged_registry


def metrics_text(registry: CollectorRegistry, accept: str) -> tuple[bytes, str]:
    """Return the metrics of a registry and their content type, in the format that `accept` requests."""
    encode, content_type = choose_encoder(accept)
    return encode(registry), content_type
