"""Defines changes of objects. The audit log receives them before the commit, the event stream after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sqlmodel import Session


@dataclass(frozen=True, slots=True)
class ObjectChange:
    """One change or one attempt.

    `action` is what happened ("create", "update", "delete", "login", "login_failed", ...), `kind` is the kind
    of the object ("record", "item", "user", ...), `actor` is a user ID or None, `address` is the client's
    address. `details` is stored in the audit log: names of changed fields, old and new values, never a
    secret, an image or a score. The event stream does not send a change that is `audit_only`. The audit log
    does not store a change that is `unaudited`.
    """

    action: str
    kind: str
    object_id: str | None = None
    actor: str | None = None
    address: str | None = None
    details: dict[str, Any] = field(default_factory=dict)
    audit_only: bool = False
    unaudited: bool = False


BeforeCommit = Callable[[Session, list[ObjectChange]], None]
AfterCommit = Callable[[list[ObjectChange]], None]

_KEY = "walkaround_changes"


def announce(session: Session, change: ObjectChange) -> None:
    """Register `change`: the listeners receive it when the transaction of `session` commits."""
    session.info.setdefault(_KEY, []).append(change)


def pop_announced_changes(session: Session) -> list[ObjectChange]:
    """Remove and return the changes that were announced in the transaction of `session`."""
    changes: list[ObjectChange] = session.info.pop(_KEY, [])
    return changes
