"""Reads the records and items that statistics count, and the names of what they are counted by."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, bindparam, func, select, tuple_
from sqlmodel import Session, col

from service.catalogue.tables import AircraftRow, FlightRow, TaskRow
from service.db import statements
from service.detection.tables import ModelRow
from service.inspection.tables import ITEM, RECORD
from shared.record.codes import Status

_IDS_AT_ONCE = 16


def _ids_parameter() -> Any:
    return bindparam("ids", expanding=True)


def _numbered_id_parameters() -> list[Any]:
    return [bindparam(f"id_{number}") for number in range(_IDS_AT_ONCE)]


_RECORDS = (
    select(
        RECORD.c.inspection_id,
        func.coalesce(RECORD.c.start_time, RECORD.c.created_at, type_=RECORD.c.created_at.type).label(
            "moment"
        ),
        func.coalesce(col(TaskRow.aircraft_id), col(FlightRow.aircraft_id), "").label("aircraft_id"),
        func.coalesce(RECORD.c.executor_id, "").label("executor_id"),
        RECORD.c.record_state,
        RECORD.c.start_time,
        RECORD.c.end_time,
    )
    .select_from(RECORD)
    .outerjoin(TaskRow, col(TaskRow.task_id) == RECORD.c.task_id)
    .outerjoin(FlightRow, col(FlightRow.flight_id) == col(TaskRow.flight_id))
    .where(RECORD.c.inspection_id.in_(_numbered_id_parameters()))
)
_ITEMS = select(ITEM.c.item_id, ITEM.c.inspection_id, ITEM.c.item_name, ITEM.c.result).where(
    ITEM.c.item_id.in_(_ids_parameter())
)
_RECORD_IDS_OF_TASKS = select(RECORD.c.inspection_id).where(RECORD.c.task_id.in_(_ids_parameter()))
_TASK_IDS_OF_FLIGHTS = select(col(TaskRow.task_id)).where(col(TaskRow.flight_id).in_(_ids_parameter()))
_FIRST_RECORDS = (
    select(RECORD.c.created_at, RECORD.c.inspection_id)
    .order_by(RECORD.c.created_at, RECORD.c.inspection_id)
    .limit(bindparam("most"))
)
_LATER_RECORDS = _FIRST_RECORDS.where(
    tuple_(RECORD.c.created_at, RECORD.c.inspection_id)
    > tuple_(
        bindparam("time", type_=RECORD.c.created_at.type), bindparam("id", type_=RECORD.c.inspection_id.type)
    )
)
_ITEM_IDS_OF_RECORDS = select(ITEM.c.item_id).where(ITEM.c.inspection_id.in_(_ids_parameter()))
_AIRCRAFT = select(col(AircraftRow.aircraft_id), col(AircraftRow.aircraft_name)).where(
    col(AircraftRow.aircraft_id).in_(_ids_parameter())
)
_MODELS = select(col(ModelRow.model_id), col(ModelRow.name)).where(
    col(ModelRow.model_id).in_(_ids_parameter())
)


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


def aircraft_names(session: Session, aircraft_ids: Collection[str]) -> Mapping[str, str]:
    """The names of these aircraft, by ID."""
    return _names_by_id(session, _AIRCRAFT, aircraft_ids)


def model_names(session: Session, model_ids: Collection[str]) -> Mapping[str, str]:
    """The names of these models, by ID."""
    return _names_by_id(session, _MODELS, model_ids)


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
        yield from statements.run(connection, _RECORDS, values)


def item_facts(session: Session, ids: Collection[str]) -> list[ItemFacts]:
    """The facts of those of these items that exist."""
    return [ItemFacts(*row) for row in session.connection().execute(_ITEMS, {"ids": list(ids)})]


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


def _names_by_id(session: Session, statement: Select[str, str], ids: Collection[str]) -> Mapping[str, str]:
    return {row[0]: row[1] for row in session.execute(statement, {"ids": list(ids)})}
