"""Fills a database like one after years of work: with many records, or with inspections and their findings.

`fill_records` serves the requests of `benchmarks/service.py`, `fill_inspections` the charts of
`benchmarks/statistics.py`. The same arguments give the same data.
"""

from __future__ import annotations

import datetime as dt
import itertools
import json
import random
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
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
AIRCRAFT, EXECUTORS = 100, 50
LABELS = (
    "dent",
    "scratch",
    "corrosion",
    "missing_fastener",
    "leak",
    "crack",
    "paint",
    "foreign_object",
    "dirt",
    "lightning",
)
REGIONS = tuple(
    f"{place} {number}"
    for place in ("Nose", "Wing root", "Flap", "Engine cowl", "Tail")
    for number in range(1, 9)
)
MODELS = (("reference-difference", 1), ("skin-damage", 1), ("skin-damage", 2))
_SEALED = ("passed", "failed")
_ROWS_PER_INSERT = 5_000


@dataclass(frozen=True, slots=True)
class Years:
    """Parameters of the data: `records`, evenly over the `days` before `end`.

    Every `with_items`th record has so many `items`.
    """

    records: int
    days: int
    end: dt.datetime
    with_items: int = 1
    items: int = 1
    aircraft: int = AIRCRAFT
    executors: int = EXECUTORS


