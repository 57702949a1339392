"""Fills a database with inspection records and items, as years of work leave them."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import random
import uuid
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, Table, insert, text

from service.db.database import Database
from service.db.schema import metadata, migrate

HALF = "not_started"
"""The status of every second record."""
_OTHERS = ("in_progress", "passed", "failed", "cancelled")
_TASKS = 200
_LEAST_OF_A_TASK = 400
ITEMS = 10
_RECORDS_FOR_ONE_WITH_ITEMS = 50
_AT_ONCE = 5_000
_START = dt.datetime(2023, 11, 14, tzinfo=dt.UTC)
_POINT = '{"point":{"x":0.1,"y":0.1,"w":0.1,"h":0.1}}'
_BOX = {"label": "裂纹", "confidence": 0.5, "points": {"x1": 10, "y1": 10, "x2": 90, "y2": 60}}
_RESULT = json.dumps(
    [
        {
            "inputImage": {"download_url": "/api/files/x/content"},
            "resultImage": {"boxes": [_BOX, _BOX]},
            "isPassed": False,
            "progress": "done",
            "version": 1,
        }
    ],
    ensure_ascii=False,
    separators=(",", ":"),
)


def task_count(records: int) -> int:
    """How many tasks so many records belong to."""
    return min(_TASKS, max(records // _LEAST_OF_A_TASK, 1))


def with_items(records: int) -> int:
    """How many of the oldest of so many records have `ITEMS` items each."""
    return max(records // _RECORDS_FOR_ONE_WITH_ITEMS, 1)


def fill(url: str, records: int) -> list[str]:
    """Make the tables of an empty database with so many records; gives their ids, the oldest first."""
    database = Database(url)
    try:
        migrate(database)
        tables = metadata().tables
        draw = random.Random(1)
        ids = [str(uuid.UUID(int=draw.getrandbits(128), version=4)) for _ in range(records)]
        with database.writer.begin() as connection:
            _insert(connection, tables["record"], (_record(*each, records, draw) for each in enumerate(ids)))
            _insert(connection, tables["item"], _items(ids[: with_items(records)]))
        settle(database)
        return ids
    finally:
        database.close()


def settle(database: Database) -> None:
    """Bring the tables into the state that a database in use has: PostgreSQL's autovacuum has been there."""
    with database.writer.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if database.url.get_backend_name() == "postgresql":
            # Without it the first readers mark rows as visible, and the autovacuum takes a core meanwhile.
            connection.execute(text("VACUUM"))
        connection.execute(text("ANALYZE"))


def _insert(connection: Connection, table: Table, rows: Iterator[dict[str, Any]]) -> None:
    # What a row does not name has its default, so a new column needs nothing here.
    while some := list(itertools.islice(rows, _AT_ONCE)):
        connection.execute(insert(table), some)


def _moment(seconds: int) -> dt.datetime:
    return (_START + dt.timedelta(seconds=seconds)).replace(tzinfo=None)


def _record(number: int, inspection_id: str, records: int, draw: random.Random) -> dict[str, Any]:
    at = _moment(number)
    return {
        "inspection_id": inspection_id,
        "inspection_name": f"检查 {number}",
        "task_id": f"task-{draw.randrange(task_count(records))}",
        "executor_id": "nobody",
        "progress": 0,
        "start_time": at,
        "inspection_status": HALF if number % 2 else draw.choice(_OTHERS),
        "revision": 1,
        "created_at": at,
        "updated_at": at,
    }


def _items(inspection_ids: list[str]) -> Iterator[dict[str, Any]]:
    draw = random.Random(2)
    for inspection_id in inspection_ids:
        for number in range(ITEMS):
            yield {
                "item_id": str(uuid.UUID(int=draw.getrandbits(128), version=4)),
                "inspection_id": inspection_id,
                "item_name": f"条目 {number}",
                "item_point": _POINT,
                "result": _RESULT,
                "outcome": "failed",
                "revision": 1,
                "created_at": _moment(number),
                "updated_at": _moment(number),
            }


def audited(url: str, kind: str, action: str) -> int:
    """How many entries of the audit log say that something of this kind went through this action."""
    database = Database(url)
    try:
        statement = text("SELECT count(*) FROM audit_event WHERE kind = :kind AND action = :action")
        with database.reader.connect() as connection:
            return int(connection.execute(statement, {"kind": kind, "action": action}).scalar_one())
    finally:
        database.close()
