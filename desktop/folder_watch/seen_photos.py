"""Remembers which contents were taken for which record, so that no photo is offered twice. No Qt.

One small SQLite file of the workstation. Without it, photos that a record has already would be sent again;
what cannot be written is remembered until the program ends.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Iterable
from pathlib import Path

from desktop.folder_watch.listing import ListedFile

_KEPT_SECONDS = 400 * 24 * 3600
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
    """The contents of files by name, size and time, and those that records have. From any thread."""

    def __init__(self, path: Path) -> None:
        """The file at `path`, a new one where it is damaged; in memory where none can be written.

        It is opened when it is first asked, as that may take long.
        """
        self._path = path
        self._lock = threading.Lock()
        self._opened: sqlite3.Connection | None = None

    @property
    def _connection(self) -> sqlite3.Connection:
        """Under the lock only."""
        if self._opened is None:
            self._opened = _open_database(self._path)
        return self._opened

    def close(self) -> None:
        """Release the file; the next question opens it again."""
        with self._lock:
            opened, self._opened = self._opened, None
            if opened is not None:
                opened.close()

    def content(self, file: ListedFile) -> str | None:
        """The SHA-256 of a file that was read before; None for another one."""
        with self._lock:
            row = self._connection.execute(
                "SELECT sha256 FROM content WHERE name = ? AND size = ? AND changed = ?", file.mark
            ).fetchone()
        return None if row is None else str(row[0])

    def remember_content(self, file: ListedFile, sha256: str) -> None:
        """A file was read."""
        self._write(
            "INSERT OR REPLACE INTO content VALUES (?, ?, ?, ?, ?)", (*file.mark, sha256, time.time())
        )

    def is_taken(self, record_id: str, sha256: str) -> bool:
        """Whether the record got this content once, also when it was removed from it since."""
        with self._lock:
            row = self._connection.execute(
                "SELECT 1 FROM taken WHERE record_id = ? AND sha256 = ?", (record_id, sha256)
            ).fetchone()
        return row is not None

    def remember_taken(self, record_id: str, sha256: str) -> None:
        """The service has this content as a photo of the record."""
        self._write("INSERT OR REPLACE INTO taken VALUES (?, ?, ?)", (record_id, sha256, time.time()))

    def _write(self, statement: str, values: Iterable[object]) -> None:
        # A disk that is full costs the memory of one photo, not the watching.
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
            forgotten = (time.time() - _KEPT_SECONDS,)
            connection.execute("DELETE FROM content WHERE at < ?", forgotten)
            connection.execute("DELETE FROM taken WHERE at < ?", forgotten)
    except sqlite3.Error:
        connection.close()
        raise
    return connection
