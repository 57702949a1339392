"""Finds the users who signed results of a record, and the changes of their full names around it."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import select
from sqlmodel import Session

from service.account.names import usernames
from service.audit.service import entries_of_object
from service.db.database import Database
from service.inspection import problems
from service.inspection.rules import signers
from service.inspection.seal_state import EditionRow, editions
from service.inspection.tables import EDITION, ITEM, RECORD
from shared.wire.common import to_utc
from shared.wire.seal import NameChange, RecordUsers


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
