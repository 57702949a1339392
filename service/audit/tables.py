"""Defines the tables of the audit log, and the triggers that keep it append-only.

The database itself refuses to change or delete a row of it (migration 0007). Triggers that are missing are
found and created.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from sqlalchemy import BigInteger, Index, Integer, Text, text
from sqlmodel import Field, Session

from service.db.database import Base, UtcTime

_SEQ = BigInteger().with_variant(Integer, "sqlite")


class AuditRow(Base, table=True):
    """One event. `details` is the JSON text that the hash covers."""

    __tablename__ = "audit_event"
    __table_args__ = (
        Index(None, "kind", "object_id", "seq"),
        Index(None, "actor", "seq"),
        Index(None, "action", "seq"),
        Index(None, "at"),
    )

    seq: int = Field(sa_type=_SEQ, primary_key=True, sa_column_kwargs={"autoincrement": False})
    at: dt.datetime = Field(sa_type=UtcTime)
    action: str = Field(max_length=255)
    kind: str = Field(max_length=255)
    object_id: str | None = Field(default=None, max_length=255)
    actor: str | None = Field(default=None, max_length=255)
    address: str | None = Field(default=None, max_length=255)
    details: str = Field(sa_type=Text)
    prev_hash: str = Field(max_length=64)
    hash: str = Field(max_length=64)


class HeadRow(Base, table=True):
    """The newest row of the log, signed with a key that is not in the database. There is one such row."""

    __tablename__ = "audit_head"

    head_id: int = Field(default=1, primary_key=True, sa_column_kwargs={"autoincrement": False})
    seq: int = Field(sa_type=_SEQ)
    hash: str = Field(max_length=64)
    mac: str = Field(max_length=64)


CREATED = "audit_triggers_created"
"""Action of a row which records that triggers were missing: rows could be changed before it."""

# As migration 0007 creates them: a trigger with another text is as good as none.
_SQLITE = {
    f"audit_event_no_{action.lower()}": f"CREATE TRIGGER audit_event_no_{action.lower()} BEFORE {action} ON "
    "audit_event BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
    for action in ("DELETE", "UPDATE")
}
_NAME = "audit_event_append_only"
_FUNCTION = " BEGIN RAISE EXCEPTION 'the audit log is append-only'; END "
_POSTGRESQL = (
    f"CREATE OR REPLACE FUNCTION audit_event_refuse() RETURNS trigger LANGUAGE plpgsql AS $${_FUNCTION}$$",
    f"DROP TRIGGER IF EXISTS {_NAME} ON audit_event",
    f"CREATE TRIGGER {_NAME} BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_event "
    "FOR EACH STATEMENT EXECUTE FUNCTION audit_event_refuse()",
)
# 'O' and 'A' fire in every session that is not a replica's. 58: before DELETE, UPDATE and TRUNCATE, for each
# statement (pg_trigger.h).
_INTACT_POSTGRESQL = text(
    "SELECT tgname FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid "
    "WHERE tgrelid = 'audit_event'::regclass AND tgenabled IN ('O', 'A') AND tgtype = 58 "
    "AND tgqual IS NULL AND cardinality(tgattr::int2[]) = 0 AND prosrc = :source"
)
_INTACT_SQLITE = text(
    "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'audit_event'"
)


def missing_triggers(session: Session) -> list[str]:
    """The names of the triggers that are not in the database, or do something else there."""
    connection = session.connection()
    if connection.dialect.name == "sqlite":
        found = {(name, sql) for name, sql in connection.execute(_INTACT_SQLITE)}
        return [name for name, sql in _SQLITE.items() if (name, sql) not in found]
    names = connection.execute(_INTACT_POSTGRESQL, {"source": _FUNCTION}).scalars().all()
    return [] if _NAME in names else [_NAME]


def create_triggers(session: Session, names: Iterable[str]) -> None:
    """Create these triggers, in place of those that have their names."""
    connection = session.connection()
    if connection.dialect.name == "sqlite":
        for name in names:
            connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {name}")
            connection.exec_driver_sql(_SQLITE[name])
    else:
        for statement in _POSTGRESQL:
            connection.exec_driver_sql(statement)
