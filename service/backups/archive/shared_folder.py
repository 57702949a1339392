"""Stores backups that share their contents, so that each backup adds only new contents.

`contents/ab/cdef...` are contents by their SHA-256, each stored once for all backups. The database and its
tables are compressed (`.gz`, named by the SHA-256 of the uncompressed content). `backups/NAME.json.gz` is the
manifest of one backup. It is written last: without a manifest there is no backup.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import gzip
import hashlib
import re
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import IO, cast

from service.backups.archive.manifest import (
    DATABASE,
    MAX_MANIFEST_BYTES,
    TABLES,
    BackupRefusedError,
    Entry,
    Manifest,
    parse_manifest,
    pieces,
)
from service.backups.archive.places import BackupPlace

CONTENTS = "contents"
BACKUPS = "backups"
_NAME = re.compile(r"\d{8}T\d{6}Z")
_TIME = "%Y%m%dT%H%M%SZ"


def parse_time(name: str) -> dt.datetime:
    """Return the time of the backup with this name."""
    return dt.datetime.strptime(name, _TIME).replace(tzinfo=dt.UTC)


def content_name(entry: Entry) -> str:
    """Return the name of the object with the content of `entry`."""
    name = f"{CONTENTS}/{entry.sha256[:2]}/{entry.sha256[2:]}"
    return f"{name}.gz" if _is_compressed(entry.name) else name


def _is_compressed(name: str) -> bool:
    return name == DATABASE or name.startswith(TABLES)


class SharedBackup:
    """One backup in the folder."""

    def __init__(self, place: BackupPlace, manifest: Manifest) -> None:
        self._place = place
        self.manifest = manifest

    @contextmanager
    def open(self, entry: Entry) -> Iterator[IO[bytes]]:
        """Open the content of an entry. Raises BackupRefusedError if it is missing or cannot be unpacked."""
        try:
            with self._place.open(content_name(entry)) as file:
                if not _is_compressed(entry.name):
                    yield file
                    return
                try:
                    yield cast("IO[bytes]", gzip.GzipFile(fileobj=file, mode="rb"))
                except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
                    raise BackupRefusedError(
                        f"{entry.name} is damaged in the backup; use another backup"
                    ) from problem
        except FileNotFoundError as problem:
            raise BackupRefusedError(
                f"{entry.name} is missing in the backup; use another backup"
            ) from problem


class NewSharedBackup:
    """A backup that is being written.

    `known_contents` are the contents of all backups. `added` are the entries with new contents; `unverified`
    are those whose content exists but belongs to no backup, because an interrupted backup left it.
    """

    def __init__(self, place: BackupPlace, known_contents: set[str]) -> None:
        self._place = place
        self._sizes = dict(place.list_objects(CONTENTS))
        self._known_contents = known_contents
        self.added: list[Entry] = []
        self.unverified: list[Entry] = []

    def reuse(self, entry: Entry) -> bool:
        """Use the existing content of an entry; return False if there is none."""
        if not self._is_stored(entry):
            return False
        if content_name(entry) not in self._known_contents:
            self.unverified.append(entry)
        return True

    def _is_stored(self, entry: Entry) -> bool:
        name = content_name(entry)
        return (name.endswith(".gz") and name in self._sizes) or self._sizes.get(name) == entry.size

    def add(self, name: str, source: IO[bytes]) -> Entry:
        """Add the content of `source` to the folder, unless it exists."""
        size, digest = 0, hashlib.sha256()
        with self._place.create_object() as part:
            gzip_file = (
                gzip.GzipFile(filename="", fileobj=part.file, mode="wb", compresslevel=1, mtime=0)
                if _is_compressed(name)
                else None
            )
            target = cast("IO[bytes]", gzip_file or part.file)
            for piece in pieces(source):
                size += len(piece)
                digest.update(piece)
                target.write(piece)
            if gzip_file is not None:
                gzip_file.close()
            entry = Entry(name=name, size=size, sha256=digest.hexdigest())
            if not self.reuse(entry):
                part.commit(content_name(entry))
                self._sizes[content_name(entry)] = size
                self._known_contents.add(content_name(entry))
                self.added.append(entry)
        return entry

    def remove_contents(self) -> None:
        """Delete the contents that only this backup uses, so that the next backup copies them again."""
        self._place.delete([content_name(entry) for entry in (*self.added, *self.unverified)])

    def missing_contents(self, entries: Collection[Entry]) -> list[Entry]:
        """Return the entries whose content is missing in the folder or has another size."""
        sizes = dict(self._place.list_objects(CONTENTS))
        return [
            entry
            for entry in entries
            if (name := content_name(entry)) not in sizes
            or (not name.endswith(".gz") and sizes[name] != entry.size)
        ]


class SharedFolder:
    """The backups of one installation."""

    def __init__(self, place: BackupPlace) -> None:
        self.place = place

    def names(self) -> list[str]:
        """Return the names of the backups, the oldest first; a name is the time in UTC."""
        names = (
            name.removeprefix(f"{BACKUPS}/").removesuffix(".json.gz")
            for name, _ in self.place.list_objects(BACKUPS)
        )
        return sorted(name for name in names if _NAME.fullmatch(name))

    def read(self, name: str) -> SharedBackup:
        """Read a backup. Raises BackupRefusedError if it does not exist or its manifest is damaged."""
        try:
            with (
                self.place.open(self._manifest_name(name)) as file,
                gzip.GzipFile(fileobj=file, mode="rb") as manifest_file,
            ):
                data = manifest_file.read(MAX_MANIFEST_BYTES + 1)
        except FileNotFoundError as problem:
            raise BackupRefusedError(f"there is no backup {name} in {self.place}") from problem
        except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
            raise BackupRefusedError(
                f"the manifest of the backup {name} is damaged; use another backup"
            ) from problem
        if len(data) > MAX_MANIFEST_BYTES:
            raise BackupRefusedError("this is no backup of Walkaround: its manifest is too large")
        return SharedBackup(self.place, parse_manifest(data))

    def new(self) -> NewSharedBackup:
        """Begin a backup; it exists once `finish` was called."""
        known_contents: set[str] = set()
        for name in self.names():
            # Contents that only a backup with a damaged manifest uses are verified again.
            with contextlib.suppress(BackupRefusedError):
                known_contents |= self._content_names(name)
        return NewSharedBackup(self.place, known_contents)

    def finish(self, manifest: Manifest) -> str:
        """Write the manifest of a backup after its contents; return its name."""
        name = manifest.created_at.astimezone(dt.UTC).strftime(_TIME)
        with self.place.create_object() as part:
            part.file.write(gzip.compress(manifest.model_dump_json().encode(), 6, mtime=0))
            part.commit(self._manifest_name(name))
        return name

    def discard(self, name: str) -> None:
        """Delete a backup; its contents stay until `collect`."""
        self.place.delete([self._manifest_name(name)])

    def collect(self) -> int:
        """Delete contents that no backup uses; return their number. No backup may be written meanwhile.

        Raises BackupRefusedError, deleting nothing, if the manifest of a backup cannot be read.
        """
        known_contents: set[str] = set()
        for name in self.names():
            known_contents |= self._content_names(name)
        unused_names = [name for name, _ in self.place.list_objects(CONTENTS) if name not in known_contents]
        self.place.delete(unused_names)
        return len(unused_names)

    def _content_names(self, name: str) -> set[str]:
        return {content_name(entry) for entry in self.read(name).manifest.entries}

    @staticmethod
    def _manifest_name(name: str) -> str:
        if _NAME.fullmatch(name) is None:
            raise BackupRefusedError(
                f"{name!r} is not the name of a backup; `walkaround backup list` shows them"
            )
        return f"{BACKUPS}/{name}.json.gz"
