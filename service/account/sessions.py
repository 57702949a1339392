"""Finds the live session and the user behind a session id, and keeps when it was last used."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from dataclasses import dataclass

from sqlalchemy import bindparam, or_
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, col, select, update

from service.account.rules import permissions_of
from service.account.store import roles_of
from service.account.tables import AccountVersion, LoginSession, User
from service.db.cancel_statement import NoAnswerError
from service.db.database import Database
from service.db.loop_reads import SharedRead, TurnRead
from service.exception_trace import trace_of
from shared.codes import Permission

USE_SECONDS = 300.0
"""How often it is written when sessions were last used."""

_LOG = logging.getLogger(__name__)
_MOST_CACHED = 10_000
_VERSION = select(AccountVersion.number).where(AccountVersion.id == 1)


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

    What was read is kept as long as the account version stays the same. That number is read for each request,
    and sees a commit of any process at once (the command line works beside a running service); requests that
    come at the same time share one read.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._cache: dict[str, tuple[int, LiveSession]] = {}
        self._version: SharedRead[int] | TurnRead[int] = (
            TurnRead(self._read_version) if database.is_sqlite else SharedRead(self._read_version)
        )

    async def _read_version(self) -> int:
        rows = await self._database.select(_VERSION, {})
        return int(rows[0].number) if rows else 0

    async def get(self, session_id: str) -> LiveSession | None:
        """The live session; None when it has ended or its user is disabled."""
        cached = self._cache.get(session_id)
        if cached is not None and cached[0] == await self._version.get():
            return cached[1]

        def work(session: Session) -> tuple[int, LiveSession | None]:
            # The version first: what is read after it is at least as new.
            return session.exec(_VERSION).first() or 0, _load(session, session_id)

        version, live = await self._database.read(work)
        if live is None:
            self._cache.pop(session_id, None)
            return None
        if len(self._cache) >= _MOST_CACHED:
            self._cache.clear()
        self._cache[session_id] = (version, live)
        return live


class SessionUse:
    """Keeps when sessions were last used: in memory at each request, in the database every `USE_SECONDS`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._used: dict[str, dt.datetime] = {}
        self._task: asyncio.Task[None] | None = None

    def mark(self, session_id: str, at: dt.datetime) -> None:
        """The session is used."""
        self._used[session_id] = at

    def start(self) -> None:
        """Begin to write, on the running event loop."""
        self._task = asyncio.create_task(self._write_regularly())

    async def stop(self) -> None:
        """Write what is known and end."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
        await self._write_or_keep()

    async def _write_regularly(self) -> None:
        while True:
            await asyncio.sleep(USE_SECONDS)
            await self._write_or_keep()

    async def _write_or_keep(self) -> None:
        try:
            await self.write()
        except (SQLAlchemyError, NoAnswerError) as problem:
            # A database that is away for a while costs nobody a session.
            _LOG.warning("the last use of sessions could not be written: %s", trace_of(problem))

    async def write(self) -> None:
        """Write when sessions were used since the last time. What cannot be written waits for the next."""
        used, self._used = self._used, {}
        if not used:
            return
        changes = [{"session": session_id, "at": at} for session_id, at in used.items()]
        try:
            await self._database.write(lambda session: session.connection().execute(_USE, changes))
        except BaseException:
            self._used = used | self._used
            raise


_USE = (
    update(LoginSession.__table__)
    .where(
        LoginSession.__table__.c.id == bindparam("session"),
        # Another service process may have seen it later.
        or_(
            LoginSession.__table__.c.used_at.is_(None),
            LoginSession.__table__.c.used_at < bindparam("at"),
        ),
    )
    .values(used_at=bindparam("at"))
)
