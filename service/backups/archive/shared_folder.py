"""Keeps backups that share their contents, so that each adds only what is new.

`contents/ab/cdef...` are contents by their SHA-256, each once, whichever backups hold it; the database and
its tables are compressed (`.gz`, named by the SHA-256 of what is in it). `backups/NAME.json.gz` is the
manifest of one backup. It is written last: a backup without one does not exist.
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


def time_of(name: str) -> dt.datetime:
    """When the backup of that name was made."""
    return dt.datetime.strptime(name, _TIME).replace(tzinfo=dt.UTC)


def content_name(entry: Entry) -> str:
    """The name of the file with the content of `entry`."""
    name = f"{CONTENTS}/{entry.sha256[:2]}/{entry.sha256[2:]}"
    return f"{name}.gz" if _is_compressed(entry.name) else name


def _is_compressed(name: str) -> bool:
    return name == DATABASE or name.startswith(TABLES)


class SharedBackup:
    """One backup of the folder."""

    def __init__(self, place: BackupPlace, manifest: Manifest) -> None:
        self._place = place
        self.manifest = manifest

    @contextmanager
    def open(self, entry: Entry) -> Iterator[IO[bytes]]:
        """The content of one entry. Raises BackupRefusedError when it is not there or cannot be unpacked."""
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

    `added` are the entries whose content was not there before, `unverified` those whose content was there
    but is not in `in_backups`, the contents of all backups: an interrupted backup left it behind.
    """

    def __init__(self, place: BackupPlace, in_backups: set[str]) -> None:
        self._place = place
        self._sizes = dict(place.listing(CONTENTS))
        self._in_backups = in_backups
        self.added: list[Entry] = []
        self.unverified: list[Entry] = []

    def reuse(self, entry: Entry) -> bool:
        """Take the content that is there already; False when there is none."""
        if not self._is_stored(entry):
            return False
        if content_name(entry) not in self._in_backups:
            self.unverified.append(entry)
        return True

    def _is_stored(self, entry: Entry) -> bool:
        name = content_name(entry)
        return (name.endswith(".gz") and name in self._sizes) or self._sizes.get(name) == entry.size

    def add(self, name: str, source: IO[bytes]) -> Entry:
        """Put the content of `source` into the folder, unless it is there."""
        size, digest = 0, hashlib.sha256()
        with self._place.writing() as part:
            compressed = (
                gzip.GzipFile(filename="", fileobj=part.file, mode="wb", compresslevel=1, mtime=0)
                if _is_compressed(name)
                else None
            )
            target = cast("IO[bytes]", compressed or part.file)
            for piece in pieces(source):
                size += len(piece)
                digest.update(piece)
                target.write(piece)
            if compressed is not None:
                compressed.close()
            entry = Entry(name=name, size=size, sha256=digest.hexdigest())
            if not self.reuse(entry):
                part.keep(content_name(entry))
                self._sizes[content_name(entry)] = size
                self._in_backups.add(content_name(entry))
                self.added.append(entry)
        return entry

    def withdraw(self) -> None:
        """Remove the contents that it brought and that no backup holds: the next backup copies them again."""
        self._place.delete([content_name(entry) for entry in (*self.added, *self.unverified)])

    def missing_contents(self, entries: Collection[Entry]) -> list[Entry]:
        """Those whose content the folder does not list any more, or with another size."""
        sizes = dict(self._place.listing(CONTENTS))
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
        """The names of the backups, the oldest first; a name is the time in UTC."""
        names = (
            name.removeprefix(f"{BACKUPS}/").removesuffix(".json.gz")
            for name, _ in self.place.listing(BACKUPS)
        )
        return sorted(name for name in names if _NAME.fullmatch(name))

    def read(self, name: str) -> SharedBackup:
        """One backup. Raises BackupRefusedError when there is none, or its manifest is damaged."""
        try:
            with self.place.open(self._file(name)) as file, gzip.GzipFile(fileobj=file, mode="rb") as opened:
                data = opened.read(MAX_MANIFEST_BYTES + 1)
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
        """A backup to be written; `finish` makes it exist."""
        in_backups: set[str] = set()
        for name in self.names():
            # What only a backup with a damaged manifest names is verified again.
            with contextlib.suppress(BackupRefusedError):
                in_backups |= self._contents_of(name)
        return NewSharedBackup(self.place, in_backups)

    def finish(self, manifest: Manifest) -> str:
        """Write the manifest of a backup whose contents are there; gives its name."""
        name = manifest.created_at.astimezone(dt.UTC).strftime(_TIME)
        with self.place.writing() as part:
            part.file.write(gzip.compress(manifest.model_dump_json().encode(), 6, mtime=0))
            part.keep(self._file(name))
        return name

    def discard(self, name: str) -> None:
        """Remove a backup; its contents stay until `collect`."""
        self.place.delete([self._file(name)])

    def collect(self) -> int:
        """Remove contents that no backup names; gives how many. No backup may be written meanwhile.

        Raises BackupRefusedError, with nothing removed, when the manifest of a backup cannot be read.
        """
        in_backups: set[str] = set()
        for name in self.names():
            in_backups |= self._contents_of(name)
        unused = [name for name, _ in self.place.listing(CONTENTS) if name not in in_backups]
        self.place.delete(unused)
        return len(unused)

    def _contents_of(self, name: str) -> set[str]:
        return {content_name(entry) for entry in self.read(name).manifest.entries}

    @staticmethod
    def _file(name: str) -> str:
        if _NAME.fullmatch(name) is None:
            raise BackupRefusedError(f"{name!r} is no name of a backup; `walkaround backup list` shows them")
        return f"{BACKUPS}/{name}.json.gz"
