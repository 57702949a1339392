"""Stores contents by their SHA-256. A content is written once and completely, or not at all.

Keeps local copies of the contents of a remote store, for readers that need a file.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from weakref import WeakValueDictionary

from service.settings import Settings
from service.stores.opening import open_store
from service.stores.port import Pieces, Store, StoredObject, read_chunks
from shared.ids import random_name
from shared.system import atomic
from shared.system.cache_limit import trim_cache

IN_USE_SECONDS = 20 * 60
"""How long a copy stays after its last use. The longest reader, which cuts tiles, has 15 minutes."""

_STALE_SECONDS = 24 * 3600


class LocalCopies:
    """Copies by their SHA-256 in `folder`; those not in use take at most `limit` bytes.

    Copies that were unused for longest are deleted first. Several processes may share the folder: a copy
    appears completely or not at all, and each use updates its modification time.
    """

    def __init__(self, folder: Path, limit: int) -> None:
        self._folder = folder
        self._limit = limit
        self._guard = threading.Lock()
        # The threads that fetch a copy or wait for it have the only references to its lock.
        self._fetch_locks: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()

    def find(self, sha256: str) -> Path | None:
        """Return the path of the copy and mark it as used; None if there is no copy."""
        path = self._folder / sha256
        try:
            os.utime(path)
        except FileNotFoundError:
            return None
        return path

    def path(self, sha256: str, fetch: Callable[[], Pieces]) -> Path:
        """Return the path of the copy. If there is none, `fetch` opens the bytes once for all threads.

        Raises FileNotFoundError if the bytes do not have the SHA-256, and the errors of `fetch`.
        """
        if (path := self.find(sha256)) is not None:
            return path
        with self._guard:
            lock = self._fetch_locks.setdefault(sha256, threading.Lock())
        with lock:
            return self.find(sha256) or self._fetch(sha256, fetch)

    def add(self, sha256: str, file: Path) -> None:
        """Move a file into the folder as a copy. It must be on the same disk and have that SHA-256."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / sha256
        atomic.replace_file(file, path, durable=False)
        os.utime(path)
        self._drop_unused(path)

    def remove(self, sha256: str) -> None:
        """Delete the copy if there is one."""
        (self._folder / sha256).unlink(missing_ok=True)

    def clean(self) -> None:
        """Delete parts of copies that a killed process left."""
        for part in self._folder.glob(f"{atomic.PART_PREFIX}*"):
            if time.time() - part.stat().st_mtime >= _STALE_SECONDS:
                part.unlink(missing_ok=True)

    def _fetch(self, sha256: str, fetch: Callable[[], Pieces]) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True)
        part, digest = self._folder / f"{atomic.PART_PREFIX}{random_name()}", hashlib.sha256()
        try:
            with part.open("xb") as file:
                for piece in read_chunks(fetch()):
                    digest.update(piece)
                    file.write(piece)
            if digest.hexdigest() != sha256:
                raise FileNotFoundError(f"the content {sha256} is damaged in the store")
            self.add(sha256, part)
        finally:
            part.unlink(missing_ok=True)
        return self._folder / sha256

    def _drop_unused(self, new: Path) -> None:
        in_use_since = time.time() - IN_USE_SECONDS
        used_bytes, unused_paths = 0, []
        for path in self._folder.iterdir():
            try:
                state = path.stat()
            except FileNotFoundError:
                continue
            if path == new or state.st_mtime >= in_use_since:
                used_bytes += state.st_size
            else:
                unused_paths.append(path)
        trim_cache(unused_paths, max(self._limit - used_bytes, 0))


INCOMING = "incoming"
STALE_SECONDS = 24 * 3600

_SHA256 = re.compile(r"[0-9a-f]{64}")


