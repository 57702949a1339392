"""Implements the use cases of records."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from fastapi.encoders import jsonable_encoder
from sqlalchemy import FromClause, Row, bindparam, delete, exists, func, insert, or_, select, update
from sqlmodel import Session

from service.changes import ObjectChange, announce, differences
from service.db import statements
from service.db.database import Database, now
from service.db.upsert import insert_or_ignore
from service.inspection import problems, sources
from service.inspection.rules import FINISHED, Outcome, body_hash, progress_and_status
from service.inspection.seal_state import refuse_sealed
from service.inspection.tables import EDITION, ITEM, RECORD, RECORD_KEY
from service.web import etags
from service.web.etags import Updater
from service.web.security import Caller
from shared.ids import new_id
from shared.record import results
from shared.record.codes import STATUS_NAMES, Status
from shared.wire.inspection import RecordCreate, RecordUpdate

RecordRow = Row[*tuple[Any, ...]]

# What a record takes of other tables, behind its own columns.
_JOINED = ("executor_name", "reference_image_name", "flight_id", "aircraft_id", "aircraft_name")
_AIRCRAFT_ID = func.coalesce(sources.tasks.c.aircraft_id, sources.flights.c.aircraft_id)
COLUMNS = (
    *RECORD.c,
    *(
        column.label(name)
        for name, column in zip(
            _JOINED,
            (
                sources.executors.c.name,
                sources.reference_images.c.name,
                sources.tasks.c.flight_id,
                _AIRCRAFT_ID,
                sources.aircraft.c.name,
            ),
            strict=True,
        )
    ),
)
"""The columns of a full record, in the order that `record_body` takes; they come from `joined`."""


def joined(start: FromClause) -> FromClause:
    """`start`, which has the columns of a record, with all that a full record takes of other tables."""
    return (
        start.outerjoin(sources.executors, sources.executors.c.id == RECORD.c.executor_id)
        .outerjoin(sources.reference_images, sources.reference_images.c.id == RECORD.c.reference_image_id)
        .outerjoin(sources.tasks, sources.tasks.c.id == RECORD.c.task_id)
        .outerjoin(sources.flights, sources.flights.c.id == sources.tasks.c.flight_id)
        .outerjoin(sources.aircraft, sources.aircraft.c.id == _AIRCRAFT_ID)
    )


_UPDATERS = sources.executors.alias("updaters")
_BY_ID = (
    select(*COLUMNS, _UPDATERS.c.name_with_username.label("updated_by_name"))
    .select_from(joined(RECORD).outerjoin(_UPDATERS, _UPDATERS.c.id == RECORD.c.updated_by))
    .where(RECORD.c.inspection_id == bindparam("inspection_id"))
)
_INSERT = insert(RECORD)
_LOCK_RECORD = select(RECORD).where(RECORD.c.inspection_id == bindparam("inspection_id")).with_for_update()
_OUTCOMES = (
    select(ITEM.c.outcome, func.count())
    .where(ITEM.c.inspection_id == bindparam("inspection_id"))
    .group_by(ITEM.c.outcome)
)
_HAS_STARTED = select(
    or_(
        exists().where(
            ITEM.c.inspection_id == bindparam("inspection_id"),
            ITEM.c.outcome.in_([str(outcome) for outcome in FINISHED]),
        ),
        exists().where(EDITION.c.inspection_id == bindparam("inspection_id")),
    )
)
_NEWEST_TIME = select(func.max(ITEM.c.updated_at)).where(ITEM.c.inspection_id == bindparam("inspection_id"))
_CREATED_WITH_KEY = select(RECORD_KEY.c.inspection_id, RECORD_KEY.c.client_body).where(
    RECORD_KEY.c.client_key == bindparam("client_key")
)


# The names of a record's fields in their order, and the column that each is made of.
_FIELDS = {
    "inspection_id": "inspection_id",
    "inspection_name": "inspection_name",
    "task_id": "task_id",
    "executor_id": "executor_id",
    "executor_name": "executor_name",
    "reference_image_id": "reference_image_id",
    "reference_image_name": "reference_image_name",
    "progress": "progress",
    "start_time": "start_time",
    "end_time": "end_time",
    "inspection_status": "inspection_status",
    "status_name": "inspection_status",
    "flight_id": "flight_id",
    "aircraft_id": "aircraft_id",
    "aircraft_name": "aircraft_name",
    "created_at": "created_at",
    "updated_at": "updated_at",
}
_NAMES = (*RECORD.c.keys(), *_JOINED)
# By place: by name it takes four times as long, which is a sixth of the time of a page.
_field_values = itemgetter(*(_NAMES.index(name) for name in _FIELDS.values()))


def record_body(row: RecordRow) -> dict[str, Any]:
    """The record of a row with the `COLUMNS` with the fields of the contract; its times are datetimes."""
    body = dict(zip(_FIELDS, _field_values(row), strict=True))
    body["status_name"] = STATUS_NAMES[body["inspection_status"]]
    return body


def updater(row: Row[*tuple[Any, ...]]) -> Updater | None:
    """Who last changed the thing of a row by its ID; None when that is not known."""
    return None if row.updated_by is None else Updater(row.updated_by, row.updated_by_name)


@dataclass(frozen=True, slots=True)
class RecordState:
    """A record by `record_body`, its revision, and who last changed it by hand."""

    body: dict[str, Any]
    revision: int
    by: Updater | None


def naive_now() -> dt.datetime:
    """The present time in UTC as the tables of this domain keep it: without a zone."""
    return now().replace(tzinfo=None)


def locked_record(session: Session, inspection_id: str) -> RecordRow | None:
    """The stored record, locked: no other transaction writes it or its items until this one ends."""
    rows = statements.run(session.connection(), _LOCK_RECORD, {"inspection_id": inspection_id})
    return rows[0] if rows else None


def open_record(session: Session, inspection_id: str) -> RecordRow:
    """`locked_record` of one that may be changed. Raises Problem 404, and 409 when it is sealed."""
    record = locked_record(session, inspection_id)
    if record is None:
        raise problems.no_record()
    refuse_sealed(session, inspection_id)
    return record


def moment(session: Session, record: RecordRow) -> dt.datetime:
    """The present time, but no time before what was done to `record` (locked) and its items already.

    So the times within a record stand in the order in which things happened, also when the clock is set back.
    """
    newest = session.execute(_NEWEST_TIME, {"inspection_id": record.inspection_id}).scalar_one()
    before: dt.datetime = record.updated_at
    return max(naive_now(), before, newest or before)


def change_record(
    session: Session,
    record: RecordRow,
    values: dict[str, Any],
    actor: str | None,
    address: str | None = None,
    *,
    is_direct_edit: bool = True,
) -> None:
    """Store those of `values` that differ from `record` (locked), as one revision, and announce them.

    `is_direct_edit`: `actor` wrote these values; else they follow from what the actor did.
    """
    before = record._mapping
    changed = {name: value for name, value in values.items() if before[name] != value}
    if not changed:
        return
    stamp = {"revision": etags.new_revision(), "updated_at": max(naive_now(), record.updated_at)}
    stamp |= {"updated_by": actor} if is_direct_edit else {}
    session.execute(
        update(RECORD).where(RECORD.c.inspection_id == record.inspection_id).values(**changed, **stamp)
    )
    details = differences(before, changed, changed)
    announce(session, ObjectChange("update", "record", record.inspection_id, actor, address, details))


def recompute(session: Session, record: RecordRow, actor: str | None, address: str | None = None) -> None:
    """Bring progress and status of `record` (locked) in line with its items."""
    change_record(session, record, _from_items(session, record), actor, address, is_direct_edit=False)


def _from_items(session: Session, record: RecordRow) -> dict[str, Any]:
    rows = statements.run(session.connection(), _OUTCOMES, {"inspection_id": record.inspection_id})
    outcomes = {Outcome(name): count for name, count in rows}
    progress, status = progress_and_status(outcomes, Status(record.inspection_status))
    return {
        "progress": progress,
        "inspection_status": str(status),
        "record_state": _open_state(session, record.inspection_id, status),
    }


def _open_state(session: Session, inspection_id: str, status: Status) -> str:
    """`results.record_state` of a record that is not sealed, at `status`."""
    # Any other status implies that work on the record has started.
    has_started = status is not Status.NOT_STARTED or bool(
        session.execute(_HAS_STARTED, {"inspection_id": inspection_id}).scalar_one()
    )
    return str(results.record_state(status, sealed=None, has_started=has_started))


def _is_own_start(record: RecordRow) -> bool:
    """Whether the start of `record` is the time of its creation, because none was given."""
    return bool(record.start_time == record.created_at)


def _check_times(start: dt.datetime | None, end: dt.datetime | None, field: str) -> None:
    if start is not None and end is not None and end < start:
        raise problems.end_before_start(field)


def _state(rows: Sequence[RecordRow]) -> RecordState:
    if not rows:
        raise problems.no_record()
    (row,) = rows
    return RecordState(record_body(row), row.revision, updater(row))


def _hash(body: RecordCreate) -> str:
    return body_hash(body.model_dump(mode="json", exclude_unset=True))


class Records:
    """The use cases of records; each is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, body: RecordCreate, key: str | None, caller: Caller) -> RecordState:
        """Create a record; progress 0 and not_started unless given.

        Without a start it began now, or when it ended if that was earlier.
        With a `key` that the caller used before, nothing is made: the record of that time is the answer.
        Raises Problem 422 for an end before the start, and when the body of that time was another one.
        """
        _check_times(body.start_time, body.end_time, "end_time")
        inspection_id, at = new_id(), naive_now()
        status = body.inspection_status or Status.NOT_STARTED
        values = {
            **body.model_dump(),
            "inspection_id": inspection_id,
            "start_time": body.start_time or min(at, body.end_time or at),
            "progress": body.progress or 0,
            "inspection_status": str(status),
            "record_state": str(results.record_state(status, sealed=None, has_started=False)),
            "revision": 1,
            "created_at": at,
            "updated_at": at,
            "updated_by": caller.user_id,
        }

        client_key = None if key is None else f"{caller.user_id} {key}"

        def work(session: Session) -> RecordState:
            if (
                client_key is not None
                and (record := self._created_with_key(session, client_key, body)) is not None
            ):
                return record
            state = self._insert(session, values)
            if client_key is not None and not self._keep_key(session, client_key, body, inspection_id):
                # The same key made a record at this moment: now it is found.
                session.execute(delete(RECORD).where(RECORD.c.inspection_id == inspection_id))
                record = self._created_with_key(session, client_key, body)
                assert record is not None
                return record
            details = differences(dict.fromkeys(values), values, body.model_fields_set)
            change = ObjectChange("create", "record", inspection_id, caller.user_id, caller.address, details)
            announce(session, change)
            return state

        return await self._database.write(work)

    def _insert(self, session: Session, values: dict[str, Any]) -> RecordState:
        statements.run(session.connection(), _INSERT, values)
        return self.read_state(session, values["inspection_id"])

    def _created_with_key(self, session: Session, client_key: str, body: RecordCreate) -> RecordState | None:
        """The record that this key made; None when it made none. Raises Problem 422 for another body."""
        row = session.execute(_CREATED_WITH_KEY, {"client_key": client_key}).one_or_none()
        if row is None:
            return None
        if row.client_body != _hash(body):
            raise problems.key_reused()
        return self.read_state(session, row.inspection_id)

    @staticmethod
    def _keep_key(session: Session, client_key: str, body: RecordCreate, inspection_id: str) -> bool:
        """Remember what the key made; False when it has made another record."""
        row = {"client_key": client_key, "client_body": _hash(body), "inspection_id": inspection_id}
        return bool(insert_or_ignore(session, RECORD_KEY, [row], ["client_key"]))

    async def get(self, inspection_id: str) -> RecordState:
        """The full record. Raises Problem 404."""
        return _state(await self._database.select(_BY_ID, {"inspection_id": inspection_id}))

    async def update(
        self, inspection_id: str, body: RecordUpdate, if_match: str | None, caller: Caller
    ) -> RecordState:
        """Change the fields that were sent. A start that nobody gave moves back to an earlier end.

        Raises Problem 404, 409 (sealed), 412, and 422 for an end before the start.
        """

        def work(session: Session) -> RecordState:
            record = self.lock_matching(session, inspection_id, if_match)
            # Here, because this function may run again, with another record.
            sent = body.model_dump(exclude_unset=True)
            if body.inspection_status is not None:
                status = body.inspection_status
                sent["inspection_status"] = str(status)
                sent["record_state"] = _open_state(session, inspection_id, status)
            if "start_time" in sent or "end_time" in sent:
                if _is_own_start(record) and "start_time" not in sent and sent["end_time"] is not None:
                    sent["start_time"] = min(record.start_time, sent["end_time"])
                after = {**record._mapping, **sent}
                field = "end_time" if "end_time" in sent else "start_time"
                _check_times(after["start_time"], after["end_time"], field)
            change_record(session, record, sent, caller.user_id, caller.address)
            return self.read_state(session, inspection_id)

        return await self._database.write(work)

    async def delete(self, inspection_id: str, if_match: str | None, caller: Caller) -> None:
        """Delete the record with its items. Raises Problem 404, 409 (sealed), 412."""

        def work(session: Session) -> None:
            record = self.lock_matching(session, inspection_id, if_match)
            items = session.execute(_OUTCOMES, {"inspection_id": inspection_id})
            details = {
                "inspection_name": record.inspection_name,
                "task_id": record.task_id,
                "items": sum(count for _, count in items),
            }
            session.execute(delete(RECORD).where(RECORD.c.inspection_id == inspection_id))
            change = ObjectChange("delete", "record", inspection_id, caller.user_id, caller.address, details)
            announce(session, change)

        await self._database.write(work)

    def read_state(self, session: Session, inspection_id: str) -> RecordState:
        """The full record as it is in this transaction. Raises Problem 404."""
        by_id = {"inspection_id": inspection_id}
        return _state(statements.run(session.connection(), _BY_ID, by_id))

    def lock_matching(self, session: Session, inspection_id: str, if_match: str | None) -> RecordRow:
        """The stored record, locked. Raises Problem 404, 409 (sealed), 412."""
        record = open_record(session, inspection_id)

        def state() -> Mapping[str, Any]:
            current = self.read_state(session, inspection_id)
            return problems.current_state(jsonable_encoder(current.body), current.by)

        etags.require_match(if_match, etags.revision_etag(record.revision), state)
        return record
