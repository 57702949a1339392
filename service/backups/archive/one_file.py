"""Writes and reads a backup that is one file: a zip archive with its manifest.

`data/...` contains the data folder (with a consistent copy of the database), `tables/...` the rows of a
PostgreSQL database, and `secrets/...` the keys if they were requested.
"""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO

from service.backups.archive.manifest import (
    MANIFEST,
    MAX_MANIFEST_BYTES,
    TABLES,
    BackupRefusedError,
    Entry,
    Manifest,
    parse_manifest,
    pieces,
)
from shared.system import atomic


class ArchiveFile:
    """An archive that can be read."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.manifest = _read_manifest(archive)

    def open(self, entry: Entry) -> AbstractContextManager[IO[bytes]]:
        """Open the content of an entry."""
        return self._archive.open(entry.name)


class NewArchiveFile:
    """An archive that is being written; `finish` completes it."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive

    def add(self, name: str, source: IO[bytes]) -> Entry:
        """Add the content of `source` as `name`."""
        size, digest = 0, hashlib.sha256()
        # Photos are compressed already; rows are text.
        kind = zipfile.ZIP_DEFLATED if name.startswith(TABLES) else zipfile.ZIP_STORED
        info = zipfile.ZipInfo(name)
        info.compress_type = kind
        info.external_attr = 0o600 << 16
        with self._archive.open(info, "w", force_zip64=True) as target:
            for piece in pieces(source):
                size += len(piece)
                digest.update(piece)
                target.write(piece)
        return Entry(name=name, size=size, sha256=digest.hexdigest())

    def reuse(self, entry: Entry) -> bool:
        """Return False: an archive shares no contents."""
        return False

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest."""
        self._archive.writestr(MANIFEST, manifest.model_dump_json(), zipfile.ZIP_DEFLATED)


@contextmanager
def open_archive(path: Path) -> Iterator[ArchiveFile]:
    """Open the archive at `path`. Raises BadZipFile, OSError and BackupRefusedError."""
    with zipfile.ZipFile(path) as archive:
        yield ArchiveFile(archive)


@contextmanager
def create_archive(target: Path) -> Iterator[NewArchiveFile]:
    """Create an archive, which becomes `target` at the end of the block, durably and for its owner only."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".backup-") as folder:
        part = Path(folder) / "archive"
        with zipfile.ZipFile(part, "x", zipfile.ZIP_STORED) as archive:
            yield NewArchiveFile(archive)
        part.chmod(0o600)
        atomic.replace_file(part, target, durable=True)


def _read_manifest(archive: zipfile.ZipFile) -> Manifest:
    try:
        info = archive.getinfo(MANIFEST)
    except KeyError as error:
        raise BackupRefusedError(
            "this is no backup of Walkaround: it has no manifest that can be read"
        ) from error
    if info.file_size > MAX_MANIFEST_BYTES:
        raise BackupRefusedError("this is no backup of Walkaround: its manifest is too large")
    manifest = parse_manifest(archive.read(info))
    if sorted([*(entry.name for entry in manifest.entries), MANIFEST]) != sorted(archive.namelist()):
        raise BackupRefusedError("the archive does not hold what its manifest says; use another copy of it")
    return manifest