class ContentNaming(NamedTuple):
    """How contents are named in the store. `name` builds a name from a SHA-256, `pattern` parses one."""

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
    """A content that is being written: `write` its pieces, then call `Contents.keep` or `discard`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        self.head = b""
        self.existed_before = False
        """Whether the store already had an object of that name when the content was stored."""
        self._hash = hashlib.sha256()
        self._file = path.open("xb")

    @property
    def sha256(self) -> str:
        """The SHA-256 of the bytes written so far, in hexadecimal."""
        return self._hash.hexdigest()

    def write(self, piece: bytes) -> None:
        """Append `piece`."""
        self._file.write(piece)
        self._hash.update(piece)
        self.size += len(piece)
        if len(self.head) < 64:
            self.head = (self.head + piece)[:64]

    def finish(self) -> None:
        """Close the file after the last piece."""
        self._file.close()

    def discard(self) -> None:
        """Close and delete the file; does nothing if the store has moved it."""
        self._file.close()
        # Windows keeps a file that libvips still has open. `Contents.clean` deletes it later.
        with contextlib.suppress(PermissionError):
            self.path.unlink(missing_ok=True)


class Contents:
    """The contents in `store`. New contents are written to the local folder `incoming` first.

    `copies` keeps local copies of the contents of a remote store. Methods block and may be called from any
    thread. They raise StoreUnavailableError if a remote store does not answer, and OSError for a directory.
    """

    def __init__(
        self, store: Store, naming: ContentNaming, incoming: Path, copies: LocalCopies | None = None
    ) -> None:
        self._store = store
        self._naming = naming
        self.incoming_folder = incoming
        self._copies = copies

    def new_incoming(self) -> IncomingContent:
        """Return a new content to write."""
        self.incoming_folder.mkdir(parents=True, exist_ok=True)
        return IncomingContent(self.incoming_folder / random_name())

    def keep(self, incoming: IncomingContent) -> None:
        """Store a finished content durably, unless the store has it; replace an incomplete object."""
        sha256 = incoming.sha256
        name = self._naming.name(sha256)
        existing = self._store.find(name)
        incoming.existed_before = existing is not None
        if existing is None or existing.size != incoming.size:
            self._store.put(name, incoming.path)
        if self._copies is not None:
            # Most contents are read soon after their upload.
            self._copies.add(sha256, incoming.path)

    def ensure(self, incoming: IncomingContent) -> None:
        """Store a content again if a collection of unused contents removed it before it had a row."""
        if not incoming.existed_before or self.contains(incoming.sha256):
            return
        read_chunks = None if self._copies is None else self._copies.find(incoming.sha256)
        self._store.put(self._naming.name(incoming.sha256), read_chunks or incoming.path)

    def path(self, sha256: str) -> Path:
        """Return the path of a local file with the content. Raises FileNotFoundError if it is lost."""
        name = self._naming.name(sha256)
        local = self._store.local_path(name)
        if local is None:
            assert self._copies is not None
            return self._copies.path(sha256, lambda: self._store.open(name))
        if not local.is_file():
            raise FileNotFoundError(f"the content {sha256} is not in the store")
        return local

    def ensure_reachable(self) -> None:
        """Check that contents can be written and found. Raises like every method if not."""
        with os.scandir(self.incoming_folder) as entries:
            next(entries, None)
        self._store.find(self._naming.name("0" * 64))

    def is_lost(self, sha256: str) -> bool:
        """Return whether the content is missing on the local disk; always False for a remote store."""
        local = self._store.local_path(self._naming.name(sha256))
        return local is not None and not local.is_file()

    def contains(self, sha256: str) -> bool:
        """Return whether the store has the content."""
        return self._store.find(self._naming.name(sha256)) is not None

    def open(self, sha256: str, byte_range: range | None = None) -> Pieces:
        """Open the bytes in `byte_range`, or the whole content without it. Raises FileNotFoundError."""
        return self._store.open(self._naming.name(sha256), byte_range)

    def stored_hash(self, sha256: str) -> str | None:
        """Compute the SHA-256 of the bytes that the store has under `sha256`; None if it has none."""
        if _SHA256.fullmatch(sha256) is None:
            return None
        digest = hashlib.sha256()
        try:
            for piece in read_chunks(self.open(sha256)):
                digest.update(piece)
        except FileNotFoundError:
            return None
        return digest.hexdigest()

    def list_all(self) -> Iterator[tuple[str, StoredObject]]:
        """Yield the SHA-256 and the object of every content in the store."""
        for stored in self._store.list():
            match = self._naming.pattern.fullmatch(stored.name)
            if match is not None:
                yield match["first"] + match["rest"], stored

    def delete(self, hashes: Sequence[str]) -> None:
        """Delete contents and their local copies."""
        self._store.delete([self._naming.name(sha256) for sha256 in hashes])
        if self._copies is not None:
            for sha256 in hashes:
                self._copies.remove(sha256)

    def clean(self, older_than: float = STALE_SECONDS) -> int:
        """Delete files left by uploads interrupted `older_than` seconds ago; return their number."""
        removed = 0
        self.incoming_folder.mkdir(parents=True, exist_ok=True)
        for path in self.incoming_folder.iterdir():
            if time.time() - path.stat().st_mtime >= older_than:
                with contextlib.suppress(PermissionError):
                    path.unlink(missing_ok=True)
                    removed += 1
        if self._copies is not None:
            self._copies.clean()
        return removed

    def close(self) -> None:
        """Release the store."""
        self._store.close()


def file_contents(settings: Settings) -> Contents:
    """Return the contents of uploaded files. Raises StoreSettingsError."""
    return _contents(settings, FILES, settings.files_dir)


def model_contents(settings: Settings) -> Contents:
    """Return the files of detection models. Raises StoreSettingsError."""
    return _contents(settings, MODELS, settings.models_dir)


def _contents(settings: Settings, naming: ContentNaming, folder: Path) -> Contents:
    if settings.files_url:
        store = open_store(settings.files_url, settings, folder=folder.name)
    else:
        store = open_store(str(folder), settings)
    incoming_folder = store.local_path(INCOMING)
    if incoming_folder is not None:
        # The folder is on the store's disk, so a finished content is renamed and not copied.
        return Contents(store, naming, incoming_folder)
    cache = settings.data_dir / "cache"
    copies = LocalCopies(cache / "contents", settings.files_cache_bytes)
    return Contents(store, naming, cache / INCOMING, copies)
