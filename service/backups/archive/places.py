"""Where backups lie that share their contents: a directory or an S3-compatible store, by `service.stores`."""

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

_UNFINISHED = "incoming"
_SCRATCH = ("cache", "backup")
"""Below the data directory: what is on its way to a store elsewhere."""


class PartFile(NamedTuple):
    """A file that is being written; `keep` gives it its name in the place, whole and durable."""

    file: IO[bytes]
    keep: Callable[[str], None]


class BackupPlace:
    """The objects of a store. Every method may raise OSError, also for a store that does not answer.

    `scratch` is a folder on this machine for what is on its way there; a directory has its own, so that the
    disk of the service's data gets no fuller by a backup.
    """

    def __init__(self, store: Store, address: str, scratch: Path) -> None:
        self._store = store
        self._address = address
        self._scratch = store.local_path(_UNFINISHED) or scratch

    def __str__(self) -> str:
        return self._address

    def listing(self, folder: str) -> Iterator[tuple[str, int]]:
        """Names and sizes of all objects below `folder`."""
        with self._faults():
            for stored in self._store.list(folder):
                yield stored.name, stored.size

    @contextmanager
    def writing(self) -> Iterator[PartFile]:
        """A new object. One that was not kept at the end of the block is gone."""
        self._scratch.mkdir(parents=True, exist_ok=True)
        path = self._scratch / random_name()
        try:
            with path.open("xb") as file:
                path.chmod(0o600)

                def keep(name: str) -> None:
                    file.close()
                    with self._faults():
                        self._store.put(name, path)

                yield PartFile(file, keep)
        finally:
            path.unlink(missing_ok=True)

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """The content of an object. Raises FileNotFoundError."""
        with self._faults():
            pieces = self._store.open(name)
        # What reads the file raises in the block.
        with as_file(pieces) as file, self._faults():
            yield file

    def delete(self, names: Sequence[str]) -> None:
        """Remove objects; those that are not there are passed over."""
        with self._faults():
            self._store.delete(names)

    @contextmanager
    def working_folder(self) -> Iterator[Path]:
        """An empty folder on this machine for a copy of the database; it goes with the block."""
        self._scratch.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self._scratch) as folder:
            yield Path(folder)

    def clean(self) -> None:
        """Remove what an interrupted backup left behind; no other may run. Raises FileNotFoundError.

        The directory of backups is never made: below a disk that is not mounted, it would fill the disk of
        the system.
        """
        directory = self._store.local_path(_UNFINISHED)
        if directory is not None and not directory.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self._address)
        shutil.rmtree(self._scratch, ignore_errors=True)

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except StoreUnavailableError as problem:
            message = f"the store refuses or is away ({problem})"
            raise OSError(errno.EIO, message, self._address) from None


class _Stream(io.RawIOBase):
    """The pieces of an object as a file."""

    def __init__(self, pieces: Pieces) -> None:
        super().__init__()
        self._pieces = pieces
        self._left = b""

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Fill `buffer` with what comes next; 0 at the end."""
        target = memoryview(buffer).cast("B")
        if not self._left:
            self._left = self._pieces.read()
        piece, self._left = self._left[: len(target)], self._left[len(target) :]
        target[: len(piece)] = piece
        return len(piece)


@contextmanager
def as_file(pieces: Pieces) -> Iterator[IO[bytes]]:
    """The pieces of an object as a file; closed at the end of the block."""
    try:
        yield io.BufferedReader(_Stream(pieces))
    finally:
        pieces.close()


def open_place(address: str, settings: Settings) -> BackupPlace:
    """The place at `address`, a directory or `s3://BUCKET/PREFIX`. Raises StoreSettingsError."""
    return BackupPlace(open_store(address, settings), address, settings.data_dir.joinpath(*_SCRATCH))
