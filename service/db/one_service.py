"""Locks the data folder for the services that use it, and a SQLite file for one service alone."""

from __future__ import annotations

import errno
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from shared.ids import new_id

SERVICE_LOCK = "service.lock"
SERVICE_LOCKS = "services"
"""The folder with a lock file of each service on PostgreSQL: several may use one data folder."""
_START_SECONDS = 5.0
"""How long a service waits for another one that starts on the folder at the same moment."""

_LOCKED_BYTE = 0x40000000 + 2048
"""The position of the locked byte: in the page of SQLite's own locks, which it never reads or writes, and
behind those locks (sqlite.org/fileformat2.html, 1.4; the pages have 4096 bytes)."""


class DatabaseInUseError(Exception):
    """Raised if a service uses the SQLite file already."""


class FolderInUseError(Exception):
    """Raised if a service uses the data folder already."""


@contextmanager
def lock_data_folder(data_dir: Path, *, alone: bool) -> Iterator[None]:
    """Lock the data folder for this process until the block ends.

    `alone`: for a service on SQLite and for a restore, which share it with no service; without it several
    may hold the lock. It ends with the process. Raises FolderInUseError.
    """
    lock = FileLock(data_dir / SERVICE_LOCK, timeout=0 if alone else _START_SECONDS)
    try:
        lock.acquire()
    except Timeout:
        raise FolderInUseError(f"a service uses the data folder {data_dir}") from None
    try:
        if alone:
            _refuse_used(data_dir)
        else:
            (data_dir / SERVICE_LOCKS).mkdir(exist_ok=True)
            entry, lock = lock, FileLock(data_dir / SERVICE_LOCKS / f"{new_id()}.lock")
            lock.acquire()
            entry.release()
        yield
    finally:
        lock.release()
        if not alone:
            Path(lock.lock_file).unlink(missing_ok=True)


def _refuse_used(data_dir: Path) -> None:
    """Raise FolderInUseError if a service on PostgreSQL uses the folder. Deletes the locks of killed ones."""
    for path in (data_dir / SERVICE_LOCKS).glob("*.lock"):
        try:
            with FileLock(path, timeout=0):
                pass
        except Timeout:
            raise FolderInUseError(f"a service uses the data folder {data_dir}") from None
        path.unlink(missing_ok=True)


@contextmanager
def lock_database(path: Path | None) -> Iterator[None]:
    """Lock the SQLite file at `path` for this process until the block ends; None locks nothing.

    The lock belongs to the file itself and not to its name or to a file beside it: a deleted lock file, a
    link or another data folder do not avoid it. It ends with the process. Creates the file if there is
    none. Raises DatabaseInUseError, and OSError if the file cannot be written.
    """
    if path is None:
        yield
        return
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    try:
        try:
            _lock_byte(handle)
        except OSError as problem:
            if problem.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
                raise
            raise DatabaseInUseError(f"a service uses the database {path}") from None
        yield
    finally:
        # Closing the last handle unlocks.
        os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def _lock_byte(handle: int) -> None:
        os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

elif sys.platform == "linux":
    import fcntl

    def _lock_byte(handle: int) -> None:
        # A lock of the open file and not of the process: closing a connection of SQLite does not end it, and
        # it does not end those of SQLite (fcntl(2), F_OFD_SETLK). The fields are those of struct flock.
        lock = struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, _LOCKED_BYTE, 1, 0)
        fcntl.fcntl(handle, fcntl.F_OFD_SETLK, lock + bytes(4))

else:

    def _lock_byte(_handle: int) -> None:
        # Other systems have no lock that SQLite's own locks neither end nor meet.
        return
