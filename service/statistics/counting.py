"""Keeps the sums in line with records and items, inside the transaction that changes them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, or_, select, update
from sqlmodel import Session

from service.db import statements
from service.statistics.ports import Ports, RecordFacts
from service.statistics.rules import (
    Cell,
    Counted,
    CountingPlace,
    Measure,
    day_of,
    differences,
    item_counts,
    name_of,
)
from service.statistics.tables import ITEM, RECORD

_LOCK = select(func.pg_advisory_xact_lock(7_105_049))
"""Any number that no other advisory lock has: transactions that count take turns."""
_RECORDS = select(RECORD).where(RECORD.c.inspection_id.in_(bindparam("ids", expanding=True)))
_ITEMS = select(ITEM).where(
    or_(
        ITEM.c.item_id.in_(bindparam("items", expanding=True)),
        ITEM.c.inspection_id.in_(bindparam("moved", expanding=True)),
    )
)
_INSERT_ITEMS = insert(ITEM)
_INSERT_RECORDS = insert(RECORD)
_UPDATE_RECORDS = (
    update(RECORD)
    .where(RECORD.c.inspection_id == bindparam("the_record"))
    .values({name: bindparam(name) for name in (*CountingPlace._fields, "state", "seconds")})
)
_COLUMNS = ", ".join((*Cell._fields, "amount"))
_ADD = (
    f"ON CONFLICT ({', '.join(Cell._fields)}) DO UPDATE SET amount = statistic_sum.amount + excluded.amount"
)
# Thousands of rows at once: on PostgreSQL as arrays, since psycopg parses a statement with as many values for
# longer than the database takes.
_ADD_ROWS = f"INSERT INTO statistic_sum ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?) {_ADD}"  # noqa: S608
_ADD_ARRAYS = (
    f"INSERT INTO statistic_sum ({_COLUMNS}) SELECT * FROM unnest("  # noqa: S608
    "%s::varchar[], %s::integer[], %s::varchar[], %s::varchar[], %s::integer[], %s::varchar[], %s::bigint[]) "
    f"{_ADD}"
)

Stored = Row[*tuple[Any, ...]]
Amount = tuple[CountingPlace, Counted, int]


def count(
    session: Session,
    ports: Ports,
    records: Collection[str],
    items: Collection[str],
    created: Collection[str] = (),
) -> None:
    """Recount these records and items: what they contribute now takes the place of what they did.

    `created`: those of the records that have never been counted, which need not be looked for.
    """
    connection = session.connection()
    if connection.dialect.name == "postgresql":
        # What another transaction counted is seen only when it has ended: it is waited for.
        connection.execute(_LOCK)
    present_items = {item.item_id: item for item in ports.items(session, items)} if items else {}
    record_ids = {*records, *(item.inspection_id for item in present_items.values())}
    present = {facts.inspection_id: facts for facts in ports.records(session, record_ids)}
    stored = _stored_records(connection, record_ids.difference(created))
    places = {key: _place_of_record(facts) for key, facts in present.items()}
    moved = [key for key in record_ids if key not in stored or places.get(key) != _stored_place(stored[key])]
    stored_items = _stored_items(connection, items, moved, stored)
    # An item that is gone does not say any more which record it was of.
    missing = {row.inspection_id for row in stored_items} - record_ids
    stored |= _stored_records(connection, missing)
    places |= {key: _stored_place(stored[key]) for key in missing}

    before = [*_amounts_of_records(stored[key] for key in record_ids if key in stored)]
    after = [
        amount
        for key, facts in present.items()
        for amount in _amounts(places[key], facts.state, facts.seconds)
    ]
    item_rows: list[dict[str, Any]] = []
    for row in stored_items:
        before += _finding_amounts(
            _stored_place(stored[row.inspection_id]), row.measure, row.name, row.amount
        )
        if row.item_id not in items and row.inspection_id in places:
            after += _finding_amounts(places[row.inspection_id], row.measure, row.name, row.amount)
    for item in present_items.values():
        for (measure, name), amount in item_counts(item.item_name, item.result).items():
            after += _finding_amounts(places[item.inspection_id], measure, name, amount)
            item_rows.append(
                {
                    "item_id": item.item_id,
                    "measure": str(measure),
                    "name": name,
                    "inspection_id": item.inspection_id,
                    "amount": amount,
                }
            )
    _keep_records(connection, stored, present, places, record_ids)
    _keep_items(connection, stored_items, item_rows, items, places)
    changes = differences(before, after)
    if changes:
        _add_amounts(connection, [(*cell, amount) for cell, amount in changes.items()])


def _add_amounts(connection: Connection, rows: Sequence[tuple[object, ...]]) -> None:
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(_ADD_ARRAYS, tuple(map(list, zip(*rows, strict=True))))
    else:
        connection.exec_driver_sql(_ADD_ROWS, list(rows))


def _stored_records(connection: Connection, ids: Collection[str]) -> dict[str, Stored]:
    if not ids:
        return {}
    return {row.inspection_id: row for row in connection.execute(_RECORDS, {"ids": list(ids)})}


def _stored_items(
    connection: Connection, items: Collection[str], moved: list[str], stored: Collection[str]
) -> list[Stored]:
    # A record that was never counted has no items that were: a new record asks for nothing.
    counted_before = [key for key in moved if key in stored]
    if not items and not counted_before:
        return []
    return list(connection.execute(_ITEMS, {"items": list(items), "moved": counted_before}))


def _place_of_record(facts: RecordFacts) -> CountingPlace:
    return CountingPlace(day_of(facts.moment), name_of(facts.aircraft_id), name_of(facts.executor_id))


def _stored_place(row: Stored) -> CountingPlace:
    return CountingPlace(row.day, row.aircraft_id, row.executor_id)


def _amounts(place: CountingPlace, state: str, seconds: int | None) -> Iterator[Amount]:
    yield place, (Measure.STATE, state), 1
    if seconds is not None:
        yield place, (Measure.FINISHED, ""), 1
        yield place, (Measure.SECONDS, ""), seconds


def _amounts_of_records(rows: Iterable[Stored]) -> Iterator[Amount]:
    for row in rows:
        yield from _amounts(_stored_place(row), row.state, row.seconds)


def _finding_amounts(place: CountingPlace, measure: str, name: str, amount: int) -> Iterator[Amount]:
    yield place, (measure, name), amount
    if measure == Measure.REGION:
        # As many as the item has: by aircraft they need no row of their own, which would move with it.
        yield place, (Measure.AIRCRAFT, place.aircraft_id), amount


def _keep_records(
    connection: Connection,
    stored: dict[str, Stored],
    present: dict[str, RecordFacts],
    places: dict[str, CountingPlace],
    record_ids: Collection[str],
) -> None:
    new, changed = [], []
    for key, facts in present.items():
        row = {
            "inspection_id": key,
            **places[key]._asdict(),
            "state": facts.state,
            "seconds": facts.seconds,
        }
        if key not in stored:
            new.append(row)
        elif row != dict(stored[key]._mapping):
            changed.append({"the_record": row.pop("inspection_id"), **row})
    if new:
        statements.run_many(connection, _INSERT_RECORDS, new)
    if changed:
        connection.execute(_UPDATE_RECORDS, changed)
    deleted_ids = [key for key in record_ids if key in stored and key not in present]
    if deleted_ids:
        connection.execute(delete(RECORD).where(RECORD.c.inspection_id.in_(deleted_ids)))
        connection.execute(delete(ITEM).where(ITEM.c.inspection_id.in_(deleted_ids)))


def _keep_items(
    connection: Connection,
    stored_items: list[Stored],
    rows: list[dict[str, Any]],
    items: Collection[str],
    places: dict[str, CountingPlace],
) -> None:
    before = [
        dict(row._mapping) for row in stored_items if row.item_id in items and row.inspection_id in places
    ]
    if sorted(before, key=_key) == sorted(rows, key=_key):
        return
    if before:
        connection.execute(delete(ITEM).where(ITEM.c.item_id.in_({row["item_id"] for row in before})))
    if rows:
        connection.execute(_INSERT_ITEMS, rows)


def _key(row: dict[str, Any]) -> tuple[str, ...]:
    return row["item_id"], row["measure"], row["name"]
