"""Remembers which contents were added to which record, so that no photo is found twice. No Qt.

The data is in one small SQLite file of the workstation. If no file can be written, it is kept in memory until
the program ends.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Iterable
from pathlib import Path

from desktop.folder_watch.listing import ListedFile

_RETENTION_SECONDS = 400 * 24 * 3600
_SCHEMA = """
CREATE TABLE IF NOT EXISTS content (
    name TEXT, size INTEGER, changed INTEGER, sha256 TEXT NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (name, size, changed)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS taken (
    record_id TEXT, sha256 TEXT, at REAL NOT NULL, PRIMARY KEY (record_id, sha256)
) WITHOUT ROWID;
"""


class SeenPhotos:
    """Stores the SHA-256 of files by name, size and time, and which contents each record got.

    May be called from any thread.
    """

    def __init__(self, path: Path) -> None:
        """Use the file at `path`: a damaged file is replaced, and memory is used if no file can be written.

        The file is opened at the first call, because opening may take long.
        """
        self._path = path
        self._lock = threading.Lock()
        self._open_connection: sqlite3.Connection | None = None

    @property
    def _connection(self) -> sqlite3.Connection:
        """The connection, opened if necessary. Call only while holding the lock."""
        if self._open_connection is None:
            self._open_connection = _open_database(self._path)
        return self._open_connection

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        with self._lock:
            connection, self._open_connection = self._open_connection, None
            if connection is not None:
                connection.close()

    def content(self, file: ListedFile) -> str | None:
        """The SHA-256 of a file that was read before; None if it was not read or has changed."""
        with self._lock:
            row = self._connection.execute(
                "SELECT sha256 FROM content WHERE name = ? AND size = ? AND changed = ?", file.mark
            ).fetchone()
        return None if row is None else str(row[0])

    def remember_content(self, file: ListedFile, sha256: str) -> None:
        """Store the SHA-256 of a file."""
        self._write(
            "INSERT OR REPLACE INTO content VALUES (?, ?, ?, ?, ?)", (*file.mark, sha256, time.time())
        )

    def is_taken(self, record_id: str, sha256: str) -> bool:
        """Whether this content was ever added to the record, even if it was removed since."""
        with self._lock:
            row = self._connection.execute(
                "SELECT 1 FROM taken WHERE record_id = ? AND sha256 = ?", (record_id, sha256)
            ).fetchone()
        return row is not None

    def remember_taken(self, record_id: str, sha256: str) -> None:
        """Store that this content is a photo of the record."""
        self._write("INSERT OR REPLACE INTO taken VALUES (?, ?, ?)", (record_id, sha256, time.time()))

    def _write(self, statement: str, values: Iterable[object]) -> None:
        # A full disk must not stop the watching; at worst the photo is found again later.
        with self._lock, contextlib.suppress(sqlite3.Error), self._connection:
            self._connection.execute(statement, tuple(values))


def _open_database(path: Path) -> sqlite3.Connection:
    for attempt in range(2):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            return _prepare_database(str(path))
        except sqlite3.DatabaseError:
            if attempt == 0:
                with contextlib.suppress(OSError):
                    path.unlink()
        except OSError:
            break
    return _prepare_database(":memory:")


def _prepare_database(name: str) -> sqlite3.Connection:
    connection = sqlite3.connect(name, check_same_thread=False, timeout=5.0)
    try:
        connection.executescript(_SCHEMA)
        with connection:
            expiry = (time.time() - _RETENTION_SECONDS,)
            connection.execute("DELETE FROM content WHERE at < ?", expiry)
            connection.execute("DELETE FROM taken WHERE at < ?", expiry)
    except sqlite3.Error:
        connection.close()
        raise
    return connection
