"""Copies the SQLite database while a service writes to it, and examines such a copy."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import URL
from sqlmodel import Session, col, select

from service.audit.service import CheckEnd, Verification, verify_rows
from service.audit.tables import AuditRow, HeadRow
from service.backups.archive.manifest import BackupRefusedError
from service.db.database import Database
from service.db.schema import current_revision, newest_revision

_BATCH = 1000


class DatabaseFacts(NamedTuple):
    """The facts about a copied database. `audit_end` is None if the log is not intact or was not read."""

    revision: str | None
    audit_end: tuple[int, str] | None
    problems: list[str]
    file_hashes: set[str]
    """The SHA-256 of every stored file that it names."""


def copy_database(source: Path, target: Path) -> None:
    """Write a consistent copy of the SQLite database `source`, also while a service writes to it."""
    with (
        contextlib.closing(
            sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)
        ) as source_connection,
        contextlib.closing(sqlite3.connect(target)) as target_connection,
    ):
        # In one step: with a write-ahead log the reader delays no writer and sees one moment.
        source_connection.backup(target_connection, pages=-1)
        target_connection.execute("PRAGMA journal_mode = DELETE")


def examine(copy: Path, check_end: CheckEnd | None = None) -> DatabaseFacts:
    """Check a copied database and verify its audit log.

    `check_end` returns the faults of the log's signed end; another installation cannot check it. Raises
    BackupRefusedError if the database is damaged.
    """
    with contextlib.closing(sqlite3.connect(copy)) as connection:
        try:
            result = connection.execute("PRAGMA quick_check").fetchone()[0]
        except sqlite3.DatabaseError as problem:
            result = str(problem)
        if result != "ok":
            raise BackupRefusedError(f"the database is damaged ({result}); restore an older backup")
        has_files = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'file'").fetchone()
        rows = connection.execute("SELECT DISTINCT sha256 FROM file").fetchall() if has_files else []
        file_hashes = {row[0] for row in rows}
    database = Database(URL.create("sqlite", database=str(copy)))
    try:
        revision = current_revision(database)
        if revision != newest_revision():
            return DatabaseFacts(revision, None, [], file_hashes)
        log, head = database.read_now(_verify_log)
    finally:
        database.close()
    if check_end is not None and log.complete:
        log.problems.extend(check_end(head, log))
    problems = [f"audit log: {problem}" for problem in log.problems]
    return DatabaseFacts(revision, None if log.problems else (log.seq, log.hash), problems, file_hashes)


def _verify_log(session: Session) -> tuple[Verification, HeadRow | None]:
    rows = select(AuditRow).order_by(col(AuditRow.seq)).execution_options(yield_per=_BATCH)
    return verify_rows(session.exec(rows)), session.get(HeadRow, 1)
