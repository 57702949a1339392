"""Reads what the machine and the database hold at the moment of a scrape."""

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
"""How long a scrape waits for the database. Prometheus gives up after ten seconds."""


@dataclass(frozen=True, slots=True)
class StoredFigures:
    """What the database says: jobs and items that wait, the age of the oldest, and live sessions."""

    queued_jobs: int
    running_jobs: int
    oldest_queued_seconds: float
    batch_items: int
    sessions: int


class FiguresCollector(Collector):
    """Gives the figures that are read, not counted: disk, database files, queue and sessions.

    `read` asks the database, on a thread of this object. `database_file` is that of SQLite.
    """

    def __init__(self, read: Callable[[], StoredFigures], data_dir: Path, database_file: Path | None) -> None:
        self._read = read
        self._data_dir = data_dir
        self._database_file = database_file
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="metrics")
        self._pending: Future[StoredFigures] | None = None

    def close(self) -> None:
        """Release the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def describe(self) -> Iterable[Metric]:
        """Nothing: the registry would otherwise collect once to learn the names."""
        return []

    def collect(self) -> Iterable[Metric]:
        """The figures of this moment; without those of the database when it does not answer."""
        info = GaugeMetricFamily(
            "walkaround_info", "The version of the service, always 1.", labels=["version"]
        )
        info.add_metric([__version__], 1)
        yield info
        disk = shutil.disk_usage(self._data_dir)
        yield _gauge("walkaround_disk_free_bytes", "Free bytes where the data directory lies.", disk.free)
        yield _gauge("walkaround_disk_used_bytes", "Used bytes where the data directory lies.", disk.used)
        if self._database_file is not None:
            wal = self._database_file.with_name(self._database_file.name + "-wal")
            for name, path in (("file", self._database_file), ("wal", wal)):
                size = path.stat().st_size if path.exists() else 0
                yield _gauge(f"walkaround_sqlite_{name}_bytes", f"Size of SQLite's {name}.", size)
        stored = self._stored_figures()
        yield _gauge(
            "walkaround_database_up", "Whether the database answered this scrape.", stored is not None
        )
        if stored is not None:
            jobs = GaugeMetricFamily(
                "walkaround_detection_jobs", "Detection jobs that are not finished.", labels=["state"]
            )
            jobs.add_metric(["queued"], stored.queued_jobs)
            jobs.add_metric(["running"], stored.running_jobs)
            yield jobs
            yield _gauge(
                "walkaround_detection_oldest_queued_seconds",
                "How long the oldest queued job waits; 0 without any.",
                stored.oldest_queued_seconds,
            )
            yield _gauge(
                "walkaround_detection_batch_items",
                "Items of batches for which jobs are still to be made.",
                stored.batch_items,
            )
            yield _gauge("walkaround_sessions", "Sessions that have not ended.", stored.sessions)

    def _stored_figures(self) -> StoredFigures | None:
        # One question at a time: a database that does not answer must not take a thread for each scrape.
        if self._pending is None:
            self._pending = self._thread.submit(self._read)
        try:
            figures = self._pending.result(timeout=ANSWER_SECONDS)
        except TimeoutError:
            if not self._pending.done():
                return None
            figures = None
        except Exception as problem:
            log.debug("the figures of the database cannot be read: %s", trace_of(problem))
            figures = None
        self._pending = None
        return figures


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)
