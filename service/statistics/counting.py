"""Updates the sums inside the transaction that changes records and items, from what these are then."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, bindparam, delete, func, insert, or_, select, tuple_, update
from sqlmodel import Session, col

from service.catalogue.tables import FlightRow, TaskRow
from service.changes import ObjectChange
from service.db import statements
from service.inspection import tables as inspection
from service.statistics.rules import (
    Cell,
    CountingPlace,
    Measure,
    MeasureName,
    clean_name,
    differences,
    item_counts,
    local_day,
)
from service.statistics.tables import ITEM, RECORD
from shared.record.codes import Status

_LOCK = select(func.pg_advisory_xact_lock(7_105_049))
"""Lets transactions that count run one after another; no other advisory lock has this number."""
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
# For thousands of rows at once. PostgreSQL gets arrays: psycopg would need more time to parse a statement
# with so many values than the database needs to execute it.
_ADD_ROWS = f"INSERT INTO statistic_sum ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?) {_ADD}"  # noqa: S608
_ADD_ARRAYS = (
    f"INSERT INTO statistic_sum ({_COLUMNS}) SELECT * FROM unnest("  # noqa: S608
    "%s::varchar[], %s::integer[], %s::varchar[], %s::varchar[], %s::integer[], %s::varchar[], %s::bigint[]) "
    f"{_ADD}"
)

_IDS_AT_ONCE = 16


def _ids_parameter() -> Any:
    return bindparam("ids", expanding=True)


def _numbered_id_parameters() -> list[Any]:
    return [bindparam(f"id_{number}") for number in range(_IDS_AT_ONCE)]


_RECORD_FACTS = (
    select(
        inspection.RECORD.c.inspection_id,
        func.coalesce(
            inspection.RECORD.c.start_time,
            inspection.RECORD.c.created_at,
            type_=inspection.RECORD.c.created_at.type,
        ).label("moment"),
        func.coalesce(col(TaskRow.aircraft_id), col(FlightRow.aircraft_id), "").label("aircraft_id"),
        func.coalesce(inspection.RECORD.c.executor_id, "").label("executor_id"),
        inspection.RECORD.c.record_state,
        inspection.RECORD.c.start_time,
        inspection.RECORD.c.end_time,
    )
    .select_from(inspection.RECORD)
    .outerjoin(TaskRow, col(TaskRow.task_id) == inspection.RECORD.c.task_id)
    .outerjoin(FlightRow, col(FlightRow.flight_id) == col(TaskRow.flight_id))
    .where(inspection.RECORD.c.inspection_id.in_(_numbered_id_parameters()))
)
_ITEM_FACTS = select(
    inspection.ITEM.c.item_id,
    inspection.ITEM.c.inspection_id,
    inspection.ITEM.c.item_name,
    inspection.ITEM.c.result,
).where(inspection.ITEM.c.item_id.in_(_ids_parameter()))
_RECORD_IDS_OF_TASKS = select(inspection.RECORD.c.inspection_id).where(
    inspection.RECORD.c.task_id.in_(_ids_parameter())
)
_TASK_IDS_OF_FLIGHTS = select(col(TaskRow.task_id)).where(col(TaskRow.flight_id).in_(_ids_parameter()))
_FIRST_RECORDS = (
    select(inspection.RECORD.c.created_at, inspection.RECORD.c.inspection_id)
    .order_by(inspection.RECORD.c.created_at, inspection.RECORD.c.inspection_id)
    .limit(bindparam("most"))
)
_LATER_RECORDS = _FIRST_RECORDS.where(
    tuple_(inspection.RECORD.c.created_at, inspection.RECORD.c.inspection_id)
    > tuple_(
        bindparam("time", type_=inspection.RECORD.c.created_at.type),
        bindparam("id", type_=inspection.RECORD.c.inspection_id.type),
    )
)
_ITEM_IDS_OF_RECORDS = select(inspection.ITEM.c.item_id).where(
    inspection.ITEM.c.inspection_id.in_(_ids_parameter())
)

StoredRow = Row[*tuple[Any, ...]]
Amount = tuple[CountingPlace, MeasureName, int]


def count_changes(session: Session, changes: Sequence[ObjectChange]) -> None:
    """Count `changes` inside the transaction of `session`.

    Fleeting changes are ignored: they only report the progress of a detection.
    """
    changed_ids: defaultdict[str, set[str]] = defaultdict(set)
    new_records: set[str] = set()
    for change in changes:
        if not change.unaudited and change.object_id is not None:
            changed_ids[change.kind].add(change.object_id)
            if change.kind == "record" and change.action == "create":
                new_records.add(change.object_id)
    records, tasks = set(changed_ids["record"]), set(changed_ids["task"])
    if changed_ids["flight"]:
        tasks |= set(task_ids_of_flights(session, changed_ids["flight"]))
    if tasks:
        records |= set(record_ids_of_tasks(session, tasks))
    if records or changed_ids["item"]:
        count(session, records, changed_ids["item"], new_records)


def count(
    session: Session,
    records: Collection[str],
    items: Collection[str],
    new_records: Collection[str] = (),
) -> None:
    """Recount these records and items: replace their previous contributions to the sums by the current ones.

    `new_records` are the records that have never been counted, so their previous contribution is not read.
    """
    connection = session.connection()
    if connection.dialect.name == "postgresql":
        # The contributions that another transaction counts are visible only after its end, so wait for it.
        connection.execute(_LOCK)
    current_items = {item.item_id: item for item in item_facts(session, items)} if items else {}
    record_ids = {*records, *(item.inspection_id for item in current_items.values())}
    current_records = {facts.inspection_id: facts for facts in record_facts(session, record_ids)}
    stored_records = _read_records(connection, record_ids.difference(new_records))
    places = {key: _place_of_record(facts) for key, facts in current_records.items()}
    moved_ids = [
        key
        for key in record_ids
        if key not in stored_records or places.get(key) != _stored_place(stored_records[key])
    ]
    stored_items = _read_items(connection, items, moved_ids, stored_records)
    # The record of a deleted item is known only from its stored contribution.
    missing_ids = {row.inspection_id for row in stored_items} - record_ids
    stored_records |= _read_records(connection, missing_ids)
    places |= {key: _stored_place(stored_records[key]) for key in missing_ids}

    old_amounts = [*_stored_amounts(stored_records[key] for key in record_ids if key in stored_records)]
    new_amounts = [
        amount
        for key, facts in current_records.items()
        for amount in _record_amounts(places[key], facts.state, facts.seconds)
    ]
    item_rows: list[dict[str, Any]] = []
    for row in stored_items:
        old_amounts += _finding_amounts(
            _stored_place(stored_records[row.inspection_id]), row.measure, row.name, row.amount
        )
        if row.item_id not in items and row.inspection_id in places:
            new_amounts += _finding_amounts(places[row.inspection_id], row.measure, row.name, row.amount)
    for item in current_items.values():
        for (measure, name), amount in item_counts(item.item_name, item.result).items():
            new_amounts += _finding_amounts(places[item.inspection_id], measure, name, amount)
            item_rows.append(
                {
                    "item_id": item.item_id,
                    "measure": str(measure),
                    "name": name,
                    "inspection_id": item.inspection_id,
                    "amount": amount,
                }
            )
    _store_records(connection, stored_records, current_records, places, record_ids)
    _store_items(connection, stored_items, item_rows, items, places)
    changes = differences(old_amounts, new_amounts)
    if changes:
        _add_amounts(connection, [(*cell, amount) for cell, amount in changes.items()])


def _add_amounts(connection: Connection, rows: Sequence[tuple[object, ...]]) -> None:
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(_ADD_ARRAYS, tuple(map(list, zip(*rows, strict=True))))
    else:
        connection.exec_driver_sql(_ADD_ROWS, list(rows))


def _read_records(connection: Connection, ids: Collection[str]) -> dict[str, StoredRow]:
    if not ids:
        return {}
    return {row.inspection_id: row for row in connection.execute(_RECORDS, {"ids": list(ids)})}


def _read_items(
    connection: Connection, items: Collection[str], moved_ids: list[str], known_ids: Collection[str]
) -> list[StoredRow]:
    # A record that was never counted has no counted items, so nothing is read for a new record.
    known_moved_ids = [key for key in moved_ids if key in known_ids]
    if not items and not known_moved_ids:
        return []
    return list(connection.execute(_ITEMS, {"items": list(items), "moved": known_moved_ids}))


def _place_of_record(facts: RecordFacts) -> CountingPlace:
    return CountingPlace(
        local_day(facts.moment), clean_name(facts.aircraft_id), clean_name(facts.executor_id)
    )


def _stored_place(row: StoredRow) -> CountingPlace:
    return CountingPlace(row.day, row.aircraft_id, row.executor_id)


def _record_amounts(place: CountingPlace, state: str, seconds: int | None) -> Iterator[Amount]:
    yield place, (Measure.STATE, state), 1
    if seconds is not None:
        yield place, (Measure.FINISHED, ""), 1
        yield place, (Measure.SECONDS, ""), seconds


def _stored_amounts(rows: Iterable[StoredRow]) -> Iterator[Amount]:
    for row in rows:
        yield from _record_amounts(_stored_place(row), row.state, row.seconds)


def _finding_amounts(place: CountingPlace, measure: str, name: str, amount: int) -> Iterator[Amount]:
    yield place, (measure, name), amount
    if measure == Measure.REGION:
        # Findings by aircraft are as many as by region, so they need no stored rows of their own.
        yield place, (Measure.AIRCRAFT, place.aircraft_id), amount


def _store_records(
    connection: Connection,
    stored_records: dict[str, StoredRow],
    current_records: dict[str, RecordFacts],
    places: dict[str, CountingPlace],
    record_ids: Collection[str],
) -> None:
    inserts, updates = [], []
    for key, facts in current_records.items():
        row = {
            "inspection_id": key,
            **places[key]._asdict(),
            "state": facts.state,
            "seconds": facts.seconds,
        }
        if key not in stored_records:
            inserts.append(row)
        elif row != dict(stored_records[key]._mapping):
            updates.append({"the_record": row.pop("inspection_id"), **row})
    if inserts:
        statements.run_many(connection, _INSERT_RECORDS, inserts)
    if updates:
        connection.execute(_UPDATE_RECORDS, updates)
    deleted_ids = [key for key in record_ids if key in stored_records and key not in current_records]
    if deleted_ids:
        connection.execute(delete(RECORD).where(RECORD.c.inspection_id.in_(deleted_ids)))
        connection.execute(delete(ITEM).where(ITEM.c.inspection_id.in_(deleted_ids)))


def _store_items(
    connection: Connection,
    stored_items: list[StoredRow],
    rows: list[dict[str, Any]],
    items: Collection[str],
    places: dict[str, CountingPlace],
) -> None:
    old_rows = [
        dict(row._mapping) for row in stored_items if row.item_id in items and row.inspection_id in places
    ]
    if sorted(old_rows, key=_sort_key) == sorted(rows, key=_sort_key):
        return
    if old_rows:
        connection.execute(delete(ITEM).where(ITEM.c.item_id.in_({row["item_id"] for row in old_rows})))
    if rows:
        connection.execute(_INSERT_ITEMS, rows)


def _sort_key(row: dict[str, Any]) -> tuple[str, ...]:
    return row["item_id"], row["measure"], row["name"]


Mark = tuple[dt.datetime, str]
"""The creation time and the id of a record."""


class RecordFacts(NamedTuple):
    """The current facts of a record.

    `moment` is its start, or its creation if it has no start, in UTC without a time zone. `seconds` is the
    duration from start to end; None if either is missing or the record is cancelled.
    """

    inspection_id: str
    moment: dt.datetime
    aircraft_id: str
    executor_id: str
    state: str
    seconds: int | None


class ItemFacts(NamedTuple):
    """The current facts of an item; `result` is the JSON text of its entries."""

    item_id: str
    inspection_id: str
    item_name: str
    result: str


def record_ids_of_tasks(session: Session, task_ids: Collection[str]) -> Collection[str]:
    """The IDs of the records of these tasks."""
    return _first_column(session, _RECORD_IDS_OF_TASKS, task_ids)


def task_ids_of_flights(session: Session, flight_ids: Collection[str]) -> Collection[str]:
    """The IDs of the tasks of these flights."""
    return _first_column(session, _TASK_IDS_OF_FLIGHTS, flight_ids)


def item_ids_of_records(session: Session, record_ids: Collection[str]) -> Collection[str]:
    """The IDs of the items of these records."""
    return _first_column(session, _ITEM_IDS_OF_RECORDS, record_ids)


def record_facts(session: Session, ids: Collection[str]) -> list[RecordFacts]:
    """The facts of those of these records that exist."""
    facts = []
    for row in _record_rows(session.connection(), list(ids)):
        has_times = row.start_time is not None and row.end_time is not None
        has_duration = has_times and row.record_state != Status.CANCELLED
        seconds = int((row.end_time - row.start_time).total_seconds()) if has_duration else None
        facts.append(
            RecordFacts(
                row.inspection_id, row.moment, row.aircraft_id, row.executor_id, row.record_state, seconds
            )
        )
    return facts


def _record_rows(connection: Connection, ids: Sequence[str]) -> Iterator[Row[*tuple[Any, ...]]]:
    for start in range(0, len(ids), _IDS_AT_ONCE):
        batch = ids[start : start + _IDS_AT_ONCE]
        # A prebuilt statement has a fixed number of parameters: the last ID fills the rest.
        values = {f"id_{number}": batch[min(number, len(batch) - 1)] for number in range(_IDS_AT_ONCE)}
        yield from statements.run(connection, _RECORD_FACTS, values)


def item_facts(session: Session, ids: Collection[str]) -> list[ItemFacts]:
    """The facts of those of these items that exist."""
    return [ItemFacts(*row) for row in session.connection().execute(_ITEM_FACTS, {"ids": list(ids)})]


def next_records(session: Session, after: Mark | None, most: int) -> list[Mark]:
    """At most `most` records after a mark, in the order of their creation."""
    if after is None:
        statement, parameters = _FIRST_RECORDS, {}
    else:
        statement, parameters = _LATER_RECORDS, {"time": after[0], "id": after[1]}
    return [
        (row.created_at, row.inspection_id)
        for row in session.execute(statement, {**parameters, "most": most})
    ]


def _first_column(session: Session, statement: Select[Any], ids: Collection[str]) -> Sequence[str]:
    return session.execute(statement, {"ids": list(ids)}).scalars().all()
