"""Fills a database with inspection records and items, like a database after years of work."""

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

HALF_STATUS = "not_started"
"""The status of every second record."""
_OTHER_STATUSES = ("in_progress", "passed", "failed", "cancelled")
_TASKS = 200
_MIN_RECORDS_PER_TASK = 400
ITEMS_PER_RECORD = 10
_RECORDS_FOR_ONE_WITH_ITEMS = 50
_ROWS_PER_INSERT = 5_000
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


def count_tasks(records: int) -> int:
    """Return the number of tasks for `records` records."""
    return min(_TASKS, max(records // _MIN_RECORDS_PER_TASK, 1))


def count_records_with_items(records: int) -> int:
    """Return how many of the oldest of `records` records have items, `ITEMS_PER_RECORD` each."""
    return max(records // _RECORDS_FOR_ONE_WITH_ITEMS, 1)


def fill_database(url: str, records: int) -> list[str]:
    """Create the tables and `records` records in an empty database; return their ids, the oldest first."""
    database = Database(url)
    try:
        migrate(database)
        tables = metadata().tables
        draw = random.Random(1)
        ids = [str(uuid.UUID(int=draw.getrandbits(128), version=4)) for _ in range(records)]
        with database.writer.begin() as connection:
            _insert(
                connection,
                tables["record"],
                (_record_row(number, record_id, records, draw) for number, record_id in enumerate(ids)),
            )
            _insert(connection, tables["item"], _item_rows(ids[: count_records_with_items(records)]))
        settle(database)
        return ids
    finally:
        database.close()


def settle(database: Database) -> None:
    """Vacuum and analyse the tables, as PostgreSQL's autovacuum does in a database in use."""
    with database.writer.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if database.url.get_backend_name() == "postgresql":
            # Without it, the first readers mark rows as visible while the autovacuum uses a core.
            connection.execute(text("VACUUM"))
        connection.execute(text("ANALYZE"))


def _insert(connection: Connection, table: Table, rows: Iterator[dict[str, Any]]) -> None:
    # Missing columns get their defaults, so a new column needs no change here.
    while batch := list(itertools.islice(rows, _ROWS_PER_INSERT)):
        connection.execute(insert(table), batch)


def _time_at(seconds: int) -> dt.datetime:
    return (_START + dt.timedelta(seconds=seconds)).replace(tzinfo=None)


def _record_row(number: int, inspection_id: str, records: int, draw: random.Random) -> dict[str, Any]:
    time = _time_at(number)
    return {
        "inspection_id": inspection_id,
        "inspection_name": f"检查 {number}",
        "task_id": f"task-{draw.randrange(count_tasks(records))}",
        "executor_id": "nobody",
        "progress": 0,
        "start_time": time,
        "inspection_status": HALF_STATUS if number % 2 else draw.choice(_OTHER_STATUSES),
        "revision": 1,
        "created_at": time,
        "updated_at": time,
    }


def _item_rows(inspection_ids: list[str]) -> Iterator[dict[str, Any]]:
    draw = random.Random(2)
    for inspection_id in inspection_ids:
        for number in range(ITEMS_PER_RECORD):
            yield {
                "item_id": str(uuid.UUID(int=draw.getrandbits(128), version=4)),
                "inspection_id": inspection_id,
                "item_name": f"条目 {number}",
                "item_point": _POINT,
                "result": _RESULT,
                "outcome": "failed",
                "revision": 1,
                "created_at": _time_at(number),
                "updated_at": _time_at(number),
            }


def count_audit_entries(url: str, kind: str, action: str) -> int:
    """Return the number of audit entries for this action on objects of this kind."""
    database = Database(url)
    try:
        statement = text("SELECT count(*) FROM audit_event WHERE kind = :kind AND action = :action")
        with database.reader.connect() as connection:
            return int(connection.execute(statement, {"kind": kind, "action": action}).scalar_one())
    finally:
        database.close()
