"""Defines the triggers that keep the audit log append-only, finds those that are missing and creates them."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import text
from sqlmodel import Session

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
