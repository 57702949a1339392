"""Writes the name of a user so that it names one user only."""

from __future__ import annotations

MAX_LABEL = 255
"""Characters of a label: the columns that store it have no room for more."""


def user_label(name: str | None, username: str) -> str:
    """The full name with the username, as "张三 (zhang3)"; the username alone if there is no other name.

    Users choose their full name, and two users may have the same one. The username is unique and never
    changes. A name that is too long is cut, the username never is.
    """
    name = " ".join((name or "").split())
    if name in ("", username):
        return username
    room = MAX_LABEL - len(username) - len(" ()")
    return f"{name if len(name) <= room else name[: room - 1] + '…'} ({username})"


def signature(name: str, username: str | None) -> str:
    """A stored name with the username; as it is if the username is unknown or part of it.

    Signatures that are older than `user_label` have only the full name.
    """
    if username is None or name == username or name.endswith(f" ({username})"):
        return name
    return user_label(name, username)
