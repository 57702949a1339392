"""Takes a backup of the database and the files of an installation while its service runs.

The service only adds files to the store, so every file that the copied database names exists afterwards.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from service.audit.service import end_checker
from service.backups.archive import postgresql, sqlite
from service.backups.archive.manifest import (
    DATABASE,
    WITH_TABLES,
    WITHOUT_TABLES,
    BackupRefusedError,
    Entry,
    Manifest,
    NewBackup,
    hash_in_name,
    is_stored_file,
)
from service.backups.archive.places import open_as_file
from service.db.database import Database
from service.settings import Settings
from service.stores.contents import file_contents, model_contents
from shared import __version__
from shared.system import atomic
from shared.system.paths import SERVICE_ADDRESS_FILE

LOCK = "service.lock"
# Not in a backup: rebuilt when needed, valid only while the service runs, or copied in another way.
_EXCLUDED = ("cache", "files/incoming", LOCK, "backup.lock", SERVICE_ADDRESS_FILE)


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
    sqlite.copy_database(database, copy)
    facts = sqlite.examine(copy, end_checker(settings))
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
