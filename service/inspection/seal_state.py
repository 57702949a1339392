"""Finds the newest edition of a record and refuses changes while it seals the record."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Row, bindparam, func, select
from sqlmodel import Session

from service.db import statements
from service.inspection import problems
from service.inspection.tables import EDITION
from shared.record.codes import SEALED_STATES, SealState, Status
from shared.wire.common import to_utc
from shared.wire.seal import Edition

EditionRow = Row[*tuple[Any, ...]]

# The content is long and rarely asked for.
COLUMNS = tuple(column for column in EDITION.c if column.name != "content")

_OF_RECORD = select(*COLUMNS).where(EDITION.c.inspection_id == bindparam("inspection_id"))
_NEWEST = _OF_RECORD.order_by(EDITION.c.edition.desc()).limit(1)
_NUMBERS = (
    select(EDITION.c.inspection_id, func.max(EDITION.c.edition).label("edition"))
    .where(EDITION.c.inspection_id.in_(bindparam("inspection_ids", expanding=True)))
    .group_by(EDITION.c.inspection_id)
    .subquery()
)
_NEWEST_OF = select(*COLUMNS).join(
    _NUMBERS,
    (_NUMBERS.c.inspection_id == EDITION.c.inspection_id) & (_NUMBERS.c.edition == EDITION.c.edition),
)


def editions(session: Session, inspection_id: str) -> Sequence[EditionRow]:
    """The editions of a record without their content, oldest first."""
    query = _OF_RECORD.order_by(EDITION.c.edition)
    return session.execute(query, {"inspection_id": inspection_id}).all()


def newest_edition(session: Session, inspection_id: str) -> EditionRow | None:
    """The newest edition of a record without its content; None when it was never finished."""
    rows = statements.run(session.connection(), _NEWEST, {"inspection_id": inspection_id})
    return rows[0] if rows else None


def newest_editions(session: Session, inspection_ids: Collection[str]) -> dict[str, EditionRow]:
    """`newest_edition` of several records by their ids."""
    rows = session.execute(_NEWEST_OF, {"inspection_ids": list(inspection_ids)})
    return {row.inspection_id: row for row in rows}


def state_of(newest: EditionRow | None) -> SealState:
    """Where a record with this newest edition stands."""
    if newest is None:
        return SealState.OPEN
    if newest.reopened_at is not None:
        return SealState.REOPENED
    if newest.needs_release and newest.released_at is None:
        return SealState.AWAITING_RELEASE
    return SealState.FINISHED


def refuse_sealed(session: Session, inspection_id: str) -> None:
    """Raises Problem 409 when the record is sealed. The record is locked before a change, so it stays so."""
    newest = newest_edition(session, inspection_id)
    if newest is not None and state_of(newest) in SEALED_STATES:
        raise problems.record_sealed(newest.edition)


def edition_of(row: EditionRow) -> Edition:
    """An edition as clients see it."""
    return Edition(
        edition=row.edition,
        seal=row.seal,
        outcome=Status(row.outcome),
        accepted_opinions=row.accepted_opinions,
        finished_by=row.finished_by,
        finished_by_name=row.finished_by_name,
        finished_at=to_utc(row.finished_at),
        needs_release=row.needs_release,
        released_by=row.released_by,
        released_by_name=row.released_by_name,
        released_at=None if row.released_at is None else to_utc(row.released_at),
        reopened_by=row.reopened_by,
        reopened_by_name=row.reopened_by_name,
        reopened_at=None if row.reopened_at is None else to_utc(row.reopened_at),
        reopen_reason=row.reopen_reason,
    )
