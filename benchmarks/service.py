"""Measures how fast the service answers requests for records, items and charts.

    python -m benchmarks.service [--records N] [--days N] [--connections N] [--seconds S]
        [--databases NAME ...]

A real service process answers over loopback with a database of N records (`benchmarks/database_rows.py`):
SQLite, and PostgreSQL if its server programs are installed, which writes through to the disk as in
production. Prints one JSON line per figure (`benchmarks/figures.py`):

- requests per second, applied by wrk, the 50th and 99th percentiles of their times in ms (`p50`, `p99`), and
  the processor time of the service per request in microseconds (`processor`), which depends least on the
  other load of the machine. The floor is a minimal JSON answer of Starlette under uvicorn
  (`benchmarks/bare_starlette.py`) with the same load.
- the time of each chart: the slowest median of all days, of the last year, of one aircraft, one executor and
  both. The goal is that of a million records. The floor is an answer of the service without a query.
- the time from the start of the process until it accepts requests.
"""

from __future__ import annotations

import argparse
import datetime as dt
import random
import shutil
import statistics
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx

from benchmarks.bare_starlette import run_bare_starlette
from benchmarks.database_rows import END, HALF_STATUS, ITEMS_PER_RECORD, WITH_ITEMS, count_tasks, fill
from benchmarks.figures import make_parser, print_figure, print_skipped, time_calls
from benchmarks.load import LoadError, Workload, apply_load
from benchmarks.running_service import Service, service
from tests import postgresql

DATABASES = ("sqlite", "postgresql")
CHARTS = ("records", "findings/label", "findings/aircraft", "findings/region", "durations", "agreement")
CHART_MS = 200
_PAGE = 20
_REQUEST_COUNT = 2_000
"""Number of different requests of a kind, so that a cache of a few rows does not help."""
_STATUS_PAGES = 50
_CHECKED_COUNT = 20
_REPETITIONS = 7
_READY_SECONDS = 1.0
_STARTS = 3


