"""Stores the objects of backups in a directory or an S3-compatible store, with `service.stores`."""

from __future__ import annotations

import errno
import io
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from service.settings import Settings
from service.stores.opening import open_store
from service.stores.port import Pieces, Store, StoreUnavailableError
from shared.ids import random_name

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_INCOMING_FOLDER = "incoming"
_SCRATCH = ("cache", "backup")
"""The folder below the data folder for files on their way to a remote store."""


class PartFile(NamedTuple):
    """A file that is being written; `commit` stores it durably under a name."""

    file: IO[bytes]
    commit: Callable[[str], None]


class BackupPlace:
    """The objects of a store with backups. Every method may raise OSError, also if a store does not answer.

    `scratch` is a local folder for files on their way to a remote store. A directory has its own scratch
    folder, so a backup uses no space on the disk of the service's data.
    """

    def __init__(self, store: Store, address: str, scratch: Path) -> None:
        self._store = store
        self._address = address
        self._scratch = store.local_path(_INCOMING_FOLDER) or scratch

    def __str__(self) -> str:
        return self._address

    def list_objects(self, folder: str) -> Iterator[tuple[str, int]]:
        """Yield names and sizes of all objects below `folder`."""
        with self._translate_errors():
            for item in self._store.list(folder):
                yield item.name, item.size

    @contextmanager
    def create_object(self) -> Iterator[PartFile]:
        """Create an object; it is deleted at the end of the block unless `commit` was called."""
        self._scratch.mkdir(parents=True, exist_ok=True)
        path = self._scratch / random_name()
        try:
            with path.open("xb") as file:
                path.chmod(0o600)

                def commit(name: str) -> None:
                    file.close()
                    with self._translate_errors():
                        self._store.put(name, path)

                yield PartFile(file, commit)
        finally:
            path.unlink(missing_ok=True)

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """Open the content of an object. Raises FileNotFoundError."""
        with self._translate_errors():
            pieces = self._store.open(name)
        # Reading the file in the block raises errors of the store as well.
        with open_as_file(pieces) as file, self._translate_errors():
            yield file

    def delete(self, names: Sequence[str]) -> None:
        """Delete objects; missing ones are ignored."""
        with self._translate_errors():
            self._store.delete(names)

    @contextmanager
    def working_folder(self) -> Iterator[Path]:
        """Create an empty local folder for a copy of the database; it is deleted at the end of the block."""
        self._scratch.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self._scratch) as folder:
            yield Path(folder)

    def clean(self) -> None:
        """Delete files that an interrupted backup left; no other backup may run. Raises FileNotFoundError.

        The directory of backups is never created: if its disk is not mounted, it would be on the system's
        disk.
        """
        directory = self._store.local_path(_INCOMING_FOLDER)
        if directory is not None and not directory.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self._address)
        shutil.rmtree(self._scratch, ignore_errors=True)

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except StoreUnavailableError as problem:
            message = f"the store does not answer or refuses the request ({problem})"
            raise OSError(errno.EIO, message, self._address) from None


class _Stream(io.RawIOBase):
    """The pieces of an object as a file."""

    def __init__(self, pieces: Pieces) -> None:
        super().__init__()
        self._pieces = pieces
        self._buffer = b""

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Read the next bytes into `buffer`; return their number, 0 at the end."""
        target = memoryview(buffer).cast("B")
        if not self._buffer:
            self._buffer = self._pieces.read()
        piece, self._buffer = self._buffer[: len(target)], self._buffer[len(target) :]
        target[: len(piece)] = piece
        return len(piece)


@contextmanager
def open_as_file(pieces: Pieces) -> Iterator[IO[bytes]]:
    """Open the pieces of an object as a file, which is closed at the end of the block."""
    try:
        yield io.BufferedReader(_Stream(pieces))
    finally:
        pieces.close()


def open_place(address: str, settings: Settings) -> BackupPlace:
    """Open the place at `address`, a directory or `s3://BUCKET/PREFIX`. Raises StoreSettingsError."""
    return BackupPlace(open_store(address, settings), address, settings.data_dir.joinpath(*_SCRATCH))
