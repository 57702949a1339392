"""What keeps the service from starting or from writing, read off the exception that came of it."""

from __future__ import annotations

import sqlite3

from sqlalchemy.exc import DBAPIError

from service.schema import NewerDatabaseError
from shared.codes import Hindrance
from shared.reasons import hindrance

_SQLITE = {
    sqlite3.SQLITE_FULL: Hindrance.DISK_FULL,
    sqlite3.SQLITE_READONLY: Hindrance.NOT_WRITABLE,
    sqlite3.SQLITE_CANTOPEN: Hindrance.NOT_WRITABLE,
    sqlite3.SQLITE_CORRUPT: Hindrance.DAMAGED_DATABASE,
    sqlite3.SQLITE_NOTADB: Hindrance.DAMAGED_DATABASE,
}
# The whole code of an I/O error says what was tried (sqlite.org/rescode.html): these were writing.
_WRITING = frozenset(
    {sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_TRUNCATE, sqlite3.SQLITE_IOERR_SHMSIZE}
)


def hindrance_of(problem: BaseException) -> Hindrance | None:
    """What `problem` says of the disk and the database; None when it is something else."""
    if isinstance(problem, NewerDatabaseError):
        return Hindrance.NEWER_DATABASE
    cause = problem.orig if isinstance(problem, DBAPIError) else problem
    if isinstance(cause, OSError):
        return hindrance(cause)
    code = getattr(cause, "sqlite_errorcode", 0)
    return Hindrance.DISK_FULL if code in _WRITING else _SQLITE.get(code & 0xFF)
