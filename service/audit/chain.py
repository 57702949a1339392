"""Appends to the audit log, whose rows are chained by hashes and whose end is signed.

Each row's hash covers the row and the hash of the row before it. So a changed, missing, added or moved row
breaks the chain from that row on. A user who can write to the database could compute all hashes again, or
remove rows from the end. Therefore the newest hash is signed with a key that is not in the database.
"""

from __future__ import annotations

import datetime as dt
import functools
import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import bindparam, func
from sqlalchemy import select as core_select
from sqlmodel import Session, select

from service.audit.tables import AuditRow, HeadRow
from service.changes import BeforeCommit, ObjectChange
from service.db import statements
from service.db.database import now
from service.db.upsert import insert_or_ignore
from service.settings import Settings

START = "0" * 64
"""The hash before the first row."""
UNSIGNED = "audit_unsigned"
"""Action of a row which records that this installation's key had not signed the end of the log."""

_ROW, _HEAD = AuditRow.__table__, HeadRow.__table__
_INSERT_ROW = _ROW.insert()
# The row lock serializes parallel transactions on PostgreSQL.
LOCKED_HEAD = core_select(_HEAD.c.seq, _HEAD.c.hash, _HEAD.c.mac).with_for_update()
_SET_HEAD = (
    _HEAD.update()
    .where(_HEAD.c.head_id == 1)
    .values(seq=bindparam("end"), hash=bindparam("end_hash"), mac=bindparam("end_mac"))
)


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


def append(key: bytes, session: Session, changes: Sequence[ObjectChange]) -> None:
    """Append `changes` to the log in the transaction of `session`, signed with the `head_key`.

    Unaudited changes are left out.
    """
    changes = [change for change in changes if not change.unaudited]
    if not changes:
        return
    # Writes pending objects before it locks the head: two transactions that lock in different orders would
    # wait for each other.
    session.flush()
    # Prebuilt statements without the session, because almost every change writes an entry.
    connection = session.connection()
    heads = statements.run(connection, LOCKED_HEAD, {})
    if not heads:
        insert_head(key, session)
        heads = statements.run(connection, LOCKED_HEAD, {})
    ((seq, last_hash, mac),) = heads
    if not is_signed(key, seq, last_hash, mac):
        changes = [ObjectChange(UNSIGNED, "audit", details={"seq": seq, "hash": last_hash}), *changes]
    at = now()
    rows = []
    for change in changes:
        seq += 1
        event = _event(seq, at, change)
        rows.append({**event._asdict(), "prev_hash": last_hash, "hash": row_hash(event, last_hash)})
        last_hash = rows[-1]["hash"]
    statements.run_many(connection, _INSERT_ROW, rows)
    end = {"end": seq, "end_hash": last_hash, "end_mac": head_mac(key, seq, last_hash)}
    statements.run(connection, _SET_HEAD, end)


def insert_head(key: bytes, session: Session) -> bool:
    """Insert the head of a log that has none; False if another transaction inserted it first.

    The head is signed only if the log is empty: if the log has rows, its head was removed from outside.
    """
    seq = session.exec(select(func.max(AuditRow.seq))).first() or 0
    last_hash = session.exec(select(AuditRow.hash).where(AuditRow.seq == seq)).first() or START
    mac = "" if seq else head_mac(key, seq, last_hash)
    head = {"head_id": 1, "seq": seq, "hash": last_hash, "mac": mac}
    return insert_or_ignore(session, HeadRow.__table__, [head], ["head_id"]) == 1


def audit_listener(settings: Settings) -> BeforeCommit:
    """A listener for `Database.before_commit` that writes a command's changes to the log."""
    return functools.partial(append, head_key(settings.load_signing_secret()))


def _storable_text(value: str | None) -> str | None:
    # The username of a failed login may be any text. PostgreSQL stores neither U+0000 nor lone surrogates.
    if value is None:
        return None
    return value.replace("\x00", "\\0").encode("utf-8", "backslashreplace").decode()[:255]


def _event(seq: int, at: dt.datetime, change: ObjectChange) -> Event:
    return Event(
        seq=seq,
        at=at,
        action=change.action,
        kind=change.kind,
        object_id=_storable_text(change.object_id),
        actor=_storable_text(change.actor),
        address=_storable_text(change.address),
        details=details_text(change.details),
    )
