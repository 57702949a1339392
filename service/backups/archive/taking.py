"""Takes a backup of the database and the files of an installation while its service runs, and verifies it.

The service only adds files to the store, so every file that the copied database names exists afterwards.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import os
import sqlite3
import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import URL
from sqlmodel import Session, col, select

from service.audit.service import CheckEnd, Verification, end_checker, verify_rows
from service.audit.tables import AuditRow, HeadRow
from service.backups.archive import postgresql
from service.backups.archive.manifest import (
    DATABASE,
    WITH_TABLES,
    WITHOUT_TABLES,
    Backup,
    BackupRefusedError,
    Entry,
    Manifest,
    NewBackup,
    hash_in_name,
    is_stored_file,
    pieces,
)
from service.backups.archive.places import open_as_file
from service.db.database import Database
from service.db.one_service import SERVICE_LOCK, SERVICE_LOCKS
from service.db.schema import current_revision, newest_revision
from service.settings import Settings
from service.stores.contents import file_contents, model_contents
from shared import __version__
from shared.system import atomic
from shared.system.paths import SERVICE_ADDRESS_FILE

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


# Not in a backup: rebuilt when needed, valid only while the service runs, or copied in another way.
_EXCLUDED = ("cache", "files/incoming", SERVICE_LOCK, SERVICE_LOCKS, "backup.lock", SERVICE_ADDRESS_FILE)


class _DatabaseBackup(NamedTuple):
    revision: str | None
    audit_end: tuple[int, str] | None
    stored: set[str]


def check_data(settings: Settings) -> None:
    """Raise BackupRefusedError if there is nothing to back up."""
    database = settings.database_file
    if not settings.data_dir.is_dir() or (database is not None and not database.is_file()):
        raise BackupRefusedError(
            f"there is no data in {settings.data_dir}; name the data folder with --data-dir"
        )


def take_backup(settings: Settings, new: NewBackup, folder: Path, *, with_secrets: bool = False) -> Manifest:
    """Add database and files to `new`; return the manifest. `folder` needs space for a copy of the database.

    Damaged files are backed up as they are and named in the manifest. Raises OSError, sqlite3.Error,
    psycopg.Error, StoreUnavailableError, and BackupRefusedError if the database is damaged or there is
    nothing to back up.
    """
    check_data(settings)
    manifest = Manifest(
        version=__version__, created_at=dt.datetime.now(dt.UTC), revision=None, audit_end=None, entries=[]
    )
    database = settings.database_file
    if database is not None:
        missing_hashes = _take_sqlite(settings, database, new, folder, manifest)
    else:
        missing_hashes = _take_postgresql(settings, new, folder, manifest)
    for path in _data_files(settings.data_dir, database):
        name = f"data/{path.relative_to(settings.data_dir).as_posix()}"
        manifest.entries.append(_add_file(new, name, path))
    if settings.files_url:
        _take_from_store(settings, new, manifest)
    for entry in manifest.entries:
        if is_stored_file(entry.name):
            missing_hashes.discard(hash_in_name(entry.name))
            if entry.sha256 != hash_in_name(entry.name):
                manifest.problems.append(
                    f"the stored file {entry.name} is damaged: its content is not what its name says"
                )
    if missing_hashes and not manifest.files_elsewhere:
        manifest.problems.append(
            f"{len(missing_hashes)} stored files that the database names are missing, "
            f"for example {min(missing_hashes)}"
        )
    for name, path in _secret_files(settings).items() if with_secrets else ():
        manifest.entries.append(_add_file(new, f"secrets/{name}", path))
    return manifest


def _take_sqlite(
    settings: Settings, database: Path, new: NewBackup, folder: Path, manifest: Manifest
) -> set[str]:
    copy = folder / "copy.db"
    copy_database(database, copy)
    facts = examine(copy, end_checker(settings))
    manifest.format = WITHOUT_TABLES
    manifest.revision, manifest.audit_end = facts.revision, facts.audit_end
    manifest.problems += facts.problems
    manifest.entries.append(_add_file(new, DATABASE, copy))
    copy.unlink()
    return set(facts.file_hashes)


def _take_postgresql(settings: Settings, new: NewBackup, folder: Path, manifest: Manifest) -> set[str]:
    database = Database(settings.url)
    url = database.url
    database.close()
    database_copy = postgresql.dump(url, new, folder, end_checker(settings))
    manifest.format = WITH_TABLES
    manifest.revision, manifest.tables, manifest.sequences = (
        database_copy.revision,
        database_copy.tables,
        database_copy.sequences,
    )
    manifest.entries += database_copy.entries
    manifest.audit_end = database_copy.audit_end
    manifest.problems += database_copy.problems
    return set(database_copy.file_hashes)


def _take_from_store(settings: Settings, new: NewBackup, manifest: Manifest) -> None:
    """Copy uploaded files and models from their remote store, unless the settings exclude them."""
    manifest.files_elsewhere = not settings.backup_stored_files
    if manifest.files_elsewhere:
        return
    for folder, contents in (("files", file_contents(settings)), ("models", model_contents(settings))):
        try:
            for sha256, item in contents.list_all():
                entry = Entry(name=f"data/{folder}/{item.name}", size=item.size, sha256=sha256)
                if not new.reuse(entry):
                    with open_as_file(contents.open(sha256)) as source:
                        entry = new.add(entry.name, source)
                manifest.entries.append(entry)
        finally:
            contents.close()


def _add_file(new: NewBackup, name: str, path: Path) -> Entry:
    if is_stored_file(name):
        entry = Entry.model_construct(name=name, size=path.stat().st_size, sha256=hash_in_name(name))
        if new.reuse(entry):
            return entry
    with path.open("rb") as source:
        return new.add(name, source)


def _data_files(data_dir: Path, database: Path | None) -> Iterator[Path]:
    excluded_paths = {data_dir / name for name in _EXCLUDED}
    for folder, names, files in os.walk(data_dir):
        directory = Path(folder)
        names[:] = sorted(name for name in names if directory / name not in excluded_paths)
        for path in sorted(directory / name for name in files):
            is_database = path.name.startswith("walkaround.db") or (
                database is not None and path.name.startswith(database.name)
            )
            is_secret = path.suffix == ".key" or path.name.startswith(atomic.PART_PREFIX)
            if path not in excluded_paths and not is_database and not is_secret and path.is_file():
                yield path


def _secret_files(settings: Settings) -> dict[str, Path]:
    files = {path.name: path for path in sorted(settings.data_dir.glob("*.key"))}
    if settings.secret_file is not None:
        files["secret.key"] = settings.secret_file
    return files


_MAX_NAMED = 20


def verify(backup: Backup, folder: Path, entries: Collection[Entry] | None = None) -> list[str]:
    """Return sentences about the faults of `backup`; an empty list if it is intact.

    Reads `entries`, by default all of them, and the database, which is unpacked into `folder`. Raises
    OSError.
    """
    manifest = backup.manifest
    checked_entries = manifest.entries if entries is None else entries
    problems = []
    damages = [problem for entry in checked_entries if (problem := _find_damage(backup, entry)) is not None]
    problems += damages[:_MAX_NAMED]
    if len(damages) > _MAX_NAMED:
        problems.append(f"... and {len(damages) - _MAX_NAMED} more files are damaged")
    if manifest.has_database and not damages:
        problems += _find_database_problems(backup, folder)
    return problems


def _find_damage(backup: Backup, entry: Entry) -> str | None:
    size, digest = 0, hashlib.sha256()
    try:
        with backup.open(entry) as source:
            for piece in pieces(source, entry.size):
                size += len(piece)
                digest.update(piece)
    except (BackupRefusedError, zipfile.BadZipFile) as problem:
        return str(problem)
    if (size, digest.hexdigest()) != (entry.size, entry.sha256):
        return f"{entry.name} is damaged in the backup"
    return None


def _find_database_problems(backup: Backup, folder: Path) -> list[str]:
    expected_end = backup.manifest.audit_end
    if backup.manifest.tables:
        log = postgresql.verify_log(backup)
        problems = [f"audit log: {problem}" for problem in log.problems] if log else []
        end = None if log is None or log.problems else (log.seq, log.hash)
    else:
        entry = next(entry for entry in backup.manifest.entries if entry.name == DATABASE)
        path = folder / "verified.db"
        try:
            with backup.open(entry) as source, path.open("xb") as target:
                for piece in pieces(source):
                    target.write(piece)
            facts = examine(path)
        except BackupRefusedError as problem:
            return [str(problem)]
        finally:
            path.unlink(missing_ok=True)
        problems, end = facts.problems, facts.audit_end
    known_problems = set(backup.manifest.problems)
    # Problems that the database had already were reported when the backup was made.
    problems = [problem for problem in problems if problem not in known_problems]
    if not problems and expected_end is not None and end is not None and end != expected_end:
        problems = [f"the audit log ends with row {end[0]}, in the manifest with row {expected_end[0]}"]
    return problems
