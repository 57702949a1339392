"""Runs `walkaround backup` and `walkaround restore`.

`backup FILE` writes database and files into one archive. `backup run | list | verify` manage the scheduled
backups in `WALKAROUND_BACKUP_TO`; `restore` reads both.
"""

from __future__ import annotations

import argparse
import contextlib
import sqlite3
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psycopg

from service.backups.archive import one_file
from service.backups.archive.manifest import Backup, BackupRefusedError, Manifest
from service.backups.archive.places import open_place
from service.backups.archive.restoring import has_data, restore
from service.backups.archive.shared_folder import SharedFolder
from service.backups.archive.taking import check_data, take_backup, verify
from service.backups.making import answer_requests, make
from service.backups.outcome import TEXTS
from service.backups.service import BusyError, make_now
from service.commands import verify_audit
from service.db.database import Database
from service.db.schema import migrate
from service.settings import Settings
from service.stores.port import StoreSettingsError, StoreUnavailableError
from shared.system.os_errors import describe_os_error

_PLACE_HELP = "the folder or s3://BUCKET/PREFIX of the backups (default: WALKAROUND_BACKUP_TO)"


def main(arguments: Sequence[str], settings: Settings) -> int:
    """Run `backup` or `restore`. Returns 0 on success, 1 otherwise."""
    command = arguments[0]
    run = _COMMANDS.get(arguments[1]) if command == "backup" and len(arguments) > 1 else None
    try:
        if run is not None:
            return run(arguments[2:], settings)
        return (
            _restore(arguments[1:], settings)
            if command == "restore"
            else _write_archive(arguments[1:], settings)
        )
    except zipfile.BadZipFile:
        print(f"{command} failed: {arguments[1]} is not a complete archive of a backup", file=sys.stderr)
    except OSError as problem:
        print(f"{command} failed: {describe_os_error(problem)}", file=sys.stderr)
    except psycopg.Error as problem:
        # The text can contain the address of the database with a password, so only the kind is shown.
        print(f"{command} failed: the database does not answer ({type(problem).__name__})", file=sys.stderr)
    except BusyError:
        print(f"{command} failed: another backup is being made; try again when it is done", file=sys.stderr)
    except StoreUnavailableError as problem:
        print(f"{command} failed: the file storage does not respond ({problem})", file=sys.stderr)
    except (BackupRefusedError, StoreSettingsError, sqlite3.Error) as problem:
        print(f"{command} failed: {problem}", file=sys.stderr)
    return 1


# One archive


def _write_archive(arguments: Sequence[str], settings: Settings) -> int:
    parser = argparse.ArgumentParser(
        prog="walkaround backup",
        epilog="`walkaround backup run`, `list` and `verify` manage scheduled backups.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="archive to write")
    parser.add_argument(
        "--with-secrets",
        action="store_true",
        help="include the keys; without them users must enrol their faces again after a restore elsewhere",
    )
    options = parser.parse_args(arguments)
    target: Path = options.file.absolute()
    if target.exists():
        raise BackupRefusedError(f"{target} exists already; name another file")
    if settings.data_dir.resolve() in target.resolve().parents:
        raise BackupRefusedError("name a file outside of the data folder, best on another disk")
    check_data(settings)
    with (
        tempfile.TemporaryDirectory(dir=target.parent, prefix=".backup-") as folder,
        one_file.create_archive(target) as archive,
    ):
        manifest = take_backup(settings, archive, Path(folder), with_secrets=options.with_secrets)
        archive.finish(manifest)
    print(f"{target}: {len(manifest.entries)} files, {target.stat().st_size / 2**20:.1f} MB")
    if not options.with_secrets:
        print("the backup has no keys: after a restore elsewhere users must enrol their faces again")
    for problem in manifest.problems:
        print(f"warning: {problem}", file=sys.stderr)
    return 1 if manifest.problems else 0


# The backups on the schedule


def _open_folder(place: str | None, settings: Settings) -> SharedFolder:
    address = place or settings.backup_to
    if not address:
        raise BackupRefusedError("no backup location is configured: set WALKAROUND_BACKUP_TO, or use --place")
    if place and "://" not in place:
        address = str(Path(place).expanduser().absolute())
    return SharedFolder(open_place(address, settings))


def _make_now(arguments: Sequence[str], settings: Settings) -> int:
    parser = argparse.ArgumentParser(
        prog="walkaround backup run", description="make a backup now in the configured location"
    )
    parser.parse_args(arguments)
    _open_folder(None, settings)
    check_data(settings)
    database = Database(settings.url)
    try:
        migrate(database)
        outcome = make_now(database, settings, make)
    finally:
        database.close()
    if outcome.problem is not None:
        print(f"backup: {TEXTS[outcome.problem].log}", file=sys.stderr)
    if outcome.name is not None:
        size, added = (outcome.size or 0) / 2**20, (outcome.added or 0) / 2**20
        print(f"{outcome.name}: {outcome.files} files, {size:.1f} MB, {added:.1f} MB of it new; verified")
    return 0 if outcome.problem is None else 1


def _print_list(arguments: Sequence[str], settings: Settings) -> int:
    parser = argparse.ArgumentParser(
        prog="walkaround backup list", description="list the backups, oldest first"
    )
    parser.add_argument("--place", help=_PLACE_HELP)
    folder = _open_folder(parser.parse_args(arguments).place, settings)
    status = 0
    for name in folder.names():
        try:
            manifest = folder.read(name).manifest
        except BackupRefusedError as problem:
            print(f"{name}: {problem}")
            status = 1
            continue
        note = f", {len(manifest.problems)} problems when it was made" if manifest.problems else ""
        size = manifest.size / 2**20
        print(f"{name}: {len(manifest.entries)} files, {size:.1f} MB, version {manifest.version}{note}")
    return status


def _verify(arguments: Sequence[str], settings: Settings) -> int:
    parser = argparse.ArgumentParser(
        prog="walkaround backup verify",
        description="read a backup to its end: every hash, the database and the audit log",
    )
    parser.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="an archive; default: the newest backup"
    )
    parser.add_argument("--place", help=_PLACE_HELP)
    parser.add_argument("--backup", metavar="NAME", help="one of `walkaround backup list`")
    parser.add_argument("--all", action="store_true", help="all backups")
    options = parser.parse_args(arguments)
    status = 0
    with contextlib.ExitStack() as stack:
        backups = _select_backups(options, settings, stack)
        for name, backup in backups:
            with tempfile.TemporaryDirectory(prefix="walkaround-verify-") as folder:
                problems = verify(backup, Path(folder))
            for problem in problems:
                print(f"{name}: {problem}")
            for problem in backup.manifest.problems:
                print(f"{name}: when it was made: {problem}")
            if problems:
                print(f"FAILED: {name}: use another backup")
                status = 1
            else:
                end = backup.manifest.audit_end
                log = "" if end is None else f", audit log to row {end[0]}"
                print(f"ok: {name}: {len(backup.manifest.entries)} files{log}")
    return status


