"""Keeps local copies of the contents of a remote store, for readers that need a file."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from service.stores.port import Pieces, read_chunks
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
        self._fetch_locks: dict[str, threading.Lock] = {}

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
        with self._fetch_lock(sha256):
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

    @contextmanager
    def _fetch_lock(self, sha256: str) -> Iterator[None]:
        with self._guard:
            lock = self._fetch_locks.setdefault(sha256, threading.Lock())
        with lock:
            yield
        with self._guard:
            # Threads that wait hold a reference to the lock; later threads find the copy.
            self._fetch_locks.pop(sha256, None)

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
