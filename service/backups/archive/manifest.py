"""Defines the manifest of a backup: its files with size and SHA-256, and the state of the database."""

import datetime as dt
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import PurePosixPath
from typing import IO, Annotated, Literal, Protocol

from pydantic import BaseModel, Field, ValidationError

MANIFEST = "manifest.json"
DATABASE = "data/walkaround.db"
TABLES = "tables/"
"""The prefix of the names of a PostgreSQL database's tables."""
MAX_MANIFEST_BYTES = 512 * 2**20
PIECE = 2**20

WITHOUT_TABLES: Literal[1] = 1
"""The format of archives without a PostgreSQL database, which older versions can restore too."""
WITH_TABLES: Literal[2] = 2


class BackupRefusedError(Exception):
    """Raised if a command cannot be executed; the text says why and what to do."""


class Entry(BaseModel):
    """One file of a backup."""

    name: str
    size: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class CopiedTable(BaseModel):
    """A table of a PostgreSQL database: its columns in the order of the copy, and the entry with its rows."""

    name: str
    columns: list[str]
    entry: str


class Manifest(BaseModel):
    """The content of a backup. `audit_end` is the end of an intact audit log as (number, hash).

    `problems` are sentences about data that was damaged when the backup was made. `files_elsewhere` is true
    if the stored files are in a store that is not part of the backup.
    """

    format: Literal[1, 2] = WITHOUT_TABLES
    program: Literal["walkaround"] = "walkaround"
    version: str
    created_at: dt.datetime
    revision: str | None
    audit_end: tuple[int, str] | None
    entries: list[Entry]
    tables: list[CopiedTable] = []
    sequences: dict[str, int] = {}
    problems: list[str] = []
    files_elsewhere: bool = False

    @property
    def size(self) -> int:
        """The size of all files in bytes."""
        return sum(entry.size for entry in self.entries)

    @property
    def has_database(self) -> bool:
        """Whether the backup contains a database of SQLite or PostgreSQL."""
        return bool(self.tables) or any(entry.name == DATABASE for entry in self.entries)


class Backup(Protocol):
    """A backup that can be read. Its manifest has the entries for `open`."""

    @property
    def manifest(self) -> Manifest:
        """The content of the backup."""

    def open(self, entry: Entry) -> AbstractContextManager[IO[bytes]]:
        """Open the content of an entry. Raises OSError, and BackupRefusedError if it is missing."""


class NewBackup(Protocol):
    """A backup that is being written."""

    def add(self, name: str, source: IO[bytes]) -> Entry:
        """Add the content of `source` as `name`. Raises OSError."""

    def reuse(self, entry: Entry) -> bool:
        """Use an existing content with this SHA-256 and size; return False if there is none."""


def parse_manifest(data: bytes | str) -> Manifest:
    """Parse a manifest.

    Raises BackupRefusedError if it is not a manifest of Walkaround, or names a file outside of the data.
    """
    try:
        manifest = Manifest.model_validate_json(data)
    except ValidationError as error:
        raise BackupRefusedError(
            "this is no backup of Walkaround: it has no manifest that can be read"
        ) from error
    names = [entry.name for entry in manifest.entries]
    if len(set(names)) != len(names):
        raise BackupRefusedError("the backup names a file twice; use another copy of it")
    for name in names:
        if not is_safe(name):
            raise BackupRefusedError(f"the archive holds a file with the forbidden name {name!r}")
    if {table.entry for table in manifest.tables} != {name for name in names if name.startswith(TABLES)}:
        raise BackupRefusedError(
            "the backup does not hold the tables that its manifest names; use another copy of it"
        )
    return manifest


def is_safe(name: str) -> bool:
    """Return whether an entry may be unpacked: below `data/`, or directly in `secrets/` or `tables/`."""
    path = PurePosixPath(name)
    is_plain = (
        path.as_posix() == name
        and not path.is_absolute()
        and ".." not in path.parts
        and not any(letter in '\\:*?"<>|' or ord(letter) < 32 for letter in name)
        and not any(part != part.rstrip(". ") for part in path.parts)
    )
    if path.parts[:1] == ("secrets",):
        return is_plain and len(path.parts) == 2 and path.suffix == ".key"
    if path.parts[:1] == ("tables",):
        return is_plain and len(path.parts) == 2
    # A key or a write-ahead log among the data could change what the restored database contains.
    is_disguised = path.suffix == ".key" or (name != DATABASE and name.startswith(DATABASE))
    return is_plain and path.parts[:1] == ("data",) and len(path.parts) >= 2 and not is_disguised


def is_stored_file(name: str) -> bool:
    """Return whether the entry is a content of the file store, which has its SHA-256 as name."""
    return name.startswith("data/files/")


def hash_in_name(name: str) -> str:
    """Return the SHA-256 in the name of a stored file."""
    return "".join(PurePosixPath(name).parts[2:])


def pieces(source: IO[bytes], limit: int | None = None) -> Iterator[bytes]:
    """Yield the content of `source` in pieces; stop after the first piece that exceeds `limit` bytes."""
    size = 0
    while piece := source.read(PIECE):
        yield piece
        size += len(piece)
        if limit is not None and size > limit:
            return
