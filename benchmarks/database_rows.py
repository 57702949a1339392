"""Fills a database like one after years of work, for `benchmarks/service.py`."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import random
import uuid
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from sqlalchemy import Connection, insert, text

from service.db.database import Database
from service.db.schema import metadata, migrate
from service.statistics.service import StatisticsService

END = dt.datetime(2026, 6, 30, 12)
"""The time of the newest record, UTC."""
AIRCRAFT, EXECUTORS = 100, 50
HALF_STATUS = "not_started"
"""The status of every second record."""
ITEMS_PER_RECORD, WITH_ITEMS = 10, 50
"""Every `WITH_ITEMS`th record has so many items; of the others every fourth has one."""
_OTHER_STATUSES = ("in_progress", "passed", "failed", "cancelled")
_MIN_RECORDS_PER_TASK = 400
_LABELS = ("dent", "scratch", "corrosion", "missing_fastener", "leak", "crack", "paint", "dirt")
_MODELS = (("reference-difference", 1), ("skin-damage", 1), ("skin-damage", 2))
_POINT = '{"point":{"x":0.1,"y":0.1,"w":0.1,"h":0.1}}'
_ROWS_PER_INSERT = 5_000


def count_tasks(records: int) -> int:
    """Return the number of tasks for `records` records, at most one for each aircraft."""
    return min(AIRCRAFT, max(records // _MIN_RECORDS_PER_TASK, 1))


def fill(url: str, records: int, days: int) -> list[str]:
    """Create the tables and rows of an empty database; return the records' ids, the oldest first.

    The records are spread over the `days` before `END` and counted for the charts.
    """
    draw = random.Random(1)
    ids = [_make_id(draw) for _ in range(records)]
    stamps = {"version": 1, "created_at": END, "updated_at": END}
    rows: dict[str, Iterator[dict[str, Any]]] = {
        "aircraft": (
            {"aircraft_id": f"aircraft-{n}", "aircraft_name": f"B-{1000 + n}", **stamps}
            for n in range(AIRCRAFT)
        ),
        "task": (
            {"task_id": f"task-{n}", "task_name": f"A-check {n}", "aircraft_id": f"aircraft-{n}", **stamps}
            for n in range(count_tasks(records))
        ),
        "record": _record_rows(ids, days),
        "item": _item_rows(ids),
    }
    with closing(Database(url)) as database:
        migrate(database)
        with database.writer.begin() as connection:
            for table, values in rows.items():
                _insert(connection, table, values)
        StatisticsService(database).rebuild()
        # As PostgreSQL's autovacuum does in use, which would take a core while the first readers measure.
        with database.writer.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            if database.url.get_backend_name() == "postgresql":
                connection.execute(text("VACUUM"))
            connection.execute(text("ANALYZE"))
    return ids


def _insert(connection: Connection, table: str, rows: Iterator[dict[str, Any]]) -> None:
    # Missing columns get their defaults, so a new column needs no change here.
    while batch := list(itertools.islice(rows, _ROWS_PER_INSERT)):
        connection.execute(insert(metadata().tables[table]), batch)


def _make_id(draw: random.Random) -> str:
    return str(uuid.UUID(int=draw.getrandbits(128), version=4))


def _record_rows(ids: list[str], days: int) -> Iterator[dict[str, Any]]:
    draw = random.Random(2)
    for number, inspection_id in enumerate(ids):
        start = END - dt.timedelta(days=days) * (len(ids) - number) / len(ids)
        state = HALF_STATUS if number % 2 else draw.choices(_OTHER_STATUSES, (2, 72, 23, 3))[0]
        is_sealed = state in ("passed", "failed")
        end = start + dt.timedelta(minutes=draw.lognormvariate(3.6, 0.4))
        yield {
            "inspection_id": inspection_id,
            "inspection_name": f"检查 {number}",
            "task_id": f"task-{draw.randrange(count_tasks(len(ids)))}",
            "executor_id": f"inspector-{draw.randrange(EXECUTORS)}",
            "progress": 100 if is_sealed else 0,
            "start_time": start,
            "end_time": end if is_sealed else None,
            "inspection_status": state,
            "record_state": state,
            "revision": 1,
            "created_at": start,
            "updated_at": end,
        }


def _item_rows(ids: list[str]) -> Iterator[dict[str, Any]]:
    draw = random.Random(3)
    for number, inspection_id in enumerate(ids):
        for place in range(ITEMS_PER_RECORD if number % WITH_ITEMS == 0 else number % 4 == 0):
            yield {
                "item_id": _make_id(draw),
                "inspection_id": inspection_id,
                "item_name": f"Wing root {draw.randrange(40)}",
                "item_point": _POINT,
                "result": json.dumps(_entries(draw), separators=(",", ":")),
                "outcome": "passed",
                "verdict": "passed",
                "detected": True,
                "revision": 1,
                "created_at": END + dt.timedelta(microseconds=place),
                "updated_at": END,
            }


def _entries(draw: random.Random) -> list[dict[str, Any]]:
    """Generate a detection, in half of the cases a correction of it, and a verdict."""
    model_id, version = draw.choice(_MODELS)
    findings = [_box(draw, "model") for _ in range(draw.choices((0, 1, 2, 3), (5, 3, 2, 1))[0])]
    provenance = {"model_id": model_id, "model_version": version}
    entries: list[dict[str, Any]] = [_entry(1, findings, job_id="job", provenance=provenance)]
    by = {"by": "inspector-1", "by_name": None, "at": None}
    if draw.random() < 0.5:
        left = [finding for finding in findings if draw.random() > 0.2]
        left += [_box(draw, "person")] if draw.random() < 0.1 else []
        entries.append(_entry(2, left, correction={"of_version": 1, **by}))
    verdict = {"value": "passed", "reason": None, **by}
    return [*entries, {"isPassed": True, "progress": "done", "version": len(entries) + 1, "verdict": verdict}]


def _entry(version: int, boxes: list[dict[str, Any]], **keys: Any) -> dict[str, Any]:
    result = {"resultImage": {"boxes": boxes}, "isPassed": not boxes, "progress": "done", "version": version}
    return result | keys


def _box(draw: random.Random, origin: str) -> dict[str, Any]:
    x, y = draw.randrange(500), draw.randrange(400)
    label = draw.choices(_LABELS, [1 / (rank + 1) for rank in range(len(_LABELS))])[0]
    points = {"x1": x, "y1": y, "x2": x + 40, "y2": y + 30}
    return {"label": label, "confidence": round(draw.uniform(0.3, 1), 2), "points": points, "origin": origin}
