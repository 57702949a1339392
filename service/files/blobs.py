"""Stores contents by their SHA-256, written once, whole or not at all."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

from service.files.lookup import blob_path
from shared import atomic
from shared.ids import random_name

INCOMING = "incoming"
STALE_SECONDS = 24 * 3600


class Incoming:
    """A content that is being written: `write` the pieces, then `BlobFolder.keep` it or `discard` it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        self.head = b""
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
        """Bring everything to the disk and close the file."""
        atomic.sync_file(self._file)
        self._file.close()

    def discard(self) -> None:
        """Close and remove it; nothing happens when it was kept."""
        self._file.close()
        self.path.unlink(missing_ok=True)


class BlobFolder:
    """Contents below `folder`, as `ab/cdef...` by the hexadecimal digits of their SHA-256."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / INCOMING).mkdir(parents=True, exist_ok=True)

    def path(self, sha256: str) -> Path:
        """Where the content with that SHA-256 lies, or would lie."""
        return blob_path(self.folder, sha256)

    def incoming(self) -> Incoming:
        """A new content to write, on the same file system as the others."""
        return Incoming(self.folder / INCOMING / random_name())

    def keep(self, incoming: Incoming) -> Path:
        """Give a finished content its name. The same content twice is stored once."""
        path = self.path(incoming.sha256)
        if path.exists() and path.stat().st_size == incoming.size:
            incoming.discard()
            return path
        path.parent.mkdir(exist_ok=True)
        atomic.put_in_place(incoming.path, path, durable=False)
        atomic.sync_folder(path.parent)
        return path

    def clean(self, older_than: float = STALE_SECONDS) -> int:
        """Remove what an interrupted upload left behind `older_than` seconds ago; give how many."""
        removed = 0
        for path in (self.folder / INCOMING).iterdir():
            if time.time() - path.stat().st_mtime >= older_than:
                path.unlink(missing_ok=True)
                removed += 1
        return removed
