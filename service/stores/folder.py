"""Keeps objects as files below a folder."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from service.stores.port import PIECE, StoredObject
from shared.ids import random_name
from shared.system import atomic


class FilePieces:
    """The bytes in `byte_range` of the file at `path`. Raises FileNotFoundError."""

    def __init__(self, path: Path, byte_range: range | None) -> None:
        self._file = path.open("rb")
        self._remaining: int | None = None
        if byte_range is not None:
            self._file.seek(byte_range.start)
            self._remaining = len(byte_range)

    def read(self) -> bytes:
        """The next piece; empty at the end."""
        piece = self._file.read(PIECE if self._remaining is None else min(self._remaining, PIECE))
        if self._remaining is not None:
            self._remaining -= len(piece)
        return piece

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class FolderStore:
    """A store of the files below `folder`. It ignores part files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def local_path(self, name: str) -> Path:
        """Return the path of an object. Raises ValueError for a name that leads out of the folder."""
        parts = PurePosixPath(name).parts
        if not parts or "\\" in name or any(part in {"..", "/"} for part in parts):
            raise ValueError("not the name of an object")
        return self._folder.joinpath(*parts)

    def put(self, name: str, source: Path) -> None:
        """Move the file at `source` into the store durably; a file from another disk is copied."""
        path = self.local_path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if source.stat().st_dev != path.parent.stat().st_dev:
            part = path.parent / f"{atomic.PART_PREFIX}{random_name()}"
            try:
                _copy_file(source, part)
                atomic.replace_file(part, path, durable=True)
            finally:
                part.unlink(missing_ok=True)
            return
        with source.open("r+b") as file:
            atomic.sync_file(file)
        source.replace(path)
        atomic.sync_folder(path.parent)

    def open(self, name: str, byte_range: range | None = None) -> FilePieces:
        """Open the bytes of a file. Raises FileNotFoundError."""
        return FilePieces(self.local_path(name), byte_range)

    def find(self, name: str) -> StoredObject | None:
        """Return name, size and time of a file; None if it does not exist."""
        try:
            state = self.local_path(name).stat()
        except FileNotFoundError:
            return None
        return StoredObject(name, state.st_size, dt.datetime.fromtimestamp(state.st_mtime, dt.UTC))

    def list(self, folder: str = "") -> Iterator[StoredObject]:
        """Yield every file below the folder."""
        top = self.local_path(folder) if folder else self._folder
        for directory, _, names in os.walk(top):
            for name in names:
                path = Path(directory) / name
                if name.startswith(atomic.PART_PREFIX):
                    continue
                stored = self.find(path.relative_to(self._folder).as_posix())
                if stored is not None:
                    yield stored

    def delete(self, names: Sequence[str]) -> None:
        """Remove files."""
        for name in names:
            self.local_path(name).unlink(missing_ok=True)

    def close(self) -> None:
        """Do nothing: a folder needs no resources."""


def _copy_file(source: Path, target: Path) -> None:
    with source.open("rb") as source_file, target.open("xb") as target_file:
        while piece := source_file.read(PIECE):
            target_file.write(piece)
