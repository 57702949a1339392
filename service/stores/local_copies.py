"""Keeps copies of contents that lie elsewhere, for readers that need a file on this machine."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from service.stores.port import Pieces, copy
from shared import atomic
from shared.ids import random_name
from shared.unused import drop_unused

IN_USE_SECONDS = 20 * 60
"""A copy stays for as long after its last use. The longest reader, which cuts tiles, has 15 minutes."""

_STALE_SECONDS = 24 * 3600


class LocalCopies:
    """Copies by their SHA-256 in `folder`, at most `limit` bytes besides those that are in use.

    The longest unused go first. Several processes may share the folder: a copy appears whole or not at all,
    and what is used is touched.
    """

    def __init__(self, folder: Path, limit: int) -> None:
        self._folder = folder
        self._limit = limit
        self._guard = threading.Lock()
        self._fetching: dict[str, threading.Lock] = {}

    def find(self, sha256: str) -> Path | None:
        """The copy, marked as used now; None when there is none."""
        path = self._folder / sha256
        try:
            os.utime(path)
        except FileNotFoundError:
            return None
        return path

    def path(self, sha256: str, fetch: Callable[[], Pieces]) -> Path:
        """The copy; made of what `fetch` gives when there is none, once for all threads that ask.

        Raises FileNotFoundError when the bytes are not those of the SHA-256, and what `fetch` raises.
        """
        if (path := self.find(sha256)) is not None:
            return path
        with self._lock(sha256):
            return self.find(sha256) or self._fetch(sha256, fetch)

    def add(self, sha256: str, file: Path) -> None:
        """Make the file a copy, by moving it; it has to lie on the same disk and to have that SHA-256."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / sha256
        atomic.put_in_place(file, path, durable=False)
        os.utime(path)
        self._drop_unused(path)

    def remove(self, sha256: str) -> None:
        """Remove the copy, when there is one."""
        (self._folder / sha256).unlink(missing_ok=True)

    def clean(self) -> None:
        """Remove parts of copies that a killed process left behind."""
        for part in self._folder.glob(f"{atomic.PART_PREFIX}*"):
            if time.time() - part.stat().st_mtime >= _STALE_SECONDS:
                part.unlink(missing_ok=True)

    @contextmanager
    def _lock(self, sha256: str) -> Iterator[None]:
        with self._guard:
            lock = self._fetching.setdefault(sha256, threading.Lock())
        with lock:
            yield
        with self._guard:
            # Who waits for it holds it; who comes now finds the copy.
            self._fetching.pop(sha256, None)

    def _fetch(self, sha256: str, fetch: Callable[[], Pieces]) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True)
        part, digest = self._folder / f"{atomic.PART_PREFIX}{random_name()}", hashlib.sha256()
        try:
            with part.open("xb") as file:
                for piece in copy(fetch()):
                    digest.update(piece)
                    file.write(piece)
            if digest.hexdigest() != sha256:
                raise FileNotFoundError(f"the content {sha256} is damaged in the store")
            self.add(sha256, part)
        finally:
            part.unlink(missing_ok=True)
        return self._folder / sha256

    def _drop_unused(self, new: Path) -> None:
        oldest_used = time.time() - IN_USE_SECONDS
        used, unused = 0, []
        for path in self._folder.iterdir():
            try:
                state = path.stat()
            except FileNotFoundError:
                continue
            if path == new or state.st_mtime >= oldest_used:
                used += state.st_size
            else:
                unused.append(path)
        drop_unused(unused, max(self._limit - used, 0))