def create_workloads(ids: Sequence[str]) -> dict[str, tuple[Workload, Callable[[Any], bool]]]:
    """Return the measured workloads, each with a function that checks `data` of an answer."""
    draw = random.Random(3)
    status_pages = max(min(len(ids) // 2 // _PAGE, _STATUS_PAGES), 1)

    def create(path: str, query: Callable[[], dict[str, Any]]) -> Workload:
        return Workload([f"/api/{path}?{urlencode(query())}" for _ in range(_REQUEST_COUNT)])

    def search(query: Callable[[], dict[str, Any]]) -> Workload:
        return create("inspection/search", lambda: {"page_size": _PAGE, **query()})

    def by_task() -> dict[str, Any]:
        return {
            "task_id": f"task-{draw.randrange(count_tasks(len(ids)))}",
            "current_page": draw.randint(1, 10),
        }

    def by_status() -> dict[str, Any]:
        return {"inspection_status": HALF_STATUS, "current_page": draw.randint(1, status_pages)}

    def items() -> dict[str, Any]:
        return {"inspection_id": draw.choice(ids[::WITH_ITEMS]), "page_size": ITEMS_PER_RECORD}

    def is_full_page(data: Any) -> bool:
        return len(data["data"]) == _PAGE

    records = [f"/api/inspection/getInspectionById/{draw.choice(ids)}" for _ in range(_REQUEST_COUNT)]
    creates = Workload(["/api/inspection/create"], {"task_id": "benchmark", "inspection_name": "新"})
    return {
        "record by id": (Workload(records), lambda data: data["inspection_id"] in ids),
        "search by task, pages 1 to 10": (search(by_task), is_full_page),
        f"search by status, pages 1 to {_STATUS_PAGES}": (search(by_status), is_full_page),
        "search without filter, last page": (
            search(lambda: {"current_page": -(-len(ids) // _PAGE)}),
            lambda data: 0 < len(data["data"]) <= _PAGE,
        ),
        f"list of {ITEMS_PER_RECORD} items": (
            create("inspection_item/list", items),
            lambda data: len(data["data"]) == ITEMS_PER_RECORD,
        ),
        "create with audit entry": (creates, lambda data: bool(data["inspection_id"])),
    }


def check_answers(
    client: httpx.Client, name: str, work: Workload, is_expected: Callable[[Any], bool]
) -> None:
    """Send some requests, to warm up the service and to check its answers. Raises LoadError."""
    method = "GET" if work.body is None else "POST"
    for path in work.paths[:_CHECKED_COUNT]:
        answer = client.request(method, path.removeprefix("/api"), json=work.body)
        body = answer.json()
        if answer.status_code != 200 or body.get("code", 0) != 0 or not is_expected(body["data"]):
            raise LoadError(f"{name}: {answer.status_code} {answer.text[:300]}")


def measure_rates(database: str, running: Service, ids: Sequence[str], options: argparse.Namespace) -> None:
    """Print the requests per second of each workload."""
    if shutil.which("wrk") is None:
        print_skipped(f"{database}: requests per second", "wrk is not installed")
        return
    load_options = {"connections": options.connections, "seconds": options.seconds}
    with run_bare_starlette() as bare:
        floor = apply_load(bare, Workload(["/"]), **load_options).per_second
    token = running.client.headers["Authorization"].removeprefix("Bearer ")
    url = str(running.client.base_url.copy_with(path="/")).rstrip("/")
    for name, (work, is_expected) in create_workloads(ids).items():
        check_answers(running.client, name, work, is_expected)
        before = running.cpu_seconds()
        load = apply_load(url, work, token=token, **load_options)
        processor = round((running.cpu_seconds() - before) / load.requests * 1e6)
        times: dict[str, Any] = {"p50": round(load.p50, 2), "p99": round(load.p99, 2), "processor": processor}
        conditions = {"records": options.records, "connections": options.connections}
        rate = load.per_second
        print_figure(f"{database}: {name}", rate, "requests/s", floor=floor, **times, **conditions)


def measure_charts(database: str, client: httpx.Client, options: argparse.Namespace) -> None:
    """Print the time of each chart."""
    until = {"day_to": END.date().isoformat()}
    year = until | {"day_from": (END - dt.timedelta(days=365)).date().isoformat()}
    plane, executor = {"aircraft_id": "aircraft-7"}, {"executor_id": "inspector-3"}
    health = str(client.base_url.copy_with(path="/healthz"))
    floor = statistics.median(time_calls(lambda: client.get(health), _REPETITIONS * 3, 2))
    for chart in CHARTS:
        slowest, filters = 0.0, ""
        for query in (until, year, until | plane, until | executor, until | plane | executor, year | plane):

            def request_chart(chart: str = chart, query: dict[str, str] = query) -> None:
                client.get(f"/statistics/{chart}", params=query).raise_for_status()

            median = statistics.median(time_calls(request_chart, _REPETITIONS, 1))
            slowest, filters = max((slowest, filters), (median, " ".join(sorted(query))))
        conditions = {"filters": filters, "records": options.records, "days": options.days}
        print_figure(f"{database}: chart {chart}", slowest, "ms", goal=CHART_MS, floor=floor, **conditions)


def measure_database(database: str, url: str, options: argparse.Namespace) -> None:
    """Fill a database and measure the service with it. `url` is empty for SQLite."""
    ids: list[str] = []

    def fill_folder(folder: Path) -> None:
        folder.mkdir(mode=0o700)
        ids.extend(fill(url or f"sqlite:///{folder / 'walkaround.db'}", options.records, options.days))

    settings = {"WALKAROUND_LOG_LEVEL": "WARNING", "WALKAROUND_ACCESS_TOKEN_SECONDS": "86400"}
    if url:
        settings["WALKAROUND_DATABASE_URL"] = url
    with service(fill_folder, **settings) as running:
        measure_charts(database, running.client, options)
        measure_rates(database, running, ids, options)
        starts = []
        for _ in range(_STARTS):
            running.stop()
            running.start()
            starts.append(running.ready_after)
        print_figure(f"{database}: ready after start", statistics.median(starts), "s", goal=_READY_SECONDS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure each database."""
    parser = make_parser(__doc__, records=100_000, days=3_650, connections=16, seconds=4.0)
    parser.add_argument("--databases", nargs="+", choices=DATABASES, default=DATABASES)
    options = parser.parse_args(arguments)
    with ExitStack() as stack:
        for database in options.databases:
            url = ""
            if database == "postgresql":
                programs = postgresql.find_binaries()
                if programs is None:
                    print_skipped(database, "there is no PostgreSQL server on this machine")
                    continue
                server = postgresql.Server(programs, fsync="on")
                stack.callback(server.stop)
                server.execute("CREATE DATABASE benchmark")
                url = server.url("benchmark")
            measure_database(database, url, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
