"""Defines what a store of named objects does, in a directory or in an S3-compatible store."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

PIECE = 2**20
"""Bytes that are read or written in one step."""


class StoreUnavailableError(Exception):
    """Raised if the store does not answer or refuses a request, after the retries of `service.stores.s3`.

    The text names the kind of the failure and never an address or a key.
    """


class StoreSettingsError(ValueError):
    """Raised if the address or another setting of a store is invalid; the text says what to change."""


class StoredObject(NamedTuple):
    """An object of a store: its name with `/` between the parts, its size in bytes and its time in UTC."""

    name: str
    size: int
    written_at: dt.datetime


class Pieces(Protocol):
    """A stream of the bytes of an object, in pieces. The caller closes it."""

    def read(self) -> bytes:
        """The next piece; empty at the end."""

    def close(self) -> None:
        """Release the file or connection."""


class Store(Protocol):
    """Objects by name, written completely or not at all. Methods block and may be called from any thread.

    Every method except `close` raises StoreUnavailableError, or OSError for a directory.
    """

    def put(self, name: str, source: Path) -> None:
        """Store the file at `source` as `name`, in place of an older object. `source` may be moved there."""

    def open(self, name: str, byte_range: range | None = None) -> Pieces:
        """The bytes in `byte_range` (all without it) of an object. Raises FileNotFoundError."""

    def find(self, name: str) -> StoredObject | None:
        """Return name, size and time of an object; None if it does not exist."""

    def list(self, folder: str = "") -> Iterator[StoredObject]:
        """Yield every object, or those whose names begin with `folder` and a `/`, in any order."""

    def delete(self, names: Sequence[str]) -> None:
        """Delete objects; missing ones are ignored."""

    def local_path(self, name: str) -> Path | None:
        """Return the path that an object has, or would have, on the local disk; None for a remote store."""

    def close(self) -> None:
        """Release the store's resources."""


def read_chunks(pieces: Pieces) -> Iterable[bytes]:
    """Yield the pieces of a stream, and close it at the end or after an exception."""
    try:
        while piece := pieces.read():
            yield piece
    finally:
        pieces.close()
