"""Releases and reopens sealed records and lists their editions.

Finds the users who signed results of a record, and the changes of their full names around it.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Row, Select, bindparam, func, select, update
from sqlmodel import Session

from service.account.store import usernames
from service.audit.service import entries_of_object
from service.changes import ObjectChange, announce
from service.db.database import Database
from service.inspection import problems, sources
from service.inspection.records.records import change_record, locked_record, moment
from service.inspection.rules import signers
from service.inspection.seal_state import (
    EditionRow,
    edition_of,
    editions,
    newest_edition,
    newest_editions,
    state_of,
)
from service.inspection.tables import EDITION, ITEM, POLICY, RECORD
from service.web.security import Caller
from shared.record.codes import SEALED_STATES, SealState, Status, Verdict
from shared.record.results import Counters, record_state
from shared.wire.common import to_utc
from shared.wire.seal import Edition, InspectionPolicy, NameChange, RecordSeal, RecordUsers, Tally


class People:
    """The users whom a record names."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def users(self, inspection_id: str) -> RecordUsers:
        """The users whom a record names, also a deleted one, with `relevant_changes`. Raises Problem 404."""
        return await self._database.read(lambda session: self._users(session, inspection_id))

    def _users(self, session: Session, inspection_id: str) -> RecordUsers:
        rows = editions(session, inspection_id)
        query = select(RECORD.c.created_at, RECORD.c.executor_id)
        record = session.execute(query.where(RECORD.c.inspection_id == inspection_id)).one_or_none()
        if record is not None:
            start: dt.datetime = record.created_at
            users = {record.executor_id, *signers_of_record(session, inspection_id)}
        elif rows:
            sealed = _newest_content(session, inspection_id)
            start = dt.datetime.fromisoformat(sealed["record"]["created_at"])
            users = {sealed["record"]["executor_id"]}.union(
                *(signers(item["result"]) for item in sealed["items"])
            )
        else:
            raise problems.no_record()
        for row in rows:
            users |= {row.finished_by, row.released_by, row.reopened_by}
        user_ids = sorted(user for user in users if user is not None)
        changes = name_changes(session, user_ids)
        return RecordUsers(
            usernames=usernames(session, user_ids),
            name_changes=relevant_changes(changes, to_utc(start), _end(rows)),
        )


def name_changes(session: Session, user_ids: Collection[str]) -> list[NameChange]:
    """Every change of the full names of these users, oldest first."""
    changes = []
    for user_id, username in usernames(session, user_ids).items():
        for entry in entries_of_object(session, "user", user_id, ("update",)):
            names = entry.details.get("name")
            # Before the log had both names, it had only the fact.
            if isinstance(names, list):
                changes.append(
                    NameChange(at=entry.at, username=username, old_name=names[0], new_name=names[1])
                )
    return sorted(changes, key=lambda change: change.at)


def signers_of_record(session: Session, inspection_id: str) -> set[str]:
    """The IDs of the users who gave a verdict or a correction in a record."""
    results = session.scalars(select(ITEM.c.result).where(ITEM.c.inspection_id == inspection_id))
    return set().union(*(signers(json.loads(result)) for result in results))


def relevant_changes(
    changes: Sequence[NameChange], start: dt.datetime, end: dt.datetime | None
) -> list[NameChange]:
    """The changes that a reader of a record from `start` to `end` must know; None if it has not ended.

    These are the changes during the record. If a user changed the full name before the record and again after
    it, the record shows a name that the user had only for a time: then the last change before the record and
    the first one after it belong to them.
    """
    relevant: list[NameChange] = []
    for username in dict.fromkeys(change.username for change in changes):
        by_user = [change for change in changes if change.username == username]
        before = [change for change in by_user if change.at < start]
        after = [change for change in by_user if end is not None and change.at > end]
        during = by_user[len(before) : len(by_user) - len(after)]
        between = (before[-1:], after[:1]) if before and after else ([], [])
        relevant += [*between[0], *during, *between[1]]
    return sorted(relevant, key=lambda change: change.at)


