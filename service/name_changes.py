"""Reads the changes of full names from the audit log: the port of inspection to accounts and the log."""

from __future__ import annotations

from collections.abc import Collection

from sqlmodel import Session, col, select

from service.account.tables import User
from service.audit.service import entries_of_object
from shared.wire.seal import NameChange


def name_changes(session: Session, user_ids: Collection[str]) -> list[NameChange]:
    """Every change of the full names of these users, oldest first."""
    users = session.exec(select(User.id, User.username).where(col(User.id).in_(user_ids))).all()
    changes = []
    for user_id, username in users:
        for entry in entries_of_object(session, "user", user_id, ("update",)):
            names = entry.details.get("name")
            # Before the log had both names, it had only the fact.
            if isinstance(names, list):
                changes.append(
                    NameChange(at=entry.at, username=username, old_name=names[0], new_name=names[1])
                )
    return sorted(changes, key=lambda change: change.at)
