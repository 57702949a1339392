"""Defines what a store of named objects does, in a directory or in an S3-compatible store."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

PIECE = 2**20
"""Bytes that are read or written in one step."""


class StoreUnavailableError(Exception):
    """The store does not answer, or refuses what was asked, after the tries that `service.stores.s3` allows.

    Its text names the kind of the failure and never an address or a key.
    """


class StoreSettingsError(ValueError):
    """The address of a store, or what it needs beside, cannot be used; the text says what to change."""


class StoredObject(NamedTuple):
    """One object of a store: its name with `/` between the parts, bytes, and when it was written, in UTC."""

    name: str
    size: int
    written_at: dt.datetime


class Pieces(Protocol):
    """The bytes of a range of an object, in pieces. The caller that opened it closes it."""

    def read(self) -> bytes:
        """The next piece; empty at the end."""

    def close(self) -> None:
        """Release the file or connection."""


class Store(Protocol):
    """Objects by name, written whole or not at all. Methods block, and may be called from any thread.

    Every method but `close` raises StoreUnavailableError, or OSError for a directory.
    """

    def put(self, name: str, source: Path) -> None:
        """Store the file at `source` as `name`, in place of an older object. `source` may be moved there."""

    def open(self, name: str, byte_range: range | None = None) -> Pieces:
        """The bytes in `byte_range` (all without it) of an object. Raises FileNotFoundError."""

    def find(self, name: str) -> StoredObject | None:
        """What is known of an object; None when there is none."""

    def list(self, folder: str = "") -> Iterator[StoredObject]:
        """Every object, or every one whose name begins with `folder` and a `/`, in no certain order."""

    def delete(self, names: Sequence[str]) -> None:
        """Remove objects; those that are not there are passed over."""

    def local_path(self, name: str) -> Path | None:
        """Where an object lies, or would lie, on this machine's disk; None when it lies elsewhere."""

    def close(self) -> None:
        """Release what it holds."""


def copy(pieces: Pieces) -> Iterable[bytes]:
    """The pieces one after the other; closed at the end or after an exception."""
    try:
        while piece := pieces.read():
            yield piece
    finally:
        pieces.close()
