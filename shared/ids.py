"""Creates random ids: of rows, of keys that a client chooses, and of files during a write."""

from __future__ import annotations

import os
import secrets
import threading
import uuid

_UUID_BYTES = 16
_UUIDS_AT_ONCE = 64


class _RandomUuids:
    """Creates random UUIDs and reads the random bytes for many of them in one system call.

    Each system call releases the interpreter's lock. If every id needed one, its thread would often wait
    until another thread releases the lock.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bytes = b""

    def discard_bytes(self) -> None:
        """Discard the bytes read so far: a forked process must not use those of its parent."""
        self._lock = threading.Lock()
        self._bytes = b""

    def next(self) -> uuid.UUID:
        """Return a random UUID of version 4."""
        with self._lock:
            if not self._bytes:
                self._bytes = os.urandom(_UUID_BYTES * _UUIDS_AT_ONCE)
            chunk, self._bytes = self._bytes[:_UUID_BYTES], self._bytes[_UUID_BYTES:]
        return uuid.UUID(bytes=chunk, version=4)


_uuids = _RandomUuids()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_uuids.discard_bytes)


def new_id() -> str:
    """Return an id for a row: a random UUID with hyphens, 36 characters."""
    return str(_uuids.next())


def new_key() -> str:
    """Return an id for an edit, region or request: a random UUID without hyphens, 32 hexadecimal digits."""
    return _uuids.next().hex


def random_name() -> str:
    """Return a name for a new file: 16 random hexadecimal digits."""
    return secrets.token_hex(8)
