"""Inserts rows whose key may exist already, on SQLite and PostgreSQL.

A statement waits for another transaction that inserted the same key and has not ended. Rows are locked in the
order given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Table
from sqlmodel import Session

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite

Rows = Sequence[Mapping[str, Any]]
"""At least one row, all with the same columns."""


def insert_or_ignore(session: Session, table: Table, rows: Rows, key: Sequence[str]) -> int:
    """Insert the rows whose `key` (columns of a unique index) is free; return how many were inserted.

    Raises IntegrityError for any other constraint.
    """
    statement = _insert(session, table).on_conflict_do_nothing(index_elements=key)
    return _execute(session, statement, table, rows)


def insert_or_update(
    session: Session, table: Table, rows: Rows, key: Sequence[str], changes: Mapping[str, Any] | None = None
) -> None:
    """Insert the rows; where the `key` (columns of a unique index) is taken, update the row that has it.

    `changes` are values and expressions of the table's columns; by default all columns of the new row. No two
    rows may have the same key. Raises IntegrityError for any other constraint.
    """
    statement = _insert(session, table)
    if changes is None:
        changes = {name: statement.excluded[name] for name in rows[0] if name not in key}
    _execute(session, statement.on_conflict_do_update(index_elements=key, set_=changes), table, rows)


def _insert(session: Session, table: Table) -> postgresql.Insert | sqlite.Insert:
    # Most services are on SQLite: they start sooner without the dialect of PostgreSQL.
    if session.get_bind().dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(table)
    from sqlalchemy.dialects import sqlite

    return sqlite.insert(table)


def _execute(session: Session, statement: postgresql.Insert | sqlite.Insert, table: Table, rows: Rows) -> int:
    # RETURNING has SQLAlchemy send many rows in few statements, within the limit of parameters.
    returned = session.execute(statement.returning(*table.primary_key), [dict(row) for row in rows])
    return len(returned.all())
