"""Chains the rows of the audit log by hashes and signs its end. Pure.

Each row's hash covers the row and the hash of the row before it. So a changed, missing, added or moved row
breaks the chain from that row on. A user who can write to the database could compute all hashes again, or
remove rows from the end. Therefore the newest hash is signed with a key that is not in the database.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

START = "0" * 64
"""The hash before the first row."""


class Event(NamedTuple):
    """The content of one row; `details` is JSON text."""

    seq: int
    at: dt.datetime
    action: str
    kind: str
    object_id: str | None
    actor: str | None
    address: str | None
    details: str


def details_text(details: Mapping[str, Any]) -> str:
    """`details` as JSON text, which is equal for equal content. Times become ISO 8601.

    Raises ValueError for a number that is not finite.
    """

    def to_text(value: Any) -> str:
        return value.isoformat() if isinstance(value, dt.date | dt.datetime) else str(value)

    return json.dumps(details, sort_keys=True, separators=(",", ":"), allow_nan=False, default=to_text)


def row_hash(event: Event, prev_hash: str) -> str:
    """SHA-256 over the canonical form of the row and the hash of the row before, in hexadecimal."""
    at = event.at.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")
    canonical = json.dumps([prev_hash, event.seq, at, *event[2:]], separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def head_key(secret: bytes) -> bytes:
    """The key of `head_mac`, derived from the service's secret. It is used for nothing else."""
    return hmac.digest(secret, b"walkaround audit head 1", "sha256")


def head_mac(key: bytes, seq: int, newest_hash: str) -> str:
    """The signature of the newest row: HMAC-SHA-256 in hexadecimal."""
    return hmac.digest(key, f"{seq}:{newest_hash}".encode("ascii"), "sha256").hex()


def is_signed(key: bytes, seq: int, newest_hash: str, mac: str) -> bool:
    """Whether `mac` is the signature of the newest row, with this number and hash."""
    return hmac.compare_digest(head_mac(key, seq, newest_hash).encode(), mac.encode("utf-8", "replace"))
