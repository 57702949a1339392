"""Implements what a shift does with records: finds work, hands over, comments."""

from __future__ import annotations

import datetime as dt
from typing import Any

from sqlalchemy import Table, delete, exists, insert, select, update
from sqlmodel import Session, col

from service.account.store import NAME_WITH_USERNAME
from service.account.tables import LoginSession, User, UserRole
from service.changes import ObjectChange, announce
from service.db.database import Database
from service.inspection import problems
from service.inspection.records.records import change_record, moment, open_record
from service.inspection.records.search import RecordQueries
from service.inspection.tables import COMMENT, HANDOVER, ITEM, RECORD
from service.web.security import Caller
from shared.ids import new_id
from shared.record.codes import ROLE_PERMISSIONS, Permission
from shared.wire.common import to_utc
from shared.wire.shift import (
    Comment,
    CommentUpdate,
    CommentWrite,
    Handover,
    HandoverWrite,
    Inspector,
    Work,
    WorkCounts,
)

_MAX_INSPECTORS = 500
_MAY_TAKE_OVER = (
    col(User.enabled),
    exists().where(
        col(UserRole.user_id) == col(User.id),
        col(UserRole.role).in_(
            [
                role
                for role, permissions in ROLE_PERMISSIONS.items()
                if Permission.INSPECTION_UPDATE in permissions
            ]
        ),
    ),
)
"""What holds of users to whom a record can be handed over: a viewer could do nothing with it."""


class Shift:
    """The use cases of a shift."""

    def __init__(self, database: Database, queries: RecordQueries) -> None:
        self._database = database
        self._queries = queries

    async def counts(self, caller: Caller) -> WorkCounts:
        """How many records there are of each kind of work for the caller."""

        def work(session: Session) -> WorkCounts:
            since = _last_login(session, caller)
            counts = {
                str(kind): session.execute(
                    self._queries.work_count(kind), work_values(kind, caller.user_id, since)
                ).scalar_one()
                for kind in Work
            }
            return WorkCounts(**counts, since=since)

        return await self._database.read(work)

    async def filters(self, kind: Work, caller: Caller) -> dict[str, Any]:
        """The filters of `RecordQueries` for a kind of work, with their values."""
        since = None
        if kind is Work.NEWS:
            since = await self._database.read(lambda session: _last_login(session, caller))
        return work_values(kind, caller.user_id, since)

    async def inspectors(self) -> list[Inspector]:
        """The users who can log in and change records, by name."""

        def work(session: Session) -> list[Inspector]:
            query = select(col(User.id), NAME_WITH_USERNAME).where(*_MAY_TAKE_OVER)
            rows = session.execute(query.order_by(NAME_WITH_USERNAME).limit(_MAX_INSPECTORS))
            return [Inspector(user_id=row[0], name=row[1]) for row in rows]

        return await self._database.read(work)

    async def hand_over(self, inspection_id: str, body: HandoverWrite, caller: Caller) -> Handover:
        """Make another person the executor of a record and keep the note.

        Raises Problem 404 (record, person), 409 (sealed).
        """

        def work(session: Session) -> Handover:
            record = open_record(session, inspection_id)
            query = select(NAME_WITH_USERNAME).where(col(User.id) == body.given_to, *_MAY_TAKE_OVER)
            name = session.execute(query).scalar_one_or_none()
            if name is None:
                raise problems.no_user()
            row = {
                "handover_id": new_id(),
                "given_by": caller.user_id,
                "given_by_name": caller.display_name,
                "given_to": body.given_to,
                "given_to_name": name,
                "note": body.note,
                "created_at": moment(session, record),
            }
            session.execute(insert(HANDOVER).values(inspection_id=inspection_id, **row))
            details = {"given_to": body.given_to, "note": body.note}
            change = ObjectChange(
                "hand_over", "record", inspection_id, caller.user_id, caller.address, details
            )
            announce(session, change)
            change_record(session, record, {"executor_id": body.given_to}, caller.user_id, caller.address)
            return Handover.model_validate({**row, "created_at": to_utc(row["created_at"])})

        return await self._database.write(work)

    async def handovers(self, inspection_id: str) -> list[Handover]:
        """The handovers of a record, newest first. Raises Problem 404."""
        rows = await self._database.read(lambda session: _rows(session, HANDOVER, inspection_id))
        return [Handover.model_validate(row) for row in reversed(rows)]

    async def comment(self, inspection_id: str, body: CommentWrite, caller: Caller) -> Comment:
        """Write a comment on an item. Raises Problem 404 (record, item), 409 (sealed)."""

        def work(session: Session) -> Comment:
            record = open_record(session, inspection_id)
            query = select(ITEM.c.item_id).where(
                ITEM.c.item_id == body.item_id, ITEM.c.inspection_id == inspection_id
            )
            if session.execute(query).one_or_none() is None:
                raise problems.no_item()
            row = {
                "comment_id": new_id(),
                **body.model_dump(),
                "written_by": caller.user_id,
                "written_by_name": caller.display_name,
                "created_at": moment(session, record),
            }
            session.execute(insert(COMMENT).values(inspection_id=inspection_id, **row))
            details = {"item_id": body.item_id, "text": body.text}
            change = ObjectChange("comment", "record", inspection_id, caller.user_id, caller.address, details)
            announce(session, change)
            return Comment.model_validate({**row, "created_at": to_utc(row["created_at"])})

        return await self._database.write(work)

    async def change_comment(
        self, inspection_id: str, comment_id: str, body: CommentUpdate, caller: Caller
    ) -> Comment:
        """Change the text of the caller's comment; the audit log keeps the old one.

        Raises Problem 404 (record, comment), 403 (comment of another user), 409 (sealed).
        """

        def work(session: Session) -> Comment:
            open_record(session, inspection_id)
            row = _own_comment(session, inspection_id, comment_id, caller)
            if row["text"] != body.text:
                of_comment = COMMENT.c.comment_id == comment_id
                session.execute(update(COMMENT).where(of_comment).values(text=body.text))
                _announce_comment(session, "comment_changed", row, body.text, caller)
            return Comment.model_validate({**row, "text": body.text})

        return await self._database.write(work)

    async def delete_comment(self, inspection_id: str, comment_id: str, caller: Caller) -> None:
        """Delete the caller's comment; the audit log keeps its text. Raises Problem like `change_comment`."""

        def work(session: Session) -> None:
            open_record(session, inspection_id)
            row = _own_comment(session, inspection_id, comment_id, caller)
            session.execute(delete(COMMENT).where(COMMENT.c.comment_id == comment_id))
            _announce_comment(session, "comment_deleted", row, None, caller)

        await self._database.write(work)

    async def comments(self, inspection_id: str) -> list[Comment]:
        """The comments on the items of a record, oldest first. Raises Problem 404."""

        def work(session: Session) -> list[Comment]:
            query = select(ITEM.c.item_id).where(ITEM.c.inspection_id == inspection_id)
            items = set(session.execute(query).scalars())
            rows = _rows(session, COMMENT, inspection_id)
            return [Comment.model_validate(row) for row in rows if row["item_id"] in items]

        return await self._database.read(work)


