"""Reads the figures of the machine and the database at the moment of a scrape."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

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
