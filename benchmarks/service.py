"""Measures how fast records and items are created, read, searched and listed, against a floor.

    python -m benchmarks.service [--records N] [--connections N] [--seconds S] [--databases NAME ...]
        [--client wrk|httpx] [--starts N]

A real service process answers over loopback on a database filled with N records: SQLite, and PostgreSQL where
its server programs are installed, which then flushes to the disk as it does in use. Prints one JSON line per
figure (`benchmarks/figures.py`): requests a second with the milliseconds that half (`p50`) and 99 of 100 of
them (`p99`) took, and the microseconds of processor time that one cost the service (`processor`), which
depend least on what else the machine does. The floor is a bare JSON answer of Starlette under uvicorn
(`benchmarks/bare.py`), put under the same load before each database; the ratio is the share of it that is
reached. `benchmarks/load.py` says what puts the load on. The last figure is the time from starting the
process until it accepts requests.
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

from benchmarks.bare import bare
from benchmarks.figures import ROOT, Machine, print_figure, print_skipped, processor_seconds
from benchmarks.load import CLIENTS, LoadError, Work, installed_client, put_load
from benchmarks.records import HALF, ITEMS, audited, fill, task_count, with_items
from shared.paths import program_command
from tests import postgresql

DATABASES = ("sqlite", "postgresql")
PAGE = 20
_REQUESTS = 2_000
"""So many different requests of a kind, so that no cache of a few rows answers."""
_TASK_PAGES = 10
_CHECKED = 20


class Served(NamedTuple):
    """A running service process: its address, its id, and the seconds until it accepted requests."""

    url: str
    pid: int
    ready_after: float


@contextmanager
def served(data_dir: Path, database_url: str) -> Iterator[Served]:
    """A service process on a database."""
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
            yield Served(url, process.pid, time.perf_counter() - start)
        finally:
            process.terminate()


def works(ids: Sequence[str]) -> dict[str, tuple[Work, Callable[[Any], bool]]]:
    """What is measured: the requests, and whether `data` of an answer to one is what was asked for."""
    draw = random.Random(3)
    records = len(ids)

    def searches(queries: Callable[[], dict[str, Any]]) -> Work:
        drawn = ({"page_size": PAGE, **queries()} for _ in range(_REQUESTS))
        return Work([f"/api/inspection/search?{urlencode(query)}" for query in drawn])

    def by_task() -> dict[str, Any]:
        return {
            "task_id": f"task-{draw.randrange(task_count(records))}",
            "current_page": draw.randint(1, _TASK_PAGES),
        }

    def by_status() -> dict[str, Any]:
        return {"inspection_status": HALF, "current_page": draw.randint(1, max(records // 2 // PAGE, 1))}

    def full_page(data: Any) -> bool:
        return len(data["data"]) == PAGE

    lists = (
        urlencode({"inspection_id": draw.choice(ids[: with_items(records)]), "page_size": ITEMS})
        for _ in range(_REQUESTS)
    )
    return {
        "record by id": (
            Work([f"/api/inspection/getInspectionById/{draw.choice(ids)}" for _ in range(_REQUESTS)]),
            lambda data: data["inspection_id"] in ids,
        ),
        f"search by task, pages 1 to {_TASK_PAGES}": (searches(by_task), full_page),
        "search by status, any page": (searches(by_status), full_page),
        "search without filter, last page": (
            searches(lambda: {"current_page": -(-records // PAGE)}),
            lambda data: 0 < len(data["data"]) <= PAGE,
        ),
        f"list of {ITEMS} items": (
            Work([f"/api/inspection_item/list?{query}" for query in lists]),
            lambda data: len(data["data"]) == ITEMS,
        ),
        "create with audit entry": (
            Work(["/api/inspection/create"], {"task_id": "benchmark", "inspection_name": "新"}),
            lambda data: bool(data["inspection_id"]),
        ),
    }


def check(url: str, token: str, name: str, work: Work, right: Callable[[Any], bool]) -> None:
    """Ask some times, so that what is timed is warm and the answer that is meant. Raises LoadError."""
    headers = {"Authorization": f"Bearer {token}"}
    method = "GET" if work.body is None else "POST"
    with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
        for path in work.paths[:_CHECKED]:
            answer = client.request(method, path, json=work.body)
            body = answer.json()
            if answer.status_code != 200 or body.get("code", 0) != 0 or not right(body["data"]):
                raise LoadError(f"{name}: {answer.status_code} {answer.text[:300]}")


def measure(database: str, database_url: str, folder: Path, options: argparse.Namespace) -> None:
    """Fill a database, serve it, put load on it, start again and again."""
    folder.mkdir(mode=0o700)
    database_url = database_url or f"sqlite:///{folder / 'walkaround.db'}"
    ids = fill(database_url, options.records)
    put = {"connections": options.connections, "seconds": options.seconds, "client": options.client}
    with bare() as (url, floor_start):
        floor = put_load(url, Work(["/"]), **put).per_second
    conditions = {"records": options.records, "connections": options.connections, "client": options.client}
    created = 0
    with served(folder, database_url) as (url, pid, _):
        body = {"username": "bench", "password": uuid.uuid4().hex}
        token = httpx.post(f"{url}/api/auth/first-run", json=body).json()["data"]["access_token"]
        for name, (work, right) in works(ids).items():
            check(url, token, name, work, right)
            before = processor_seconds(pid)
            load = put_load(url, work, token=token, **put)
            processor = (processor_seconds(pid) - before) / load.requests * 1e6
            created += load.requests + 1 if work.body is not None else 0
            more: dict[str, Any] = {
                "p50": round(load.p50, 2),
                "p99": round(load.p99, 2),
                "processor": round(processor),
            }
            print_figure(
                f"{database}: {name}", load.per_second, "requests/s", floor=floor, **more, **conditions
            )
    entries = audited(database_url, "record", "create")
    if entries < created:
        raise LoadError(f"{created} records were created, and {entries} entries of the audit log say so")
    starts = []
    for _ in range(options.starts):
        with served(folder, database_url) as service:
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
    parser.add_argument("--client", choices=CLIENTS, default=installed_client())
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
            measure(database, url, Path(name) / database, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
