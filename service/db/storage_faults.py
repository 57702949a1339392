"""Recognizes what keeps the service from starting, reading or writing, from the exception that it caused."""

from __future__ import annotations

import sqlite3

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionFreeError

from service.db.cancel_statement import NoAnswerError
from service.db.schema import NewerDatabaseError
from service.stores.port import StoreUnavailableError
from shared.record.codes import StorageFault
from shared.system.os_errors import classify_os_error

_SQLITE = {
    sqlite3.SQLITE_FULL: StorageFault.DISK_FULL,
    sqlite3.SQLITE_READONLY: StorageFault.NOT_WRITABLE,
    sqlite3.SQLITE_CANTOPEN: StorageFault.NOT_WRITABLE,
    sqlite3.SQLITE_CORRUPT: StorageFault.DAMAGED_DATABASE,
    sqlite3.SQLITE_NOTADB: StorageFault.DAMAGED_DATABASE,
    sqlite3.SQLITE_BUSY: StorageFault.BUSY_DATABASE,
    sqlite3.SQLITE_LOCKED: StorageFault.BUSY_DATABASE,
    sqlite3.SQLITE_INTERRUPT: StorageFault.BUSY_DATABASE,  # the time of another change of its group was over
}
# Classes and codes of PostgreSQL (postgresql.org/docs/current/errcodes-appendix.html).
_POSTGRESQL = {
    "53100": StorageFault.DISK_FULL,
    "53300": StorageFault.BUSY_DATABASE,  # too many connections
    "40": StorageFault.BUSY_DATABASE,  # a deadlock
    "55P03": StorageFault.BUSY_DATABASE,  # a lock
    "57014": StorageFault.BUSY_DATABASE,  # the time of a statement is over
    "57P": StorageFault.NO_DATABASE,  # the server ends or starts
    "08": StorageFault.NO_DATABASE,
    "25P": StorageFault.NO_DATABASE,  # a connection that was ended because it stood still
}
# The whole code of an I/O error says what was tried (sqlite.org/rescode.html): these were writing.
_WRITING = frozenset(
    {sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_TRUNCATE, sqlite3.SQLITE_IOERR_SHMSIZE}
)


def classify_storage_fault(problem: BaseException) -> StorageFault | None:
    """What `problem` says of disk, database and store of files; None when it is something else."""
    if isinstance(problem, NewerDatabaseError):
        return StorageFault.NEWER_DATABASE
    cause = problem.orig if isinstance(problem, DBAPIError) else problem
    if isinstance(cause, OSError):
        return classify_os_error(cause)
    if isinstance(problem, StoreUnavailableError):
        return StorageFault.NO_FILE_STORE
    if isinstance(problem, NoAnswerError):
        return StorageFault.NO_DATABASE
    if isinstance(problem, NoConnectionFreeError):
        return StorageFault.BUSY_DATABASE
    if isinstance(problem, DBAPIError) and cause is not None and hasattr(cause, "sqlstate"):
        return _classify_postgresql_fault(problem, cause.sqlstate)
    code = getattr(cause, "sqlite_errorcode", 0)
    return StorageFault.DISK_FULL if code in _WRITING else _SQLITE.get(code & 0xFF)


def _classify_postgresql_fault(problem: DBAPIError, sqlstate: str | None) -> StorageFault | None:
    if sqlstate is None:
        # It comes from the driver and not from the server: there is none, or it went.
        lost = isinstance(problem, OperationalError | InterfaceError)
        return StorageFault.NO_DATABASE if lost else None
    faults = (_POSTGRESQL.get(sqlstate[:length]) for length in (5, 3, 2))
    return next((storage_fault for storage_fault in faults if storage_fault is not None), None)
