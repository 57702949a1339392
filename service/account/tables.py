"""Defines the account tables: users, roles, sessions and login limits."""

import datetime as dt

from sqlalchemy import ForeignKey, Index
from sqlmodel import Field

from service.db.database import Base, UtcTime, now
from shared.ids import new_id


def _foreign_key(column: str, name: str) -> tuple[ForeignKey]:
    """Return a foreign key with the name from migration 0001, which differs from the naming convention."""
    return (ForeignKey(column, name=name, ondelete="CASCADE"),)


class User(Base, table=True):
    """A person who can log in. `username_key` makes the name unique (`rules.username_key`)."""

    __tablename__ = "user"

    id: str = Field(default_factory=new_id, max_length=36, primary_key=True)
    username: str = Field(max_length=255)
    username_key: str = Field(max_length=1024, unique=True)
    name: str | None = Field(default=None, max_length=255)
    email: str | None = Field(default=None, max_length=255)
    phone: str | None = Field(default=None, max_length=255)
    gender: str | None = Field(default=None, max_length=255)
    work_years: int | None = None
    department: str | None = Field(default=None, max_length=255)
    password_hash: str = Field(max_length=128)
    enabled: bool = True
    last_login: dt.datetime | None = Field(default=None, sa_type=UtcTime)
    created_at: dt.datetime = Field(default_factory=now, sa_type=UtcTime)
    updated_at: dt.datetime = Field(default_factory=now, sa_type=UtcTime)


class UserRole(Base, table=True):
    """One role of one user."""

    __tablename__ = "user_role"

    user_id: str = Field(
        max_length=36, primary_key=True, sa_column_args=_foreign_key("user.id", "fk_user_role_user_id_user")
    )
    role: str = Field(max_length=32, primary_key=True)


class LoginSession(Base, table=True):
    """One login, from its first token to logout or expiry.

    `methods` are the JWT's `amr`, joined by commas; `refresh_hash` is the SHA-256 of the current refresh
    token. `program` is the name of the client (`rules.program_name`); `used_at` may lag some minutes behind.
    Both are null for a session that an older version of the program began.
    """

    __tablename__ = "session"
    __table_args__ = (Index(None, "user_id", "address"),)

    id: str = Field(default_factory=new_id, max_length=36, primary_key=True)
    user_id: str = Field(max_length=36, sa_column_args=_foreign_key("user.id", "fk_session_user_id_user"))
    methods: str = Field(max_length=64)
    address: str = Field(max_length=64)
    program: str | None = Field(default=None, max_length=64)
    used_at: dt.datetime | None = Field(default=None, sa_type=UtcTime)
    created_at: dt.datetime = Field(default_factory=now, sa_type=UtcTime)
    password_at: dt.datetime | None = Field(default=None, sa_type=UtcTime)
    refresh_hash: str = Field(max_length=64, unique=True)
    expires_at: dt.datetime = Field(sa_type=UtcTime)
    ended_at: dt.datetime | None = Field(default=None, sa_type=UtcTime)


class SpentRefreshToken(Base, table=True):
    """A refresh token that was exchanged; if it arrives again later, someone has copied it.

    `client` is a keyed hash of the client that exchanged it, `seed` the seed of the tokens that replaced it.
    Both are null for a token that was exchanged by an older version of the program.
    """

    __tablename__ = "spent_refresh"
    __table_args__ = (Index(None, "session_id", "spent_at"),)

    refresh_hash: str = Field(max_length=64, primary_key=True)
    session_id: str = Field(
        max_length=36, sa_column_args=_foreign_key("session.id", "fk_spent_refresh_session_id_session")
    )
    spent_at: dt.datetime = Field(sa_type=UtcTime)
    client: str | None = Field(default=None, max_length=64)
    seed: str | None = Field(default=None, max_length=64)


class LoginFailures(Base, table=True):
    """The number of wrong passwords in a row for one key, a keyed hash of user name, address or both."""

    __tablename__ = "login_failures"

    key: str = Field(max_length=64, primary_key=True)
    failures: int
    last_at: dt.datetime = Field(sa_type=UtcTime, index=True)


class AccountVersion(Base, table=True):
    """One row with a number that increases whenever a permission, a user or a live session changes."""

    __tablename__ = "account_version"

    id: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    number: int