def _select_backups(
    options: argparse.Namespace, settings: Settings, stack: contextlib.ExitStack
) -> Iterator[tuple[str, Backup]]:
    if options.file is not None:
        yield str(options.file), stack.enter_context(one_file.open_archive(options.file))
        return
    folder = _open_folder(options.place, settings)
    names = folder.names()
    if options.backup is not None:
        names = [options.backup]
    elif not options.all:
        names = names[-1:]
    if not names:
        raise BackupRefusedError(f"there is no backup in {folder.place}")
    for name in names:
        yield name, folder.read(name)


# Restore


def _restore(arguments: Sequence[str], settings: Settings) -> int:
    parser = argparse.ArgumentParser(prog="walkaround restore")
    parser.add_argument(
        "source", metavar="FILE", help="archive to read, or folder or s3://BUCKET/PREFIX of backups"
    )
    parser.add_argument(
        "--backup", metavar="NAME", help="one of `walkaround backup list` (default: the newest)"
    )
    parser.add_argument("--force", action="store_true", help="restore even if the data folder is not empty")
    options = parser.parse_args(arguments)
    with _open_backup(options.source, options.backup, settings) as backup:
        is_confirmed = options.force or not sys.stdin.isatty() or not has_data(settings)
        if not is_confirmed and not _confirm(backup.manifest, settings):
            print("nothing was changed")
            return 1
        restore(backup, settings, force=options.force or sys.stdin.isatty())
        manifest = backup.manifest
    print(
        f"restored {len(manifest.entries)} files of {manifest.created_at:%Y-%m-%d %H:%M} UTC "
        f"to {settings.data_dir}"
    )
    if manifest.tables:
        print(f"restored {len(manifest.tables)} tables to the database")
    if manifest.files_elsewhere:
        print("the backup does not contain stored files: they are in the store of WALKAROUND_FILES_URL")
    if not manifest.has_database:
        print("the archive contains no database: restore the database with pg_restore")
    for problem in manifest.problems:
        print(f"warning: when the backup was made: {problem}", file=sys.stderr)
    return _verify_restored(settings) if manifest.has_database else 0


def _confirm(manifest: Manifest, settings: Settings) -> bool:
    """Explain on the terminal what a restore over data does, and ask for consent."""
    print(f"{settings.data_dir} holds data.")
    print(f"The backup of {manifest.created_at:%Y-%m-%d %H:%M} UTC replaces it:")
    print("- The present database is kept beside the new one, under another name.")
    print("- Files that are not in the backup stay.")
    if any(entry.name.startswith("secrets/") for entry in manifest.entries):
        print("- The keys of the backup replace secret.key and face.key.")
    else:
        print("- The backup has no keys, so those of this folder stay. If it is of another computer, first")
        print("  copy its secret.key and face.key here, or users must enrol their faces again and the audit")
        print("  log is signed with another key.")
    print("Close Walkaround before you continue.")
    return input("Type yes to restore: ").strip().lower() == "yes"


def _verify_restored(settings: Settings) -> int:
    # The hashes of the manifest only show that the backup is complete: who changed the data can compute them.
    print("checking the audit log and the finished records ...", flush=True)
    database = Database(settings.url)
    try:
        status = verify_audit.verify(database, settings)
    finally:
        database.close()
    if status:
        print(
            "warning: the backup is restored, but the lines above show what was changed in it or is missing: "
            "compare with another backup before you use it",
            file=sys.stderr,
        )
    return status


@contextlib.contextmanager
def _open_backup(source: str, name: str | None, settings: Settings) -> Iterator[Backup]:
    if "://" not in source and not Path(source).is_dir():
        with one_file.open_archive(Path(source)) as archive:
            yield archive
        return
    folder = _open_folder(source, settings)
    names = folder.names()
    if not names:
        raise BackupRefusedError(f"there is no backup in {folder.place}")
    yield folder.read(name or names[-1])


def _serve_requests(arguments: Sequence[str], _settings: Settings) -> int:
    parser = argparse.ArgumentParser(
        prog="walkaround backup process", description="make backups for a service, which starts this itself"
    )
    parser.parse_args(arguments)
    answer_requests()
    return 0


_COMMANDS: dict[str, Callable[[Sequence[str], Settings], int]] = {
    "process": _serve_requests,
    "run": _make_now,
    "list": _print_list,
    "verify": _verify,
}
