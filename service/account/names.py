"""Names users in the statements and answers of every domain."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import case, func, literal_column
from sqlmodel import Session, col, or_, select

from service.account.tables import User

NAME = func.coalesce(User.name, User.username).label("name")
"""The full name of a user, else the username."""

# Written out: a value that an INSERT returns has no parameters of its own (`service.db.returned_subquery`).
NAME_WITH_USERNAME = case(
    (or_(col(User.name).is_(None), User.name == User.username), col(User.username)),
    else_=col(User.name) + literal_column("' ('") + col(User.username) + literal_column("')'"),
).label("name_with_username")
"""`shared.names.user_label` of a user."""


def names_with_usernames(session: Session, user_ids: Collection[str]) -> dict[str, str]:
    """The full name of each of these users with the username, by user ID."""
    return dict(session.exec(select(User.id, NAME_WITH_USERNAME).where(col(User.id).in_(user_ids))).all())


def usernames(session: Session, user_ids: Collection[str]) -> dict[str, str]:
    """The usernames of these users, by user ID."""
    return dict(session.exec(select(User.id, User.username).where(col(User.id).in_(user_ids))).all())
