"""Finds the live session and the user behind a session id."""

from __future__ import annotations

import datetime as dt
import sqlite3
from dataclasses import dataclass

from sqlalchemy import event
from sqlmodel import Session, col, select

from service.account.rules import permissions_of
from service.account.store import roles_of
from service.account.tables import AccountVersion, LoginSession, User
from service.db.database import Database
from shared.codes import Permission

_MOST_KEPT = 10_000
_VERSION = "SELECT number FROM account_version WHERE id = 1"


@dataclass(frozen=True, slots=True)
class LiveSession:
    """A session that has not ended, its enabled user, and what that user may do."""

    user_id: str
    username: str
    name: str | None
    permissions: frozenset[Permission]
    methods: tuple[str, ...]
    password_at: dt.datetime | None
    expires_at: dt.datetime


def _load(session: Session, session_id: str) -> LiveSession | None:
    row = session.exec(
        select(LoginSession, User)
        .join(User, col(User.id) == LoginSession.user_id)
        .where(LoginSession.id == session_id, col(LoginSession.ended_at).is_(None), User.enabled)
    ).one_or_none()
    if row is None:
        return None
    login, user = row
    return LiveSession(
        user_id=user.id,
        username=user.username,
        name=user.name,
        permissions=permissions_of(roles_of(session, [user.id])[user.id]),
        methods=tuple(login.methods.split(",")),
        password_at=login.password_at,
        expires_at=login.expires_at,
    )


class LiveSessions:
    """Gives the live session of an id, as the database says now.

    On PostgreSQL it is asked each time. On SQLite what was read is kept as long as the account version stays
    the same; that number is read on a connection of its own in some microseconds, without a change of
    thread, and sees a commit of any process at once (the command line works beside a running service).
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._kept: dict[str, tuple[int, LiveSession]] = {}
        self._watch: sqlite3.Connection | None = None
        if database.is_sqlite:
            event.listen(database.reader, "engine_disposed", lambda _engine: self._let_go())

    def _let_go(self) -> None:
        if self._watch is not None:
            self._watch.close()
            self._watch = None

    def _version(self) -> int:
        if self._watch is None:
            pooled = self._database.reader.raw_connection()
            connection = pooled.driver_connection
            assert isinstance(connection, sqlite3.Connection)
            # Out of the pool for good: it belongs to this object.
            pooled.detach()
            self._watch = connection
        rows = self._watch.execute(_VERSION).fetchall()
        return int(rows[0][0]) if rows else 0

    async def get(self, session_id: str) -> LiveSession | None:
        """The live session; None when it has ended or its user is disabled."""
        if not self._database.is_sqlite:
            return await self._database.read(lambda session: _load(session, session_id))
        kept = self._kept.get(session_id)
        if kept is not None and kept[0] == self._version():
            return kept[1]

        def work(session: Session) -> tuple[int, LiveSession | None]:
            # Both in one transaction: the version is that of what is read.
            return session.exec(select(AccountVersion.number)).first() or 0, _load(session, session_id)

        version, live = await self._database.read(work)
        if live is None:
            self._kept.pop(session_id, None)
            return None
        if len(self._kept) >= _MOST_KEPT:
            self._kept.clear()
        self._kept[session_id] = (version, live)
        return live
