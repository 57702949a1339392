"""Tables of account: users, their roles, their sessions, and what limits guessing."""

from __future__ import annotations

import datetime as dt
from uuid import uuid4

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from service.database import Base, now


def new_id() -> str:
    """A fresh random identifier."""
    return str(uuid4())


class User(Base):
    """A person who can log in. `username_key` is the folded name that makes the name unique."""

    __tablename__ = "user"

    id: Mapped[str] = mapped_column(String(36), primary_key=True, default=new_id)
    username: Mapped[str] = mapped_column(String(255))
    username_key: Mapped[str] = mapped_column(String(1024), unique=True)
    name: Mapped[str | None] = mapped_column(String(255))
    email: Mapped[str | None] = mapped_column(String(255))
    phone: Mapped[str | None] = mapped_column(String(255))
    gender: Mapped[str | None] = mapped_column(String(255))
    work_years: Mapped[int | None]
    department: Mapped[str | None] = mapped_column(String(255))
    password_hash: Mapped[str] = mapped_column(String(128))
    enabled: Mapped[bool] = mapped_column(default=True)
    created_at: Mapped[dt.datetime] = mapped_column(default=now)
    updated_at: Mapped[dt.datetime] = mapped_column(default=now)


class UserRole(Base):
    """One role of one user."""

    __tablename__ = "user_role"

    user_id: Mapped[str] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"), primary_key=True)
    role: Mapped[str] = mapped_column(String(32), primary_key=True)


class LoginSession(Base):
    """One login, from its first token to logout or expiry.

    `methods` are the JWT's `amr`, joined by commas; `refresh_hash` is the SHA-256 of the one refresh token
    that is good now.
    """

    __tablename__ = "session"
    __table_args__ = (Index(None, "user_id", "address"),)

    id: Mapped[str] = mapped_column(String(36), primary_key=True, default=new_id)
    user_id: Mapped[str] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"))
    methods: Mapped[str] = mapped_column(String(64))
    address: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[dt.datetime] = mapped_column(default=now)
    password_at: Mapped[dt.datetime | None]
    refresh_hash: Mapped[str] = mapped_column(String(64), unique=True)
    expires_at: Mapped[dt.datetime]
    ended_at: Mapped[dt.datetime | None]


class SpentRefresh(Base):
    """A refresh token that was exchanged already; seeing it again means that somebody copied it."""

    __tablename__ = "spent_refresh"
    __table_args__ = (Index(None, "session_id", "spent_at"),)

    refresh_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    session_id: Mapped[str] = mapped_column(ForeignKey("session.id", ondelete="CASCADE"))
    spent_at: Mapped[dt.datetime]


class LoginFailures(Base):
    """How many passwords were wrong in a row for one key (a keyed hash of user name, address or both)."""

    __tablename__ = "login_failures"

    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    failures: Mapped[int]
    last_at: Mapped[dt.datetime] = mapped_column(index=True)


class AccountVersion(Base):
    """One row: a number that rises whenever a right, a user or a live session is taken away or changed."""

    __tablename__ = "account_version"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    number: Mapped[int]
