"""Reads usernames, and changes of full names from the audit log: ports of inspection."""

from __future__ import annotations

from collections.abc import Collection

from sqlmodel import Session, col, select

from service.account.tables import User
from service.audit.service import entries_of_object
from shared.wire.seal import NameChange


def usernames(session: Session, user_ids: Collection[str]) -> dict[str, str]:
    """The usernames of these users, by user ID."""
    return dict(session.exec(select(User.id, User.username).where(col(User.id).in_(user_ids))).all())


def name_changes(session: Session, user_ids: Collection[str]) -> list[NameChange]:
    """Every change of the full names of these users, oldest first."""
    changes = []
    for user_id, username in usernames(session, user_ids).items():
        for entry in entries_of_object(session, "user", user_id, ("update",)):
            names = entry.details.get("name")
            # Before the log had both names, it had only the fact.
            if isinstance(names, list):
                changes.append(
                    NameChange(at=entry.at, username=username, old_name=names[0], new_name=names[1])
                )
    return sorted(changes, key=lambda change: change.at)
