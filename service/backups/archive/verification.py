"""Verifies a written backup: the hashes, the database and the end of the audit log."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Collection
from pathlib import Path

from service.backups.archive import postgresql, sqlite
from service.backups.archive.manifest import DATABASE, Backup, BackupRefusedError, Entry, pieces

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
            facts = sqlite.examine(path)
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
