"""Makes ids: of rows, of keys that a client chooses, and of files that are being written."""

from __future__ import annotations

import secrets
import uuid


def new_id() -> str:
    """An id for a row: a random UUID with hyphens, 36 characters."""
    return str(uuid.uuid4())


def new_key() -> str:
    """An id for an edit, a region or a request: a random UUID without hyphens, 32 hexadecimal digits."""
    return uuid.uuid4().hex


def random_name() -> str:
    """A name for a file that does not exist yet: 16 random hexadecimal digits."""
    return secrets.token_hex(8)
