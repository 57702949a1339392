"""Makes ids: of rows, of keys that a client chooses, and of files that are being written."""

from __future__ import annotations

import os
import secrets
import threading
import uuid

_UUID_BYTES = 16
_UUIDS_AT_ONCE = 64


class _RandomUuids:
    """Makes random UUIDs from bytes that the system gives for many of them at once.

    Each call of the system releases the interpreter's lock. A thread that makes an id would often wait for
    it until another one has finished its statement.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bytes = b""

    def forget(self) -> None:
        """Read new bytes next: a forked process must not use its parent's."""
        self._lock = threading.Lock()
        self._bytes = b""

    def next(self) -> uuid.UUID:
        """A random UUID of version 4."""
        with self._lock:
            if not self._bytes:
                self._bytes = os.urandom(_UUID_BYTES * _UUIDS_AT_ONCE)
            some, self._bytes = self._bytes[:_UUID_BYTES], self._bytes[_UUID_BYTES:]
        return uuid.UUID(bytes=some, version=4)


_uuids = _RandomUuids()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_uuids.forget)


def new_id() -> str:
    """An id for a row: a random UUID with hyphens, 36 characters."""
    return str(_uuids.next())


def new_key() -> str:
    """An id for an edit, a region or a request: a random UUID without hyphens, 32 hexadecimal digits."""
    return _uuids.next().hex


def random_name() -> str:
    """A name for a file that does not exist yet: 16 random hexadecimal digits."""
    return secrets.token_hex(8)
