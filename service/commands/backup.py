"""Runs `walkaround backup FILE` and `walkaround restore FILE`: database and files in one archive.

The archive is a zip: `data/...` is the data directory (the database as one consistent copy, taken while the
service runs), `secrets/...` the keys if they were asked for, `manifest.json` names every file with its
SHA-256. Files are only ever added to the store, so all that the copied database names is there after it.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import hashlib
import os
import shutil
import sqlite3
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import IO, Annotated, Literal

from filelock import FileLock, Timeout
from pydantic import BaseModel, Field, ValidationError
from sqlalchemy import make_url

from service.audit.service import AuditService
from service.changes import ObjectChange, announce
from service.db.database import Database
from service.db.schema import current_revision, migrate, newest_revision
from service.settings import Settings
from shared import __version__, atomic
from shared.reasons import reason

MANIFEST = "manifest.json"
DATABASE = "data/walkaround.db"
LOCK = "service.lock"
PIECE = 2**20
MAX_MANIFEST_BYTES = 512 * 2**20

# Not in the archive: rebuilt when needed, valid for this run only, or copied in another way.
_LEFT_OUT = ("cache", "files/incoming", LOCK, "service.json")


class Refused(Exception):  # noqa: N818 - a sentence for the person
    """The command cannot do it; the text says why and what to do."""


class Entry(BaseModel):
    """One file of the archive."""

    name: str
    size: Annotated[int, Field(ge=0)]
    sha256: str


class Manifest(BaseModel):
    """What the archive holds. `audit_end` is the end of a whole audit log as (number, hash)."""

    format: Literal[1] = 1
    program: Literal["walkaround"] = "walkaround"
    version: str
    created_at: dt.datetime
    revision: str | None
    audit_end: tuple[int, str] | None
    entries: list[Entry]


def main(words: Sequence[str], settings: Settings) -> int:
    """Run `backup` or `restore`. Gives 0 when all went well, 1 otherwise."""
    parser = argparse.ArgumentParser(prog=f"walkaround {words[0]}")
    parser.add_argument("file", type=Path, metavar="FILE", help="the archive")
    if words[0] == "backup":
        parser.add_argument(
            "--with-secrets",
            action="store_true",
            help="also the keys: without them everyone enrols their face again after a restore elsewhere",
        )
    else:
        parser.add_argument(
            "--force", action="store_true", help="also onto a data directory that is not empty"
        )
    options = parser.parse_args(words[1:])
    try:
        if words[0] == "backup":
            return backup(options.file, settings, with_secrets=options.with_secrets)
        return restore(options.file, settings, force=options.force)
    except zipfile.BadZipFile:
        print(f"{words[0]} failed: {options.file} is not a whole archive of a backup", file=sys.stderr)
        return 1
    except OSError as problem:
        print(f"{words[0]} failed: {reason(problem)}", file=sys.stderr)
        return 1
    except (Refused, sqlite3.Error) as problem:
        print(f"{words[0]} failed: {problem}", file=sys.stderr)
        return 1


def _database_file(settings: Settings) -> Path | None:
    return Path(make_url(settings.url).database or "") if settings.is_sqlite else None


# Backup


def backup(target: Path, settings: Settings, *, with_secrets: bool = False) -> int:
    """Write the archive `target`. Gives 1 when something in it is damaged, which is then said.

    Raises Refused when `target` exists or lies in the data directory, or when there is nothing to back up.
    """
    target, data_dir = target.absolute(), settings.data_dir
    if target.exists():
        raise Refused(f"{target} exists already; name another file")
    if data_dir.resolve() in target.resolve().parents:
        raise Refused("name a file outside of the data directory, best on another disk")
    database = _database_file(settings)
    if not data_dir.is_dir() or (database is not None and not database.is_file()):
        raise Refused(f"there is no data in {data_dir}; name the data directory with --data-dir")
    problems: list[str] = []
    entries: list[Entry] = []
    revision, audit_end = None, None
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".backup-") as folder:
        part = Path(folder) / "archive"
        with zipfile.ZipFile(part, "x", zipfile.ZIP_STORED, strict_timestamps=False) as archive:
            if database is not None:
                copy = Path(folder) / "copy.db"
                copy_database(database, copy)
                revision, audit_end = _examine(copy, settings, problems)
                entries.append(_add(archive, copy, DATABASE))
            for path in _data_files(data_dir, database):
                entry = _add(archive, path, f"data/{path.relative_to(data_dir).as_posix()}")
                entries.append(entry)
                if entry.name.startswith("data/files/") and entry.sha256 != _named(entry.name):
                    problems.append(
                        f"the stored file {entry.name} is damaged: its content is not what its name says"
                    )
            for name, path in _secret_files(settings).items() if with_secrets else ():
                entries.append(_add(archive, path, f"secrets/{name}"))
            manifest = Manifest(
                version=__version__,
                created_at=dt.datetime.now(dt.UTC),
                revision=revision,
                audit_end=audit_end,
                entries=entries,
            )
            archive.writestr(MANIFEST, manifest.model_dump_json(), zipfile.ZIP_DEFLATED)
        part.chmod(0o600)
        atomic.put_in_place(part, target, durable=True)
    size = target.stat().st_size / 2**20
    print(f"{target}: {len(entries)} files, {size:.1f} MB")
    if database is None:
        print("the database is on a server: back it up with pg_dump; this archive holds the files only")
    if not with_secrets:
        print("the keys are not in it: after a restore elsewhere everyone enrols their face again")
    for problem in problems:
        print(f"warning: {problem}", file=sys.stderr)
    return 1 if problems else 0


def copy_database(source: Path, target: Path) -> None:
    """A consistent copy of the SQLite database `source`, also while a service writes to it."""
    with (
        contextlib.closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as reading,
        contextlib.closing(sqlite3.connect(target)) as writing,
    ):
        # In one step: with a write-ahead log the reader holds up nobody, and sees one moment.
        reading.backup(writing, pages=-1)
        writing.execute("PRAGMA journal_mode = DELETE")


def _examine(
    copy: Path, settings: Settings, problems: list[str]
) -> tuple[str | None, tuple[int, str] | None]:
    with contextlib.closing(sqlite3.connect(copy)) as connection:
        found = connection.execute("PRAGMA quick_check").fetchone()[0]
    if found != "ok":
        raise Refused(f"the database is damaged ({found}); restore an older backup")
    database = Database(f"sqlite:///{copy}")
    try:
        revision = current_revision(database)
        if revision != newest_revision():
            return revision, None
        log = AuditService(database, settings).verify()
    finally:
        database.close()
    problems += [f"audit log: {problem}" for problem in log.problems]
    return revision, None if log.problems else (log.seq, log.hash)


def _data_files(data_dir: Path, database: Path | None) -> Iterator[Path]:
    kept_elsewhere = {data_dir / name for name in _LEFT_OUT}
    for folder, names, files in os.walk(data_dir):
        here = Path(folder)
        names[:] = sorted(name for name in names if here / name not in kept_elsewhere)
        for path in sorted(here / name for name in files):
            is_database = path.name.startswith("walkaround.db") or (
                database is not None and path.name.startswith(database.name)
            )
            is_secret = path.suffix == ".key" or path.name.startswith(atomic.PART_PREFIX)
            if path not in kept_elsewhere and not is_database and not is_secret and path.is_file():
                yield path


def _secret_files(settings: Settings) -> dict[str, Path]:
    files = {path.name: path for path in sorted(settings.data_dir.glob("*.key"))}
    if settings.secret_file is not None:
        files["secret.key"] = settings.secret_file
    return files


def _named(name: str) -> str:
    return "".join(PurePosixPath(name).parts[2:])


def _add(archive: zipfile.ZipFile, path: Path, name: str) -> Entry:
    with path.open("rb") as source, archive.open(name, "w", force_zip64=True) as target:
        size, digest = _copy(source, target)
    return Entry(name=name, size=size, sha256=digest)


def _copy(source: IO[bytes], target: IO[bytes], limit: int | None = None) -> tuple[int, str]:
    size, digest = 0, hashlib.sha256()
    while piece := source.read(PIECE):
        size += len(piece)
        if limit is not None and size > limit:
            break
        digest.update(piece)
        target.write(piece)
    return size, digest.hexdigest()


# Restore


def restore(source: Path, settings: Settings, *, force: bool = False) -> int:
    """Read the archive `source` into the data directory.

    Everything is unpacked and compared with the manifest before the first file is put in place; an existing
    database is kept next to it under another name. Raises Refused when the archive is not one of ours or
    damaged, when a service runs there, and without `force` when the data directory is not empty.
    """
    with zipfile.ZipFile(source) as archive:
        manifest = _read_manifest(archive)
        if manifest.revision is not None and manifest.revision > newest_revision():
            raise Refused(
                f"the archive was made by the newer version {manifest.version}; install that version"
            )
        data_dir = settings.data_dir
        there = sorted(path.name for path in data_dir.iterdir()) if data_dir.is_dir() else []
        if [name for name in there if name != LOCK] and not force:
            raise Refused(f"{data_dir} is not empty; name an empty one with --data-dir, or give --force")
        settings.prepare()
        lock = FileLock(data_dir / LOCK)
        try:
            lock.acquire(timeout=0)
        except Timeout as error:
            raise Refused(
                "a service is running on this data directory: close Walkaround, or stop `walkaround serve`, "
                "then restore again"
            ) from error
        try:
            with tempfile.TemporaryDirectory(dir=data_dir, prefix=".restore-") as folder:
                _unpack(archive, manifest, Path(folder))
                _put_in_place(Path(folder), manifest, settings)
            has_database = any(entry.name == DATABASE for entry in manifest.entries)
            if has_database and settings.is_sqlite:
                _sign(manifest, settings)
        finally:
            lock.release()
    print(f"restored {len(manifest.entries)} files of {manifest.created_at:%Y-%m-%d %H:%M} UTC to {data_dir}")
    if not has_database:
        print("the archive holds no database: restore that with pg_restore")
    return 0


def _read_manifest(archive: zipfile.ZipFile) -> Manifest:
    try:
        info = archive.getinfo(MANIFEST)
        if info.file_size > MAX_MANIFEST_BYTES:
            raise Refused("this is no backup of Walkaround: its manifest is too large")
        manifest = Manifest.model_validate_json(archive.read(info))
    except (KeyError, ValidationError) as error:
        raise Refused("this is no backup of Walkaround: it has no manifest that can be read") from error
    names = [entry.name for entry in manifest.entries]
    if sorted([*names, MANIFEST]) != sorted(archive.namelist()) or len(set(names)) != len(names):
        raise Refused("the archive does not hold what its manifest says; use another copy of it")
    for name in names:
        if not is_safe(name):
            raise Refused(f"the archive holds a file with the forbidden name {name!r}")
    return manifest


def is_safe(name: str) -> bool:
    """Whether an archive member may be unpacked: below `data/` or directly in `secrets/`, never elsewhere."""
    path = PurePosixPath(name)
    plain = (
        path.as_posix() == name
        and not path.is_absolute()
        and ".." not in path.parts
        and not any(letter in '\\:*?"<>|' or ord(letter) < 32 for letter in name)
        and not any(part != part.rstrip(". ") for part in path.parts)
    )
    if path.parts[:1] == ("secrets",):
        return plain and len(path.parts) == 2 and path.suffix == ".key"
    # A key, or a write-ahead log, among the data could change what the archive seems to hold.
    disguised = path.suffix == ".key" or (name != DATABASE and name.startswith(DATABASE))
    return plain and path.parts[:1] == ("data",) and len(path.parts) >= 2 and not disguised


def _unpack(archive: zipfile.ZipFile, manifest: Manifest, folder: Path) -> None:
    needed = sum(entry.size for entry in manifest.entries)
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise Refused(f"{needed / 2**20:.0f} MB are needed and {free / 2**20:.0f} MB are free")
    for entry in manifest.entries:
        path = folder / entry.name
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with archive.open(entry.name) as source, os.fdopen(handle, "wb") as target:
            found = _copy(source, target, limit=entry.size)
            atomic.sync_file(target)
        if found != (entry.size, entry.sha256):
            raise Refused(f"{entry.name} is damaged in the archive; use another copy of it")


def _put_in_place(folder: Path, manifest: Manifest, settings: Settings) -> None:
    database = _database_file(settings)
    folders: set[Path] = set()
    for entry in manifest.entries:
        relative = PurePosixPath(entry.name).relative_to(entry.name.split("/")[0])
        target = settings.data_dir / relative
        if entry.name == DATABASE:
            if database is None:
                continue
            target = database
            _set_aside(database)
        elif entry.name == "secrets/secret.key" and settings.secret_file is not None:
            target = settings.secret_file
        target.parent.mkdir(parents=True, exist_ok=True)
        atomic.put_in_place(folder / entry.name, target, durable=False)
        folders.add(target.parent)
    for changed in folders:
        atomic.sync_folder(changed)


def _set_aside(database: Path) -> None:
    # Together with its write-ahead log, which holds what was written last.
    kept = f"{database.name}.before-restore-{dt.datetime.now(dt.UTC):%Y%m%d%H%M%S}"
    for ending in ("", "-wal", "-shm"):
        path = database.with_name(database.name + ending)
        if path.exists():
            path.replace(database.with_name(kept + ending))


def _sign(manifest: Manifest, settings: Settings) -> None:
    database = Database(settings.url)
    try:
        migrate(database)
        audit = AuditService(database, settings)
        if manifest.audit_end is not None:
            audit.sign_restored(manifest.audit_end)
        database.before_commit.append(audit.before_commit)
        details = {"backup_of": manifest.created_at, "version": manifest.version}
        database.write_now(
            lambda session: announce(session, ObjectChange("restore", "service", details=details))
        )
    finally:
        database.close()
