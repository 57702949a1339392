"""Finds the live session and its user by a session id, and stores when sessions were last used."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from dataclasses import dataclass

from sqlalchemy import bindparam, or_
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, col, select, update

from service.account.rules import combined_permissions
from service.account.store import find_roles
from service.account.tables import AccountVersion, LoginSession, User
from service.db.cancel_statement import NoAnswerError
from service.db.database import Database
from service.db.statements import SharedRead
from service.exception_trace import trace_of
from shared.record.codes import Permission

USE_SECONDS = 300.0
"""How often the times of the last use are written to the database."""

_LOG = logging.getLogger(__name__)
_MAX_CACHED = 10_000
_VERSION = select(AccountVersion.number).where(AccountVersion.id == 1)


@dataclass(frozen=True, slots=True)
class LiveSession:
    """A session that has not ended, with its enabled user and that user's permissions."""

    user_id: str
    username: str
    name: str | None
    permissions: frozenset[Permission]
    methods: tuple[str, ...]
    password_at: dt.datetime | None
    expires_at: dt.datetime


def _load_live_session(session: Session, session_id: str) -> LiveSession | None:
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
        permissions=combined_permissions(find_roles(session, [user.id])[user.id]),
        methods=tuple(login.methods.split(",")),
        password_at=login.password_at,
        expires_at=login.expires_at,
    )


class LiveSessions:
    """Finds live sessions by id, in their current state.

    Sessions are cached as long as the account version stays the same. The version is read for each request,
    so a commit of any process, such as the command line, is seen at once. Requests that arrive at the same
    time share one read of PostgreSQL.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._cache: dict[str, tuple[int, LiveSession]] = {}
        # SQLite answers at once, PostgreSQL once for all requests that wait.
        self._find_version = self._read_version if database.is_sqlite else SharedRead(self._read_version).get

    async def _read_version(self) -> int:
        rows = await self._database.select(_VERSION, {})
        return int(rows[0].number) if rows else 0

    async def get(self, session_id: str) -> LiveSession | None:
        """Return the live session; None if it has ended or its user is disabled."""
        entry = self._cache.get(session_id)
        if entry is not None and entry[0] == await self._find_version():
            return entry[1]

        def work(session: Session) -> tuple[int, LiveSession | None]:
            # The version comes first: the session that is read afterwards is at least as new.
            return session.exec(_VERSION).first() or 0, _load_live_session(session, session_id)

        version, live = await self._database.read(work)
        if live is None:
            self._cache.pop(session_id, None)
            return None
        if len(self._cache) >= _MAX_CACHED:
            self._cache.clear()
        self._cache[session_id] = (version, live)
        return live


class SessionUse:
    """Stores when sessions were last used: in memory at each request, in the database every `USE_SECONDS`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._last_uses: dict[str, dt.datetime] = {}
        self._task: asyncio.Task[None] | None = None

    def mark(self, session_id: str, moment: dt.datetime) -> None:
        """Mark the session as used at `moment`."""
        self._last_uses[session_id] = moment

    def start(self) -> None:
        """Start the task that writes regularly, on the running event loop."""
        self._task = asyncio.create_task(self._write_regularly())

    async def stop(self) -> None:
        """Stop the task and write the last uses."""
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
            # Sessions stay valid while the database is unreachable; the times are written later.
            _LOG.warning("cannot store when sessions were last used; trying again: %s", trace_of(problem))

    async def write(self) -> None:
        """Write the last uses since the previous call; if that fails, keep them for the next call."""
        last_uses, self._last_uses = self._last_uses, {}
        if not last_uses:
            return
        changes = [{"session": session_id, "at": moment} for session_id, moment in last_uses.items()]
        try:
            await self._database.write(
                lambda session: session.connection().execute(_UPDATE_LAST_USE, changes)
            )
        except BaseException:
            self._last_uses = last_uses | self._last_uses
            raise


_UPDATE_LAST_USE = (
    update(LoginSession.__table__)
    .where(
        LoginSession.__table__.c.id == bindparam("session"),
        # Another service process may have stored a later use.
        or_(
            LoginSession.__table__.c.used_at.is_(None),
            LoginSession.__table__.c.used_at < bindparam("at"),
        ),
    )
    .values(used_at=bindparam("at"))
)