def _own_comment(session: Session, inspection_id: str, comment_id: str, caller: Caller) -> dict[str, Any]:
    row = next(
        (row for row in _rows(session, COMMENT, inspection_id) if row["comment_id"] == comment_id), None
    )
    if row is None:
        raise problems.no_comment()
    if row["written_by"] != caller.user_id:
        raise problems.comment_of_another()
    return row


def _announce_comment(
    session: Session, action: str, row: dict[str, Any], text: str | None, caller: Caller
) -> None:
    details = {"item_id": row["item_id"], "text": {"old": row["text"], "new": text}}
    change = ObjectChange(action, "record", row["inspection_id"], caller.user_id, caller.address, details)
    announce(session, change)


def work_values(kind: Work, user_id: str, since: dt.datetime | None) -> dict[str, Any]:
    """The filters of `RecordQueries` for a kind of work; their values are its parameters."""
    values: dict[str, Any] = {f"work_{kind}": True}
    if kind is Work.MINE:
        values["executor_id"] = user_id
    elif kind is Work.NEWS:
        # Without an earlier login nothing is news.
        at = since or dt.datetime.max
        values = {"work_news": at.replace(tzinfo=None), "work_by_others": user_id}
    return values


def _last_login(session: Session, caller: Caller) -> dt.datetime | None:
    """When the newest other session of the caller began."""
    created = col(LoginSession.created_at)
    query = select(created).where(
        col(LoginSession.user_id) == caller.user_id, col(LoginSession.id) != caller.session_id
    )
    at: dt.datetime | None = session.execute(query.order_by(created.desc()).limit(1)).scalar_one_or_none()
    return at


def _rows(session: Session, table: Table, inspection_id: str) -> list[dict[str, Any]]:
    """The rows of a record, oldest first, with times in UTC. Raises Problem 404."""
    of_record = RECORD.c.inspection_id == inspection_id
    if session.execute(select(RECORD.c.inspection_id).where(of_record)).first() is None:
        raise problems.no_record()
    query = select(table).where(table.c.inspection_id == inspection_id)
    rows = session.execute(query.order_by(table.c.created_at, *table.primary_key.columns))
    return [{**row._mapping, "created_at": to_utc(row.created_at)} for row in rows]
