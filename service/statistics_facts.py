"""Reads what statistics counts: the port of statistics to the tables of other domains."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, func, select, tuple_
from sqlmodel import Session, col

from service.catalogue.tables import AircraftRow, FlightRow, TaskRow
from service.db import statements
from service.detection.tables import ModelRow
from service.inspection.tables import ITEM, RECORD
from service.statistics.ports import ItemFacts, Mark, Ports, RecordFacts
from shared.codes import Status

_IDS_AT_ONCE = 16


def _ids() -> Any:
    return bindparam("ids", expanding=True)


def _some_ids() -> list[Any]:
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
    .where(RECORD.c.inspection_id.in_(_some_ids()))
)
_ITEMS = select(ITEM.c.item_id, ITEM.c.inspection_id, ITEM.c.item_name, ITEM.c.result).where(
    ITEM.c.item_id.in_(_ids())
)
_OF_TASKS = select(RECORD.c.inspection_id).where(RECORD.c.task_id.in_(_ids()))
_OF_FLIGHTS = select(col(TaskRow.task_id)).where(col(TaskRow.flight_id).in_(_ids()))
_NEXT = (
    select(RECORD.c.created_at, RECORD.c.inspection_id)
    .order_by(RECORD.c.created_at, RECORD.c.inspection_id)
    .limit(bindparam("most"))
)
_BEHIND = _NEXT.where(
    tuple_(RECORD.c.created_at, RECORD.c.inspection_id)
    > tuple_(
        bindparam("time", type_=RECORD.c.created_at.type), bindparam("id", type_=RECORD.c.inspection_id.type)
    )
)
_ITEMS_OF = select(ITEM.c.item_id).where(ITEM.c.inspection_id.in_(_ids()))
_AIRCRAFT = select(col(AircraftRow.aircraft_id), col(AircraftRow.aircraft_name)).where(
    col(AircraftRow.aircraft_id).in_(_ids())
)
_MODELS = select(col(ModelRow.model_id), col(ModelRow.name)).where(col(ModelRow.model_id).in_(_ids()))


def statistics_ports() -> Ports:
    """The ports of the statistics."""
    return Ports(
        records=_records,
        items=_items,
        record_ids_of_tasks=lambda session, ids: _first(session, _OF_TASKS, ids),
        task_ids_of_flights=lambda session, ids: _first(session, _OF_FLIGHTS, ids),
        next_records=_next,
        item_ids_of_records=lambda session, ids: _first(session, _ITEMS_OF, ids),
        aircraft=lambda session, ids: _names_by_id(session, _AIRCRAFT, ids),
        models=lambda session, ids: _names_by_id(session, _MODELS, ids),
    )


def _records(session: Session, ids: Collection[str]) -> list[RecordFacts]:
    facts = []
    for row in _record_rows(session.connection(), list(ids)):
        ended = row.start_time is not None and row.end_time is not None
        timed = ended and row.record_state != Status.CANCELLED
        seconds = int((row.end_time - row.start_time).total_seconds()) if timed else None
        facts.append(
            RecordFacts(
                row.inspection_id, row.moment, row.aircraft_id, row.executor_id, row.record_state, seconds
            )
        )
    return facts


def _record_rows(connection: Connection, ids: Sequence[str]) -> Iterator[Row[*tuple[Any, ...]]]:
    for start in range(0, len(ids), _IDS_AT_ONCE):
        some = ids[start : start + _IDS_AT_ONCE]
        # A prebuilt statement has a fixed number of parameters: the last id is repeated.
        values = {f"id_{number}": some[min(number, len(some) - 1)] for number in range(_IDS_AT_ONCE)}
        yield from statements.run(connection, _RECORDS, values)


def _items(session: Session, ids: Collection[str]) -> list[ItemFacts]:
    return [ItemFacts(*row) for row in session.connection().execute(_ITEMS, {"ids": list(ids)})]


def _next(session: Session, after: Mark | None, most: int) -> list[Mark]:
    statement, place = (_NEXT, {}) if after is None else (_BEHIND, {"time": after[0], "id": after[1]})
    return [
        (row.created_at, row.inspection_id) for row in session.execute(statement, {**place, "most": most})
    ]


def _first(session: Session, statement: Select[Any], ids: Collection[str]) -> Sequence[str]:
    return session.execute(statement, {"ids": list(ids)}).scalars().all()


def _names_by_id(session: Session, statement: Select[str, str], ids: Collection[str]) -> Mapping[str, str]:
    return {row[0]: row[1] for row in session.execute(statement, {"ids": list(ids)})}
