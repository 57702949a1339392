"""Restores a backup into an empty installation."""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import shutil
import tempfile
from pathlib import Path, PurePosixPath
from typing import IO

from service.audit.service import AuditService
from service.backups.archive import postgresql
from service.backups.archive.manifest import (
    DATABASE,
    TABLES,
    Backup,
    BackupRefusedError,
    Entry,
    Manifest,
    pieces,
)
from service.changes import ObjectChange, announce
from service.db.database import Database
from service.db.one_service import (
    SERVICE_LOCK,
    SERVICE_LOCKS,
    DatabaseInUseError,
    FolderInUseError,
    lock_data_folder,
    lock_database,
)
from service.db.schema import migrate, newest_revision
from service.settings import Settings
from service.stores.opening import open_store
from shared.system import atomic

_STORE_FOLDERS = ("files", "models")
"""The folders of the data folder whose contents may be in a remote store."""


def restore(backup: Backup, settings: Settings, *, force: bool = False) -> None:
    """Restore `backup` into the data folder, and into the database if that is on a server.

    All entries are unpacked and compared with the manifest before the first file is put in place. An existing
    SQLite database is renamed. Raises BackupRefusedError if the backup is damaged or does not fit, if a
    service runs on the data folder, if a database on a server is not empty, and, without `force`, if the
    data folder is not empty.
    """
    manifest = backup.manifest
    _check_fit(manifest, settings)
    data_dir = settings.data_dir
    if has_data(settings) and not force:
        raise BackupRefusedError(
            f"{data_dir} is not empty; name an empty one with --data-dir, or give --force"
        )
    settings.prepare()
    try:
        with lock_data_folder(data_dir, alone=True):
            # Only checked: Windows renames no file that is open.
            with lock_database(_existing(settings.database_file)):
                pass
            with tempfile.TemporaryDirectory(dir=data_dir, prefix=".restore-") as name:
                folder = Path(name)
                _unpack(backup, folder)
                if manifest.tables:
                    # Before the files, because only this step can still be refused.
                    postgresql.load(settings.url, _UnpackedBackup(manifest, folder))
                _put_in_place(folder, manifest, settings)
            if manifest.has_database:
                _sign_log(manifest, settings)
    except (FolderInUseError, DatabaseInUseError) as error:
        raise BackupRefusedError(
            "a service is running on this data folder or its database: close Walkaround, or stop "
            "`walkaround serve`, then restore again"
        ) from error


def has_data(settings: Settings) -> bool:
    """Whether the data folder contains anything but the locks of services."""
    folder = settings.data_dir
    return folder.is_dir() and any(
        path.name not in (SERVICE_LOCK, SERVICE_LOCKS) for path in folder.iterdir()
    )


def _existing(path: Path | None) -> Path | None:
    return path if path is not None and path.is_file() else None


def _check_fit(manifest: Manifest, settings: Settings) -> None:
    if manifest.revision is not None and manifest.revision > newest_revision():
        raise BackupRefusedError(
            f"the archive was made by the newer version {manifest.version}; install that version"
        )
    if manifest.tables and settings.is_sqlite:
        raise BackupRefusedError(
            "the backup holds a PostgreSQL database: name an empty one with --database-url postgresql://..."
        )
    if any(entry.name == DATABASE for entry in manifest.entries) and not settings.is_sqlite:
        raise BackupRefusedError("the backup holds a SQLite database: restore it without --database-url")


class _UnpackedBackup:
    """A backup whose entries are files in a folder, compared with the manifest."""

    def __init__(self, manifest: Manifest, folder: Path) -> None:
        self.manifest = manifest
        self._folder = folder

    def open(self, entry: Entry) -> IO[bytes]:
        return (self._folder / entry.name).open("rb")


def _unpack(backup: Backup, folder: Path) -> None:
    needed_bytes = backup.manifest.size
    free_bytes = shutil.disk_usage(folder).free
    if needed_bytes > free_bytes:
        raise BackupRefusedError(
            f"{needed_bytes / 2**20:.0f} MB are needed and {free_bytes / 2**20:.0f} MB are free"
        )
    for entry in backup.manifest.entries:
        path = folder / entry.name
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        size, digest = 0, hashlib.sha256()
        with backup.open(entry) as source, os.fdopen(handle, "wb") as target:
            for piece in pieces(source, entry.size):
                size += len(piece)
                digest.update(piece)
                target.write(piece)
            atomic.sync_file(target)
        if (size, digest.hexdigest()) != (entry.size, entry.sha256):
            raise BackupRefusedError(f"{entry.name} is damaged in the archive; use another copy of it")


def _put_in_place(folder: Path, manifest: Manifest, settings: Settings) -> None:
    database = settings.database_file
    folders: set[Path] = set()
    for entry in manifest.entries:
        if entry.name.startswith(TABLES):
            continue
        relative = PurePosixPath(entry.name).relative_to(entry.name.split("/")[0])
        target = settings.data_dir / relative
        if entry.name == DATABASE and database is not None:
            target = database
            _rename_database(database)
        elif entry.name == "secrets/secret.key" and settings.secret_file is not None:
            target = settings.secret_file
        elif settings.files_url and relative.parts[0] in _STORE_FOLDERS:
            open_store(settings.files_url, settings).put(relative.as_posix(), folder / entry.name)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        atomic.replace_file(folder / entry.name, target, durable=False)
        folders.add(target.parent)
    for folder_to_sync in folders:
        atomic.sync_folder(folder_to_sync)


def _rename_database(database: Path) -> None:
    # Together with its write-ahead log, which contains the last transactions.
    new_name = f"{database.name}.before-restore-{dt.datetime.now(dt.UTC):%Y%m%d%H%M%S}"
    for ending in ("", "-wal", "-shm"):
        path = database.with_name(database.name + ending)
        if path.exists():
            path.replace(database.with_name(new_name + ending))


def _sign_log(manifest: Manifest, settings: Settings) -> None:
    database = Database(settings.url)
    try:
        migrate(database)
        audit = AuditService(database, settings)
        if manifest.audit_end is not None:
            audit.sign_restored_log(manifest.audit_end)
        database.before_commit.append(audit.before_commit)
        details = {"backup_of": manifest.created_at, "version": manifest.version}
        database.write_now(
            lambda session: announce(session, ObjectChange("restore", "service", details=details))
        )
    finally:
        database.close()