def _end(rows: Sequence[EditionRow]) -> dt.datetime | None:
    """The time of the last signature on a sealed record; None for a record that is open."""
    if not rows or rows[-1].reopened_at is not None:
        return None
    return to_utc(rows[-1].released_at or rows[-1].finished_at)


def _newest_content(session: Session, inspection_id: str) -> dict[str, Any]:
    of_record = EDITION.c.inspection_id == inspection_id
    newest = select(EDITION.c.content).where(of_record).order_by(EDITION.c.edition.desc()).limit(1)
    content: dict[str, Any] = json.loads(session.scalars(newest).one())
    return content


_IDS: Any = bindparam("inspection_ids", expanding=True)
_Changing = Callable[[Session, EditionRow, dt.datetime], Mapping[str, Any]]
"""Gives what changes in the newest edition at this time. Raises Problem when it may not."""


class Editions:
    """The use cases of sealed records; each is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._counted = _counted()

    async def seal(self, inspection_id: str) -> RecordSeal:
        """Where the record stands. Raises Problem 404."""
        return await self._database.read(lambda session: self._seal(session, inspection_id))

    async def summaries(self, inspection_ids: Sequence[str]) -> list[RecordSeal]:
        """Where these records stand, in their order; unknown records are left out."""
        return await self._database.read(lambda session: self._summaries(session, inspection_ids))

    async def list_editions(self, inspection_id: str) -> list[Edition]:
        """The editions of a record, oldest first, also of a deleted one. Raises Problem 404 when unknown."""

        def work(session: Session) -> list[Edition]:
            all_editions = [edition_of(row) for row in editions(session, inspection_id)]
            if not all_editions:
                self._seal(session, inspection_id)
            return all_editions

        return await self._database.read(work)

    async def content(self, inspection_id: str, edition: int) -> tuple[Edition, str]:
        """An edition and its canonical content, also of a deleted record. Raises Problem 404."""

        def work(session: Session) -> tuple[Edition, str]:
            conditions = (EDITION.c.inspection_id == inspection_id, EDITION.c.edition == edition)
            row = session.execute(select(EDITION).where(*conditions)).one_or_none()
            if row is None:
                raise problems.no_edition()
            return edition_of(row), row.content

        return await self._database.read(work)

    async def reopen(self, inspection_id: str, reason: str, caller: Caller) -> RecordSeal:
        """Let the record be changed again; its edition stays. Raises Problem 404, and 409 unless sealed."""

        def change(session: Session, newest: EditionRow, at: dt.datetime) -> Mapping[str, Any]:
            if state_of(newest) not in SEALED_STATES:
                raise problems.not_sealed()
            return {
                "reopened_by": caller.user_id,
                "reopened_by_name": caller.display_name,
                "reopened_at": at,
                "reopen_reason": reason,
            }

        return await self._change(inspection_id, "reopen", change, caller)

    async def release(self, inspection_id: str, edition: int, caller: Caller) -> RecordSeal:
        """Release an edition as a user who took no part in it.

        Raises Problem 404, 403 for a user who finished it or gave a verdict or a correction in it, and 409
        when it is not the newest or awaits no release.
        """

        def change(session: Session, newest: EditionRow, at: dt.datetime) -> Mapping[str, Any]:
            if newest.edition != edition:
                raise problems.other_edition(newest.edition)
            if state_of(newest) is not SealState.AWAITING_RELEASE:
                raise problems.not_awaiting_release()
            if caller.user_id in {newest.finished_by, *signers_of_record(session, inspection_id)}:
                raise problems.same_person()
            return {"released_by": caller.user_id, "released_by_name": caller.display_name, "released_at": at}

        return await self._change(inspection_id, "release", change, caller)

    async def policy(self) -> InspectionPolicy:
        """The rules of this installation."""
        return await self._database.read(_read_policy)

    async def set_policy(self, policy: InspectionPolicy, caller: Caller) -> InspectionPolicy:
        """Change the rules that `policy` has for records that are finished from now on; returns all rules."""
        values = policy.model_dump(exclude_none=True, exclude={"reason_characters"})

        def work(session: Session) -> InspectionPolicy:
            if values:
                session.execute(update(POLICY).values(values))
                change = ObjectChange(
                    "update", "inspection_policy", "1", caller.user_id, caller.address, values
                )
                announce(session, change)
            return _read_policy(session)

        return await self._database.write(work)

    async def _change(self, inspection_id: str, action: str, change: _Changing, caller: Caller) -> RecordSeal:
        def work(session: Session) -> RecordSeal:
            record = locked_record(session, inspection_id)
            if record is None:
                raise problems.no_record()
            newest = newest_edition(session, inspection_id)
            if newest is None:
                raise problems.not_sealed()
            values = change(session, newest, moment(session, record))
            conditions = (EDITION.c.inspection_id == inspection_id, EDITION.c.edition == newest.edition)
            session.execute(update(EDITION).where(*conditions).values(**values))
            release_details = {
                name: value.isoformat() if isinstance(value, dt.datetime) else value
                for name, value in values.items()
            }
            details = {"edition": newest.edition, "seal": newest.seal, **release_details}
            announce(
                session,
                ObjectChange(action, "record", inspection_id, caller.user_id, caller.address, details),
            )
            if action == "reopen":
                status = Status.IN_PROGRESS
                again = {
                    "end_time": None,
                    "inspection_status": str(status),
                    "record_state": str(record_state(status, sealed=None, has_started=True)),
                }
                change_record(session, record, again, caller.user_id, caller.address)
            return self._seal(session, inspection_id)

        return await self._database.write(work)

    def _seal(self, session: Session, inspection_id: str) -> RecordSeal:
        seals = self._summaries(session, [inspection_id])
        if not seals:
            raise problems.no_record()
        if seals[0].state is SealState.AWAITING_RELEASE:
            seals[0].signed_by = sorted(signers_of_record(session, inspection_id))
        return seals[0]

    def _summaries(self, session: Session, inspection_ids: Sequence[str]) -> list[RecordSeal]:
        counted: dict[str, Counters] = {}
        records: dict[str, Row[Any]] = {}
        for row in session.execute(self._counted, {"inspection_ids": list(inspection_ids)}):
            before = counted.get(row.inspection_id, Counters())
            if row.items:
                before = before.plus(Verdict(row.verdict), row.detected, row.items)
            counted[row.inspection_id] = before
            records[row.inspection_id] = row
        newest = newest_editions(session, inspection_ids)
        return [
            _record_seal(records[inspection_id], counted[inspection_id], newest.get(inspection_id))
            for inspection_id in dict.fromkeys(inspection_ids)
            if inspection_id in counted
        ]


def _counted() -> Select[Any]:
    """How many items of each verdict the records have: one query, also for the records without items."""
    executors = sources.executors.c
    keys = (
        RECORD.c.inspection_id,
        RECORD.c.record_state,
        executors.name_with_username.label("executor"),
        ITEM.c.verdict,
        ITEM.c.detected,
    )
    return (
        select(*keys, func.count(ITEM.c.item_id).label("items"))
        .select_from(RECORD)
        .outerjoin(ITEM, ITEM.c.inspection_id == RECORD.c.inspection_id)
        .outerjoin(sources.executors, executors.id == RECORD.c.executor_id)
        .where(RECORD.c.inspection_id.in_(_IDS))
        .group_by(*keys)
    )


def _record_seal(record: Row[Any], counted: Counters, newest: EditionRow | None) -> RecordSeal:
    return RecordSeal(
        inspection_id=record.inspection_id,
        state=state_of(newest),
        record_state=Status(record.record_state),
        outcome=counted.outcome,
        counters=Tally(**asdict(counted)),
        newest=None if newest is None else edition_of(newest),
        executor=record.executor,
    )


def _read_policy(session: Session) -> InspectionPolicy:
    row = session.execute(select(POLICY)).one()
    return InspectionPolicy(
        four_eyes=row.four_eyes,
        requires_inspection=row.requires_inspection,
        required_coverage=row.required_coverage,
    )


def required_coverage(session: Session) -> float:
    """Port: the least share of a region that a photo must show for a model's pass to count, 0..1."""
    return float(session.execute(select(POLICY.c.required_coverage)).scalar_one())
