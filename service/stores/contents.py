"""Stores contents by their SHA-256, written once, whole or not at all."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from service.settings import Settings
from service.stores.local_copies import LocalCopies
from service.stores.opening import open_store
from service.stores.port import Pieces, Store, StoredObject, copy
from shared.ids import random_name

INCOMING = "incoming"
STALE_SECONDS = 24 * 3600

_SHA256 = re.compile(r"[0-9a-f]{64}")


class ContentNaming(NamedTuple):
    """How a content is named in the store: by `name`, which `pattern` recognizes by two groups at most."""

    name: Callable[[str], str]
    pattern: re.Pattern[str]


FILES = ContentNaming(
    lambda sha256: f"{sha256[:2]}/{sha256[2:]}", re.compile(r"(?P<first>[0-9a-f]{2})/(?P<rest>[0-9a-f]{62})")
)
"""Uploaded files and pictures of results: `ab/cdef...`."""

MODELS = ContentNaming(
    lambda sha256: f"{sha256}.onnx", re.compile(r"(?P<first>[0-9a-f]{64})(?P<rest>)\.onnx")
)
"""Files of detection models."""


class IncomingContent:
    """A content that is being written: `write` the pieces, then `Contents.keep` it or `discard` it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        self.head = b""
        self.stored_before = False
        """Whether the store had an object of that name when it was kept."""
        self._hash = hashlib.sha256()
        self._file = path.open("xb")

    @property
    def sha256(self) -> str:
        """SHA-256 of what was written so far, in hexadecimal."""
        return self._hash.hexdigest()

    def write(self, piece: bytes) -> None:
        """Append `piece`."""
        self._file.write(piece)
        self._hash.update(piece)
        self.size += len(piece)
        if len(self.head) < 64:
            self.head = (self.head + piece)[:64]

    def finish(self) -> None:
        """Close the file: everything is written."""
        self._file.close()

    def discard(self) -> None:
        """Close and remove it; nothing happens when it was moved."""
        self._file.close()
        self.path.unlink(missing_ok=True)


class Contents:
    """Contents in `store`; what is written lies in `incoming` first, on this machine.

    `copies` are for a store elsewhere. Methods block, may be called from any thread, and raise
    StoreUnavailableError when such a store does not answer, OSError for a directory.
    """

    def __init__(
        self, store: Store, naming: ContentNaming, incoming: Path, copies: LocalCopies | None = None
    ) -> None:
        self._store = store
        self._naming = naming
        self.incoming_folder = incoming
        self._copies = copies

    def incoming(self) -> IncomingContent:
        """A new content to write."""
        self.incoming_folder.mkdir(parents=True, exist_ok=True)
        return IncomingContent(self.incoming_folder / random_name())

    def keep(self, incoming: IncomingContent) -> None:
        """Store a finished content durably. The same content twice is stored once, a torn one is replaced."""
        sha256 = incoming.sha256
        name = self._naming.name(sha256)
        stored = self._store.find(name)
        incoming.stored_before = stored is not None
        if stored is None or stored.size != incoming.size:
            self._store.put(name, incoming.path)
        if self._copies is not None:
            # Most contents are looked at soon after they came.
            self._copies.add(sha256, incoming.path)

    def ensure(self, incoming: IncomingContent) -> None:
        """Store a kept content again when a collection of unused ones removed it before it had a row."""
        if not incoming.stored_before or self.contains(incoming.sha256):
            return
        copy = None if self._copies is None else self._copies.find(incoming.sha256)
        self._store.put(self._naming.name(incoming.sha256), copy or incoming.path)

    def path(self, sha256: str) -> Path:
        """A file with the content on this machine. Raises FileNotFoundError when the content is lost."""
        name = self._naming.name(sha256)
        local = self._store.local_path(name)
        if local is None:
            assert self._copies is not None
            return self._copies.path(sha256, lambda: self._store.open(name))
        if not local.is_file():
            raise FileNotFoundError(f"the content {sha256} is not in the store")
        return local

    def ensure_reachable(self) -> None:
        """Look whether contents can be written and found. Raises as every method does when not."""
        with os.scandir(self.incoming_folder) as entries:
            next(entries, None)
        self._store.find(self._naming.name("0" * 64))

    def is_lost(self, sha256: str) -> bool:
        """Whether this machine's disk says that the content is lost; a store elsewhere is not asked."""
        local = self._store.local_path(self._naming.name(sha256))
        return local is not None and not local.is_file()

    def contains(self, sha256: str) -> bool:
        """Whether the store has the content."""
        return self._store.find(self._naming.name(sha256)) is not None

    def open(self, sha256: str, byte_range: range | None = None) -> Pieces:
        """The bytes in `byte_range` (all without it), from the store. Raises FileNotFoundError."""
        return self._store.open(self._naming.name(sha256), byte_range)

    def stored_hash(self, sha256: str) -> str | None:
        """The SHA-256 of the bytes that the store has under `sha256`; None when there are none."""
        if _SHA256.fullmatch(sha256) is None:
            return None
        digest = hashlib.sha256()
        try:
            for piece in copy(self.open(sha256)):
                digest.update(piece)
        except FileNotFoundError:
            return None
        return digest.hexdigest()

    def list_all(self) -> Iterator[tuple[str, StoredObject]]:
        """The SHA-256 of every content, and what the store knows of it."""
        for stored in self._store.list():
            match = self._naming.pattern.fullmatch(stored.name)
            if match is not None:
                yield match["first"] + match["rest"], stored

    def delete(self, hashes: Sequence[str]) -> None:
        """Remove contents, and their copies on this machine."""
        self._store.delete([self._naming.name(sha256) for sha256 in hashes])
        if self._copies is not None:
            for sha256 in hashes:
                self._copies.remove(sha256)

    def clean(self, older_than: float = STALE_SECONDS) -> int:
        """Remove what an interrupted upload left behind `older_than` seconds ago; give how many."""
        removed = 0
        self.incoming_folder.mkdir(parents=True, exist_ok=True)
        for path in self.incoming_folder.iterdir():
            if time.time() - path.stat().st_mtime >= older_than:
                path.unlink(missing_ok=True)
                removed += 1
        if self._copies is not None:
            self._copies.clean()
        return removed

    def close(self) -> None:
        """Release the store."""
        self._store.close()


def file_contents(settings: Settings) -> Contents:
    """The contents of uploaded files. Raises StoreSettingsError."""
    return _contents(settings, FILES, settings.files_dir)


def model_contents(settings: Settings) -> Contents:
    """The files of detection models. Raises StoreSettingsError."""
    return _contents(settings, MODELS, settings.models_dir)


def _contents(settings: Settings, naming: ContentNaming, folder: Path) -> Contents:
    if settings.files_url:
        store = open_store(settings.files_url, settings, folder=folder.name)
    else:
        store = open_store(str(folder), settings)
    beside = store.local_path(INCOMING)
    if beside is not None:
        # On the same disk: a finished content is renamed and not copied.
        return Contents(store, naming, beside)
    cache = settings.data_dir / "cache"
    copies = LocalCopies(cache / "contents", settings.files_cache_bytes)
    return Contents(store, naming, cache / INCOMING, copies)
