"""Measures the time of the charts of a million records, and how fast records are counted.

    python -m benchmarks.statistics [--records N] [--days N] [--databases NAME ...]

Fills SQLite, and PostgreSQL if its server programs are installed, with N records over the given days
(`benchmarks/database_rows.py`), every fourth with an item and findings. Counts them as the first start after
an upgrade does, then requests each chart from the running application: of all days, of the last year, of one
aircraft, one executor and both. A figure is the slowest median of these. The floor is an answer of the same
application without a query.
"""

from __future__ import annotations

import argparse
import datetime as dt
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from benchmarks.database_rows import Years, fill_inspections
from benchmarks.figures import print_figure, print_skipped, time_calls
from service.app import create_app
from service.db.database import Database
from service.settings import Settings
from service.statistics.service import StatisticsService
from tests import postgresql

DATABASES = ("sqlite", "postgresql")
CHARTS = ("records", "findings/label", "findings/aircraft", "findings/region", "durations", "agreement")
GOAL_MS = 200
_END = dt.datetime(2026, 6, 30, 12, tzinfo=dt.UTC)
_REPETITIONS = 7


def list_filters(days: int) -> list[dict[str, Any]]:
    """Return the filters with which each chart is measured."""
    until = {"day_to": _END.date().isoformat()}
    year = until | {"day_from": (_END - dt.timedelta(days=365)).date().isoformat()}
    plane, executor = {"aircraft_id": "aircraft-7"}, {"executor_id": "inspector-3"}
    return [until, year, until | plane, until | executor, until | plane | executor, year | plane]


def measure_charts(database: str, url: str, folder: Path, options: argparse.Namespace) -> None:
    """Fill a database, count its records and measure every chart."""
    fill_inspections(url, Years(options.records, options.days, _END, with_items=4))
    counting = Database(url)
    try:
        start = time.perf_counter()
        count = StatisticsService(counting).rebuild()
        seconds = time.perf_counter() - start
    finally:
        counting.close()
    conditions = {"records": count, "days": options.days}
    print_figure(f"{database}: recounting", count / seconds, "records/s", **conditions)
    app = create_app(Settings(data_dir=folder, database_url=url, bcrypt_cost=4))
    with TestClient(app, "http://localhost", client=("127.0.0.1", 50000)) as client:
        body = {"username": "chief", "password": "correct-horse-battery"}
        token = client.post("/api/auth/first-run", json=body).json()["data"]["access_token"]
        client.headers["Authorization"] = f"Bearer {token}"
        floor = statistics.median(time_calls(lambda: client.get("/healthz"), _REPETITIONS * 3, 2))
        for chart in CHARTS:
            slowest = 0.0
            slowest_filters: dict[str, Any] = {}
            for filters in list_filters(options.days):

                def request_chart(filters: dict[str, Any] = filters, chart: str = chart) -> None:
                    client.get(f"/api/statistics/{chart}", params=filters).raise_for_status()

                median_ms = statistics.median(time_calls(request_chart, _REPETITIONS, 1))
                slowest, slowest_filters = max(
                    (slowest, slowest_filters), (median_ms, filters), key=lambda pair: pair[0]
                )
            filter_names = " ".join(sorted(slowest_filters)) or "none"
            print_figure(
                f"{database}: chart {chart}",
                slowest,
                "ms",
                goal=GOAL_MS,
                floor=floor,
                filters=filter_names,
                **conditions,
            )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark with each database."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.statistics",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--days", type=int, default=3_650)
    parser.add_argument("--databases", nargs="+", choices=DATABASES, default=DATABASES)
    options = parser.parse_args(arguments)
    place = postgresql.find_binaries()
    for database in options.databases:
        if database == "postgresql" and place is None:
            print_skipped(f"{database}: charts", "no PostgreSQL server here")
            continue
        with ExitStack() as stack:
            folder = Path(tempfile.mkdtemp(prefix="walkaround-statistics-"))
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            url = f"sqlite:///{folder / 'walkaround.db'}"
            if database == "postgresql":
                assert place is not None
                server = postgresql.Server(place, fsync="on")
                stack.callback(server.stop)
                server.execute("CREATE DATABASE charts")
                url = server.url("charts")
            measure_charts(database, url, folder, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
