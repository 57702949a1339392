"""How fast records and items are made, read, searched and listed, against a floor in the same run.

    python -m benchmarks.service [--records N] [--connections N] [--seconds S]

A real service process on a fresh SQLite database filled with N records answers over loopback. The floor is
the same reads and writes by the sqlite3 module on a copy of that database, plus an empty answer of the same
process (`/healthz`) to the same client with as many connections. Prints one JSON line per figure: requests a
second, the median and the 99th percentile in milliseconds, and `ratio`, the median over the floor.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from service.database import Database
from service.inspection.tables import ITEM, RECORD
from service.schema import migrate

STATUSES = ("not_started", "in_progress", "passed", "failed", "cancelled")
ITEMS = 200
POINT = '{"point":{"x":0.1,"y":0.1,"w":0.1,"h":0.1}}'
RESULT = json.dumps(
    [
        {
            "inputImage": {"download_url": "/api/files/x/content"},
            "resultImage": {
                "boxes": [
                    {
                        "label": "裂纹",
                        "confidence": 0.5,
                        "points": {"x1": n, "y1": n, "x2": n + 9, "y2": n + 9},
                    }
                    for n in range(20)
                ]
            },
            "isPassed": False,
            "progress": "done",
            "version": 1,
        }
    ],
    ensure_ascii=False,
    separators=(",", ":"),
)


def fill(path: Path, records: int) -> list[str]:
    """Make the database with `records` records, the oldest with `ITEMS` items; gives the ids by age."""
    database = Database(f"sqlite:///{path}")
    migrate(database)
    database.close()
    draw = random.Random(1)
    ids = [str(uuid.UUID(int=draw.getrandbits(128), version=4)) for _ in range(records)]
    with sqlite3.connect(path) as connection:
        columns = [column.name for column in RECORD.columns]
        connection.executemany(
            f"INSERT INTO record ({','.join(columns)}) VALUES ({','.join('?' * len(columns))})",
            (_record(number, inspection_id, draw) for number, inspection_id in enumerate(ids)),
        )
        columns = [column.name for column in ITEM.columns]
        connection.executemany(
            f"INSERT INTO item ({','.join(columns)}) VALUES ({','.join('?' * len(columns))})",
            (
                (str(uuid.uuid4()), ids[0], f"条目 {n}", None, None, POINT, RESULT, "failed", None, 1)
                + (_moment(n),) * 2
                for n in range(ITEMS)
            ),
        )
        connection.execute("ANALYZE")
    connection.close()
    return ids


def _moment(seconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S.000000", time.gmtime(1_700_000_000 + seconds))


def _record(number: int, inspection_id: str, draw: random.Random) -> tuple[Any, ...]:
    at = _moment(number)
    task, status = f"task-{draw.randrange(5000)}", draw.choice(STATUSES)
    return inspection_id, f"检查 {number}", task, "nobody", None, 0, at, None, status, 1, at, at


@contextmanager
def served(data_dir: Path) -> Iterator[str]:
    """A service process on `data_dir`; gives its address."""
    words = [sys.executable, "-m", "shared", "serve", "--port", "0", "--data-dir", str(data_dir)]
    quiet = {**os.environ, "WALKAROUND_LOG_LEVEL": "WARNING"}
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=quiet)
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["url"]
    finally:
        process.terminate()
        process.wait(30)


Ask = Callable[[httpx.AsyncClient], Any]


async def _drive(url: str, token: str, ask: Ask, connections: int, seconds: float) -> list[float]:
    """Milliseconds of each call that `connections` clients made in `seconds`."""
    took: list[float] = []
    headers = {"Authorization": f"Bearer {token}"}
    ends = time.perf_counter() + seconds

    async def one() -> None:
        async with httpx.AsyncClient(base_url=url, headers=headers, timeout=60) as client:
            while time.perf_counter() < ends:
                begun = time.perf_counter()
                answer = await ask(client)
                took.append((time.perf_counter() - begun) * 1000)
                assert answer.status_code == 200, answer.text[:200]

    await asyncio.gather(*(one() for _ in range(connections)))
    return took


def _floor(work: Callable[[], object], seconds: float) -> list[float]:
    took, ends = [], time.perf_counter() + seconds
    while time.perf_counter() < ends:
        begun = time.perf_counter()
        work()
        took.append((time.perf_counter() - begun) * 1000)
    return took


def report(figure: str, took: Sequence[float], floor: float, seconds: float) -> None:
    """One JSON line; `floor` in milliseconds."""
    ordered = sorted(took)
    median = statistics.median(ordered)
    line = {
        "figure": figure,
        "per_second": round(len(took) / seconds),
        "median_ms": round(median, 3),
        "p99_ms": round(ordered[int(len(ordered) * 0.99)], 3),
        "floor_ms": round(floor, 3),
        "ratio": round(median / floor, 2),
    }
    print(json.dumps(line), flush=True)


def floors(path: Path, ids: Sequence[str]) -> dict[str, Callable[[], object]]:
    """The same work by sqlite3 on the database at `path`: rows read and turned into JSON text."""
    reader = sqlite3.connect(path)
    reader.row_factory = sqlite3.Row
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("PRAGMA synchronous = FULL")
    draw = random.Random(2)

    def rows(statement: str, *values: object) -> str:
        return json.dumps([dict(row) for row in reader.execute(statement, values)])

    def create() -> None:
        columns = ",".join("?" * len(RECORD.columns))
        row = _record(draw.randrange(10**6), str(uuid.uuid4()), draw)
        writer.execute("BEGIN IMMEDIATE")
        writer.execute(f"INSERT INTO record VALUES ({columns})", row)
        writer.execute("COMMIT")

    def search(where: str, skip: int, *values: object) -> str:
        reader.execute(f"SELECT count(*) FROM record {where}", values).fetchone()
        newest = f"{where} ORDER BY created_at DESC, inspection_id DESC LIMIT 20 OFFSET {skip}"
        return rows(f"SELECT * FROM record {newest}", *values)

    return {
        "get": lambda: rows("SELECT * FROM record WHERE inspection_id = ?", draw.choice(ids)),
        "search, first page": lambda: search("", 0),
        "search, middle page": lambda: search("", len(ids) // 2),
        "search, last page": lambda: search("", len(ids) - 20),
        "search, by task": lambda: search("WHERE task_id = ?", 0, f"task-{draw.randrange(5000)}"),
        "search, by status": lambda: search("WHERE inspection_status = ?", 0, draw.choice(STATUSES)),
        "list of 200 items": lambda: rows(
            "SELECT * FROM item WHERE inspection_id = ? ORDER BY created_at, item_id LIMIT 200", ids[0]
        ),
        "create": create,
    }


def asks(ids: Sequence[str]) -> dict[str, Ask]:
    """The calls, by the names of `floors`."""
    draw = random.Random(3)

    def search(page: int, **where: str) -> Ask:
        query: dict[str, str | int] = {"current_page": page, "page_size": 20, **where}
        return lambda client: client.get("/api/inspection/search", params=query)

    def drawn(name: str, values: Callable[[], str]) -> Ask:
        return lambda client: search(1, **{name: values()})(client)

    return {
        "get": lambda client: client.get(f"/api/inspection/getInspectionById/{draw.choice(ids)}"),
        "search, first page": search(1),
        "search, middle page": search(len(ids) // 40),
        "search, last page": search(len(ids) // 20),
        "search, by task": drawn("task_id", lambda: f"task-{draw.randrange(5000)}"),
        "search, by status": drawn("inspection_status", lambda: draw.choice(STATUSES)),
        "list of 200 items": lambda client: client.get(
            "/api/inspection_item/list", params={"inspection_id": ids[0], "page_size": 200}
        ),
        "create": lambda client: client.post(
            "/api/inspection/create",
            json={"task_id": f"task-{draw.randrange(5000)}", "inspection_name": "新"},
        ),
    }


def main(words: Sequence[str]) -> int:
    """Fill, serve, measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=3.0)
    options = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        data_dir = Path(folder) / "data"
        data_dir.mkdir(mode=0o700)
        ids = fill(data_dir / "walkaround.db", options.records)
        copy = Path(folder) / "copy.db"
        shutil.copy(data_dir / "walkaround.db", copy)
        bare = {
            name: statistics.median(_floor(work, options.seconds / 3))
            for name, work in floors(copy, ids).items()
        }
        with served(data_dir) as url:
            body = {"username": "bench", "password": uuid.uuid4().hex}
            token = httpx.post(f"{url}/api/auth/first-run", json=body).json()["data"]["access_token"]

            def drive(ask: Ask, connections: int) -> list[float]:
                return asyncio.run(_drive(url, token, ask, connections, options.seconds))

            for connections in sorted({1, options.connections}):
                empty = statistics.median(drive(lambda client: client.get("/healthz"), connections))
                for name, ask in asks(ids).items():
                    floor = empty + bare[name]
                    report(
                        f"{name}, connections: {connections}", drive(ask, connections), floor, options.seconds
                    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