def count_tasks(records: int) -> int:
    """Return the number of tasks for `records` records."""
    return min(_TASKS, max(records // _MIN_RECORDS_PER_TASK, 1))


def count_records_with_items(records: int) -> int:
    """Return how many of the oldest of `records` records have items, `ITEMS_PER_RECORD` each."""
    return max(records // _RECORDS_FOR_ONE_WITH_ITEMS, 1)


def fill_records(url: str, records: int) -> list[str]:
    """Create the tables and `records` records in an empty database; return their ids, the oldest first."""
    draw = random.Random(1)
    ids = [_make_id(draw) for _ in range(records)]

    def insert_records(connection: Connection) -> None:
        tables = metadata().tables
        rows = (_record_row(number, record_id, records, draw) for number, record_id in enumerate(ids))
        _insert(connection, tables["record"], rows)
        _insert(connection, tables["item"], _item_rows(ids[: count_records_with_items(records)]))

    _fill(url, insert_records)
    return ids


def fill_inspections(url: str, years: Years) -> None:
    """Create the tables of an empty database and insert these inspections, without counting them."""

    def insert_inspections(connection: Connection) -> None:
        tables = metadata().tables
        at = _to_naive_utc(years.end)
        stamps = {"version": 1, "created_at": at, "updated_at": at}
        numbers = range(years.aircraft)
        aircraft = (
            {"aircraft_id": f"aircraft-{number}", "aircraft_name": f"B-{1000 + number}", **stamps}
            for number in numbers
        )
        tasks = (
            {"task_id": f"task-{n}", "task_name": f"A-check {n}", "aircraft_id": f"aircraft-{n}", **stamps}
            for n in numbers
        )
        _insert(connection, tables["aircraft"], aircraft)
        _insert(connection, tables["task"], tasks)
        _insert(connection, tables["record"], _records(years))
        _insert(connection, tables["item"], _items(years))
        connection.execute(text("DELETE FROM statistic_sum"))

    _fill(url, insert_inspections)


def _fill(url: str, insert_rows: Callable[[Connection], None]) -> None:
    """Create the tables, insert the rows, then vacuum and analyse as PostgreSQL's autovacuum does in use."""
    database = Database(url)
    try:
        migrate(database)
        with database.writer.begin() as connection:
            insert_rows(connection)
        with database.writer.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            if database.url.get_backend_name() == "postgresql":
                # Without it, the first readers mark rows as visible while the autovacuum uses a core.
                connection.execute(text("VACUUM"))
            connection.execute(text("ANALYZE"))
    finally:
        database.close()


def _insert(connection: Connection, table: Table, rows: Iterator[dict[str, Any]]) -> None:
    # Missing columns get their defaults, so a new column needs no change here.
    while batch := list(itertools.islice(rows, _ROWS_PER_INSERT)):
        connection.execute(insert(table), batch)


def _time_at(seconds: int) -> dt.datetime:
    return (_START + dt.timedelta(seconds=seconds)).replace(tzinfo=None)


def _to_naive_utc(moment: dt.datetime) -> dt.datetime:
    return moment.astimezone(dt.UTC).replace(tzinfo=None)


def _make_id(draw: random.Random) -> str:
    return str(uuid.UUID(int=draw.getrandbits(128), version=4))


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
                "item_id": _make_id(draw),
                "inspection_id": inspection_id,
                "item_name": f"条目 {number}",
                "item_point": _POINT,
                "result": _RESULT,
                "outcome": "failed",
                "revision": 1,
                "created_at": _time_at(number),
                "updated_at": _time_at(number),
            }


def _records(years: Years) -> Iterator[dict[str, Any]]:
    draw, ids = random.Random(1), random.Random(2)
    end, every = _to_naive_utc(years.end), dt.timedelta(days=years.days) / years.records
    for number in range(years.records):
        start = end - every * (years.records - number)
        age = years.records - number
        recent = age < years.records // 50 + 2
        state = draw.choices(
            ("not_started", "in_progress", "passed", "failed", "cancelled"),
            (20, 40, 25, 12, 3) if recent else (0, 2, 72, 23, 3),
        )[0]
        took = dt.timedelta(minutes=draw.lognormvariate(3.6, 0.4))
        yield {
            "inspection_id": _make_id(ids),
            "inspection_name": f"Walkaround {number + 1}",
            "task_id": f"task-{draw.randrange(years.aircraft)}",
            "executor_id": f"inspector-{draw.randrange(years.executors)}",
            "progress": 100 if state in _SEALED else 0,
            "start_time": start,
            "end_time": start + took if state in _SEALED else None,
            "inspection_status": state,
            "record_state": state,
            "revision": 1,
            "created_at": start,
            "updated_at": start + took,
        }


def _items(years: Years) -> Iterator[dict[str, Any]]:
    draw, ids, item_ids = random.Random(3), random.Random(2), random.Random(4)
    at = _to_naive_utc(years.end)
    for number in range(years.records):
        inspection_id = _make_id(ids)
        if number % years.with_items:
            continue
        for place in range(years.items):
            entries = _entries(draw, number / years.records)
            yield {
                "item_id": _make_id(item_ids),
                "inspection_id": inspection_id,
                "item_name": draw.choice(REGIONS),
                "result": json.dumps(entries, separators=(",", ":")),
                "outcome": "passed",
                "verdict": "passed",
                "detected": True,
                "revision": 1,
                "created_at": at + dt.timedelta(microseconds=place),
                "updated_at": at,
            }


def _entries(draw: random.Random, share: float) -> list[dict[str, Any]]:
    """Generate a detection, in half of the cases a correction of it, and a verdict.

    Newer models, used later in the years, have fewer errors.
    """
    model_id, version = MODELS[min(int(share * len(MODELS)), len(MODELS) - 1)]
    weights = [1 / (rank + 1) for rank in range(len(LABELS))]

    def box(origin: str) -> dict[str, Any]:
        x, y = draw.randrange(500), draw.randrange(400)
        return {
            "label": draw.choices(LABELS, weights)[0],
            "confidence": round(draw.uniform(0.3, 1), 2),
            "points": {"x1": x, "y1": y, "x2": x + 40, "y2": y + 30},
            "origin": origin,
        }

    findings = [box("model") for _ in range(draw.choices((0, 1, 2, 3), (5, 3, 2, 1))[0])]
    detection = {
        "resultImage": {"boxes": findings},
        "isPassed": not findings,
        "progress": "done",
        "version": 1,
        "job_id": "job",
        "provenance": {"model_id": model_id, "model_version": version},
    }
    entries: list[dict[str, Any]] = [detection]
    if draw.random() < 0.5:
        left = [finding for finding in findings if draw.random() > 0.3 - 0.15 * share]
        added_findings = [box("person")] if draw.random() < 0.15 - 0.08 * share else []
        entries.append(
            {
                "resultImage": {"boxes": left + added_findings},
                "isPassed": not left + added_findings,
                "progress": "done",
                "version": 2,
                "correction": {"of_version": 1, "by": "inspector-1", "by_name": None, "at": None},
            }
        )
    verdict = {"value": "passed", "reason": None, "by": "inspector-1", "by_name": None, "at": None}
    return [*entries, {"isPassed": True, "progress": "done", "version": len(entries) + 1, "verdict": verdict}]


def count_audit_entries(url: str, kind: str, action: str) -> int:
    """Return the number of audit entries for this action on objects of this kind."""
    database = Database(url)
    try:
        statement = text("SELECT count(*) FROM audit_event WHERE kind = :kind AND action = :action")
        with database.reader.connect() as connection:
            return int(connection.execute(statement, {"kind": kind, "action": action}).scalar_one())
    finally:
        database.close()
