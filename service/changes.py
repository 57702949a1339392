"""Defines changes of objects. The audit log receives them before the commit, the event stream after it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
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


def only(actions: Collection[str], listener: Callable[..., None]) -> Callable[..., None]:
    """A listener that calls `listener` with the changes of these actions, and not when there are none."""

    def hear(*arguments: Any) -> None:
        *session, changes = arguments
        relevant_changes = [change for change in changes if change.action in actions]
        if relevant_changes:
            listener(*session, relevant_changes)

    return hear


# Longer values are recorded by size and hash: a log line stays short and can still prove the value.
_LONGEST_VALUE = 300


def audit_value(value: Any) -> Any:
    """`value` as the audit log records it; for a long one its size in characters and its SHA-256."""
    if value is None:
        return None
    if isinstance(value, datetime):
        return value.isoformat()
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    if len(text) <= _LONGEST_VALUE:
        return value
    return {"size": len(text), "sha256": hashlib.sha256(text.encode()).hexdigest()}


def differences(
    before: Mapping[Any, Any], after: Mapping[str, Any], names: Iterable[str]
) -> dict[str, dict[str, Any]]:
    """For each field of `names` that differs: `{"old": ..., "new": ...}`, shortened by `audit_value`."""
    return {
        name: {"old": audit_value(before[name]), "new": audit_value(after[name])}
        for name in names
        if before[name] != after[name]
    }
