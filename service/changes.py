"""Announces changes: to the audit log before the commit, to the event stream after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sqlmodel import Session


@dataclass(frozen=True, slots=True)
class ObjectChange:
    """One change or one attempt.

    `action` is what happened ("create", "update", "delete", "login", "login_failed", ...), `kind` the thing
    it happened to ("record", "item", "user", ...), `actor` a user id or None, `address` the client's address.
    `details` goes into the audit log: names of changed fields, old and new values, never a secret, never an
    image or a score. `quiet` changes are audited and not sent to other clients, `fleeting` ones are sent and
    not audited.
    """

    action: str
    kind: str
    object_id: str | None = None
    actor: str | None = None
    address: str | None = None
    details: dict[str, Any] = field(default_factory=dict)
    quiet: bool = False
    fleeting: bool = False


BeforeCommit = Callable[[Session, list[ObjectChange]], None]
AfterCommit = Callable[[list[ObjectChange]], None]

_KEY = "walkaround_changes"


def announce(session: Session, change: ObjectChange) -> None:
    """Notify the listeners of `change` when the transaction of `session` commits."""
    session.info.setdefault(_KEY, []).append(change)


def take_announced(session: Session) -> list[ObjectChange]:
    """The changes announced in the transaction of `session` since they were last taken."""
    changes: list[ObjectChange] = session.info.pop(_KEY, [])
    return changes
