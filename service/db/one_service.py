"""Locks a SQLite file for one service, from whatever directory that starts and under whatever name."""

from __future__ import annotations

import errno
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LOCKED_BYTE = 0x40000000 + 2048
"""The position of the locked byte: in the page of SQLite's own locks, which it never reads or writes, and
behind those locks (sqlite.org/fileformat2.html, 1.4; the pages have 4096 bytes)."""


class DatabaseInUseError(Exception):
    """Raised if a service uses the SQLite file already."""


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
