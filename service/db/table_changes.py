"""Counts the changes of a table of PostgreSQL, so that a reader knows whether what it found out still holds.

Every statement that changes the table first takes a lock that all of them share, then raises a sequence. The
sequence does not wait for the commit: it says that a change has begun. The lock is held until the change is
committed or rolled back: it says that a change has not ended. So what was read after nobody held the lock is
true as long as the sequence has not been raised since it was read before that. No writer waits for another.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sqlalchemy import Label, Select, String, cast, column, func, literal_column, select, table

_LOCK_CLASS = 7_105_050
"""The first key of the advisory locks, the second is the table's: any number that no other lock has."""
_LOCKS = table("pg_locks", column("locktype"), column("classid"), column("objid"), column("database"))
_DATABASES = table("pg_database", column("oid"), column("datname"))


def count_changes(name: str) -> tuple[str, ...]:
    """The statements that have the changes of `name` counted from now on; for a migration."""
    return (
        f"CREATE SEQUENCE {name}_changes",
        f"CREATE FUNCTION {name}_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"PERFORM pg_advisory_xact_lock_shared({_LOCK_CLASS}, TG_RELID::int); "
        f"PERFORM nextval('{name}_changes'); RETURN NULL; END $$",
        f"CREATE TRIGGER {name}_changed BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON {name} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {name}_changed()",
    )


def stop_counting_changes(name: str) -> tuple[str, ...]:
    """The statements that undo `count_changes`."""
    return (
        f"DROP TRIGGER {name}_changed ON {name}",
        f"DROP FUNCTION {name}_changed()",
        f"DROP SEQUENCE {name}_changes",
    )


SNAPSHOT: Label[str] = cast(func.pg_current_snapshot(), String).label("stamp")
"""The column `stamp` of the whole database: the transactions that had not ended when a statement began
(PostgreSQL 13 or newer). The same text twice means that none has committed in between."""


@lru_cache(maxsize=8)
def stamp_column(name: str) -> Label[str]:
    """The column `stamp`: how many changes of `name` have begun."""
    counter = table(f"{name}_changes", column("last_value"), column("is_called"))
    # Before its first number a sequence has the same last one as after it.
    stamp = cast(counter.c.last_value, String) + cast(counter.c.is_called, String)
    return select(stamp).scalar_subquery().label("stamp")


@lru_cache(maxsize=8)
def stamp_statement(name: str | None) -> Select[Any]:
    """Finds the stamp of `name` alone, None for the whole database."""
    return select(SNAPSHOT if name is None else stamp_column(name))


@lru_cache(maxsize=8)
def open_changes(name: str) -> Select[Any]:
    """Finds one row when a change of `name` has begun that has not ended yet, else none."""
    database = select(_DATABASES.c.oid).where(_DATABASES.c.datname == func.current_database())
    locks = select(_LOCKS.c.objid).where(
        _LOCKS.c.locktype == literal_column("'advisory'"),
        _LOCKS.c.classid == literal_column(str(_LOCK_CLASS)),
        _LOCKS.c.objid == literal_column(f"'{name}'::regclass"),
        _LOCKS.c.database == database.scalar_subquery(),
    )
    return locks.limit(1)
