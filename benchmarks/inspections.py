"""Generates years of inspections with findings, corrections and verdicts, and fills a database with them."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Table, insert, text

from benchmarks.records import settle
from service.db.database import Database
from service.db.schema import metadata, migrate

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
_BATCH_SIZE = 5_000


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


def fill_database(url: str, years: Years) -> None:
    """Make the tables of an empty database and insert these inspections, without counting them."""
    database = Database(url)
    try:
        migrate(database)
        with database.writer.begin() as connection:
            insert_inspections(connection, years)
            connection.execute(text("DELETE FROM statistic_sum"))
        settle(database)
    finally:
        database.close()


def insert_inspections(connection: Connection, years: Years) -> None:
    """Insert aircraft, tasks, records and items. The same `years` give the same data."""
    tables = metadata().tables
    at = _to_naive_utc(years.end)
    stamps = {"version": 1, "created_at": at, "updated_at": at}
    aircraft = [
        {"aircraft_id": f"aircraft-{number}", "aircraft_name": f"B-{1000 + number}", **stamps}
        for number in range(years.aircraft)
    ]
    _insert(connection, tables["aircraft"], iter(aircraft))
    tasks = (
        {
            "task_id": f"task-{number}",
            "task_name": f"A-check {number}",
            "aircraft_id": f"aircraft-{number}",
            **stamps,
        }
        for number in range(years.aircraft)
    )
    _insert(connection, tables["task"], tasks)
    _insert(connection, tables["record"], _records(years))
    _insert(connection, tables["item"], _items(years))


def _insert(connection: Connection, table: Table, rows: Iterator[dict[str, Any]]) -> None:
    while batch := list(itertools.islice(rows, _BATCH_SIZE)):
        connection.execute(insert(table), batch)


def _to_naive_utc(moment: dt.datetime) -> dt.datetime:
    return moment.astimezone(dt.UTC).replace(tzinfo=None)


def _make_id(draw: random.Random) -> str:
    return str(uuid.UUID(int=draw.getrandbits(128), version=4))


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
