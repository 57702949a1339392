"""Measures how fast the service creates, reads, searches and lists records and items, compared to a floor.

    python -m benchmarks.service [--records N] [--connections N] [--seconds S] [--databases NAME ...]
        [--client wrk|httpx] [--starts N]

A real service process answers over loopback with a database of N records: SQLite, and PostgreSQL if its
server programs are installed, which writes through to the disk as in production. Prints one JSON line per
figure (`benchmarks/figures.py`): requests per second, the 50th and 99th percentiles of their times in ms
(`p50`, `p99`), and the processor time of the service per request in microseconds (`processor`), which depends
least on the other load of the machine. The floor is a minimal JSON answer of Starlette under uvicorn
(`benchmarks/bare_starlette.py`) with the same load, measured before each database. `benchmarks/load.py`
applies the load. The last figure is the time from the start of the process until it accepts requests.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import httpx

from benchmarks.bare_starlette import run_bare_starlette
from benchmarks.database_rows import (
    HALF_STATUS,
    ITEMS_PER_RECORD,
    count_audit_entries,
    count_records_with_items,
    count_tasks,
    fill_records,
)
from benchmarks.figures import ROOT, Machine, print_figure, print_skipped, processor_seconds
from benchmarks.load import CLIENTS, LoadError, Workload, apply_load, default_client
from shared.system.paths import program_command
from tests import postgresql

DATABASES = ("sqlite", "postgresql")
PAGE = 20
_REQUEST_COUNT = 2_000
"""Number of different requests of a kind, so that a cache of a few rows does not help."""
_TASK_PAGES = 10
_STATUS_PAGES = 50
_CHECKED_COUNT = 20


class RunningService(NamedTuple):
    """A running service process: its address, process id, and the seconds until it accepted requests."""

    url: str
    pid: int
    ready_after: float


@contextmanager
def run_service(data_dir: Path, database_url: str) -> Iterator[RunningService]:
    """Run a service process with a database."""
    settings = {
        "WALKAROUND_DATABASE_URL": database_url,
        "WALKAROUND_LOG_LEVEL": "WARNING",
        "WALKAROUND_ACCESS_TOKEN_SECONDS": "86400",
    }
    command = program_command("serve", "--port", "0", "--data-dir", str(data_dir))
    start = time.perf_counter()
    with subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **settings}, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            url = json.loads(process.stdout.readline())["url"]
            yield RunningService(url, process.pid, time.perf_counter() - start)
        finally:
            process.terminate()


def create_workloads(ids: Sequence[str]) -> dict[str, tuple[Workload, Callable[[Any], bool]]]:
    """Return the measured workloads, each with a function that checks `data` of an answer."""
    draw = random.Random(3)
    records = len(ids)

    def create_searches(queries: Callable[[], dict[str, Any]]) -> Workload:
        drawn = ({"page_size": PAGE, **queries()} for _ in range(_REQUEST_COUNT))
        return Workload([f"/api/inspection/search?{urlencode(query)}" for query in drawn])

    def by_task() -> dict[str, Any]:
        return {
            "task_id": f"task-{draw.randrange(count_tasks(records))}",
            "current_page": draw.randint(1, _TASK_PAGES),
        }

    def by_status() -> dict[str, Any]:
        return {
            "inspection_status": HALF_STATUS,
            "current_page": draw.randint(1, max(min(records // 2 // PAGE, _STATUS_PAGES), 1)),
        }

    def is_full_page(data: Any) -> bool:
        return len(data["data"]) == PAGE

    lists = (
        urlencode(
            {
                "inspection_id": draw.choice(ids[: count_records_with_items(records)]),
                "page_size": ITEMS_PER_RECORD,
            }
        )
        for _ in range(_REQUEST_COUNT)
    )
    return {
        "record by id": (
            Workload(
                [f"/api/inspection/getInspectionById/{draw.choice(ids)}" for _ in range(_REQUEST_COUNT)]
            ),
            lambda data: data["inspection_id"] in ids,
        ),
        f"search by task, pages 1 to {_TASK_PAGES}": (create_searches(by_task), is_full_page),
        f"search by status, pages 1 to {_STATUS_PAGES}": (create_searches(by_status), is_full_page),
        "search without filter, last page": (
            create_searches(lambda: {"current_page": -(-records // PAGE)}),
            lambda data: 0 < len(data["data"]) <= PAGE,
        ),
        f"list of {ITEMS_PER_RECORD} items": (
            Workload([f"/api/inspection_item/list?{query}" for query in lists]),
            lambda data: len(data["data"]) == ITEMS_PER_RECORD,
        ),
        "create with audit entry": (
            Workload(["/api/inspection/create"], {"task_id": "benchmark", "inspection_name": "新"}),
            lambda data: bool(data["inspection_id"]),
        ),
    }


def check_answers(
    url: str, token: str, name: str, work: Workload, is_expected: Callable[[Any], bool]
) -> None:
    """Send some requests, to warm up the service and to check its answers. Raises LoadError."""
    headers = {"Authorization": f"Bearer {token}"}
    method = "GET" if work.body is None else "POST"
    with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
        for path in work.paths[:_CHECKED_COUNT]:
            answer = client.request(method, path, json=work.body)
            body = answer.json()
            if answer.status_code != 200 or body.get("code", 0) != 0 or not is_expected(body["data"]):
                raise LoadError(f"{name}: {answer.status_code} {answer.text[:300]}")


def measure_database(database: str, database_url: str, folder: Path, options: argparse.Namespace) -> None:
    """Fill a database, run the service with it, apply the loads, and measure several starts."""
    folder.mkdir(mode=0o700)
    database_url = database_url or f"sqlite:///{folder / 'walkaround.db'}"
    ids = fill_records(database_url, options.records)
    load_options = {"connections": options.connections, "seconds": options.seconds, "client": options.client}
    with run_bare_starlette() as (url, floor_start):
        floor = apply_load(url, Workload(["/"]), **load_options).per_second
    conditions = {"records": options.records, "connections": options.connections, "client": options.client}
    created = 0
    with run_service(folder, database_url) as (url, pid, _):
        body = {"username": "bench", "password": uuid.uuid4().hex}
        answer = httpx.post(f"{url}/api/auth/first-run", json=body, timeout=60)
        token = answer.json()["data"]["access_token"]
        for name, (work, is_expected) in create_workloads(ids).items():
            check_answers(url, token, name, work, is_expected)
            before = processor_seconds(pid)
            load = apply_load(url, work, token=token, **load_options)
            processor = (processor_seconds(pid) - before) / load.requests * 1e6
            created += load.requests + 1 if work.body is not None else 0
            details: dict[str, Any] = {
                "p50": round(load.p50, 2),
                "p99": round(load.p99, 2),
                "processor": round(processor),
            }
            print_figure(
                f"{database}: {name}", load.per_second, "requests/s", floor=floor, **details, **conditions
            )
    entries = count_audit_entries(database_url, "record", "create")
    if entries < created:
        raise LoadError(f"{created} records were created, but the audit log has {entries} entries")
    starts = []
    for _ in range(options.starts):
        with run_service(folder, database_url) as service:
            starts.append(service.ready_after)
    print_figure(
        f"{database}: ready after start", statistics.median(starts), "s", floor=floor_start, **conditions
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure each database."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.service",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=4.0, help="for each figure; wrk counts whole ones")
    parser.add_argument("--databases", nargs="+", choices=DATABASES, default=DATABASES)
    parser.add_argument("--client", choices=CLIENTS, default=default_client())
    parser.add_argument("--starts", type=int, default=3)
    options = parser.parse_args(arguments)
    print(Machine.detect().description, file=sys.stderr)
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
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
            measure_database(database, url, Path(name) / database, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
