"""Recognizes what keeps the service from starting, reading or writing, from the exception that it caused."""

from __future__ import annotations

import sqlite3

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionFreeError

from service.db.cancel_statement import NoAnswerError
from service.db.schema import NewerDatabaseError
from service.stores.port import StoreUnavailableError
from shared.codes import Hindrance
from shared.reasons import hindrance

_SQLITE = {
    sqlite3.SQLITE_FULL: Hindrance.DISK_FULL,
    sqlite3.SQLITE_READONLY: Hindrance.NOT_WRITABLE,
    sqlite3.SQLITE_CANTOPEN: Hindrance.NOT_WRITABLE,
    sqlite3.SQLITE_CORRUPT: Hindrance.DAMAGED_DATABASE,
    sqlite3.SQLITE_NOTADB: Hindrance.DAMAGED_DATABASE,
    sqlite3.SQLITE_BUSY: Hindrance.BUSY_DATABASE,
    sqlite3.SQLITE_LOCKED: Hindrance.BUSY_DATABASE,
    sqlite3.SQLITE_INTERRUPT: Hindrance.BUSY_DATABASE,  # the time of another change of its group was over
}
# Classes and codes of PostgreSQL (postgresql.org/docs/current/errcodes-appendix.html).
_POSTGRESQL = {
    "53100": Hindrance.DISK_FULL,
    "53300": Hindrance.BUSY_DATABASE,  # too many connections
    "40": Hindrance.BUSY_DATABASE,  # a deadlock
    "55P03": Hindrance.BUSY_DATABASE,  # a lock
    "57014": Hindrance.BUSY_DATABASE,  # the time of a statement is over
    "57P": Hindrance.NO_DATABASE,  # the server ends or starts
    "08": Hindrance.NO_DATABASE,
    "25P": Hindrance.NO_DATABASE,  # a connection that was ended because it stood still
}
# The whole code of an I/O error says what was tried (sqlite.org/rescode.html): these were writing.
_WRITING = frozenset(
    {sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_TRUNCATE, sqlite3.SQLITE_IOERR_SHMSIZE}
)


def hindrance_of(problem: BaseException) -> Hindrance | None:
    """What `problem` says of disk, database and store of files; None when it is something else."""
    if isinstance(problem, NewerDatabaseError):
        return Hindrance.NEWER_DATABASE
    cause = problem.orig if isinstance(problem, DBAPIError) else problem
    if isinstance(cause, OSError):
        return hindrance(cause)
    if isinstance(problem, StoreUnavailableError):
        return Hindrance.NO_FILE_STORE
    if isinstance(problem, NoAnswerError):
        return Hindrance.NO_DATABASE
    if isinstance(problem, NoConnectionFreeError):
        return Hindrance.BUSY_DATABASE
    if isinstance(problem, DBAPIError) and cause is not None and hasattr(cause, "sqlstate"):
        return _postgresql_hindrance(problem, cause.sqlstate)
    code = getattr(cause, "sqlite_errorcode", 0)
    return Hindrance.DISK_FULL if code in _WRITING else _SQLITE.get(code & 0xFF)


def _postgresql_hindrance(problem: DBAPIError, sqlstate: str | None) -> Hindrance | None:
    if sqlstate is None:
        # It comes from the driver and not from the server: there is none, or it went.
        lost = isinstance(problem, OperationalError | InterfaceError)
        return Hindrance.NO_DATABASE if lost else None
    hindrances = (_POSTGRESQL.get(sqlstate[:length]) for length in (5, 3, 2))
    return next((hindrance for hindrance in hindrances if hindrance is not None), None)
