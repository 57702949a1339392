"""Authenticates requests: access tokens (JWT), the live session of a token, and when it was last used."""

from __future__ import annotations

import asyncio
import base64
import datetime as dt
import hashlib
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

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
from service.tasks import end_tasks
from service.web.envelope import Problem
from service.web.security import Caller
from shared.ids import new_id
from shared.record.codes import ErrorCode, Permission

if TYPE_CHECKING:
    import jwt

ALGORITHM = "HS256"
ISSUER = "walkaround"
AUDIENCE = "walkaround-api"
ACCESS = "access"

_REQUIRED_CLAIMS = ["exp", "iat", "sub", "jti", "aud", "iss", "sid", "typ"]
_MAX_VERIFIED = 10_000
_CHALLENGE = {"WWW-Authenticate": "Bearer"}


def not_logged_in() -> Problem:
    """Return the failure for a missing or invalid token, or one whose session has ended."""
    return Problem(401, ErrorCode.NOT_LOGGED_IN, "请先登录", headers=_CHALLENGE)


def login_expired() -> Problem:
    """Return the failure for a valid token that has expired."""
    return Problem(401, ErrorCode.LOGIN_EXPIRED, "登录已过期，请重新登录", headers=_CHALLENGE)


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of an access token; `valid_from` and `valid_until` are in seconds since 1970."""

    user_id: str
    session_id: str
    valid_from: float
    valid_until: float


class AccessTokens:
    """Signs and reads access tokens with one secret, one algorithm, one issuer, one audience."""

    def __init__(self, secret: bytes, seconds: int) -> None:
        self._secret = secret
        self.seconds = seconds
        self._verified: dict[bytes, Claims] = {}

    @cached_property
    def _jwt(self) -> jwt.PyJWT:
        # Imported by the first login, because it loads most of cryptography: 30 ms of the start.
        import jwt

        return jwt.PyJWT(options={"enforce_minimum_key_length": True})

    def sign(
        self,
        user_id: str,
        session_id: str,
        methods: tuple[str, ...],
        moment: dt.datetime,
        token_id: str | None = None,
    ) -> str:
        """Return a token for the session, valid for `seconds` from `moment`.

        The same arguments with a `token_id` return the same token; without one, each token has a new id.
        """
        issue_time = int(moment.timestamp())
        return self._jwt.encode(
            {
                "iss": ISSUER,
                "aud": AUDIENCE,
                "sub": user_id,
                "sid": session_id,
                "amr": list(methods),
                "typ": ACCESS,
                "jti": token_id or new_id(),
                "iat": issue_time,
                "nbf": issue_time,
                "exp": issue_time + self.seconds,
            },
            self._secret,
            algorithm=ALGORITHM,
        )

    def read(self, token: str) -> Claims:
        """Return the claims of a valid token. Raises Problem 401 for any other.

        The signature of a token is checked once. The cache contains hashes of tokens, not the tokens.
        """
        key = hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
        claims = self._verified.get(key)
        if claims is None:
            claims = self._verify(token)
            if len(self._verified) >= _MAX_VERIFIED:
                self._verified.clear()
            self._verified[key] = claims
        elif not claims.valid_from <= time.time() < claims.valid_until:
            raise login_expired()
        return claims

    def _verify(self, token: str) -> Claims:
        from jwt.exceptions import ExpiredSignatureError, ImmatureSignatureError, InvalidTokenError

        try:
            parts = self._jwt.decode_complete(
                token,
                self._secret,
                algorithms=[ALGORITHM],
                issuer=ISSUER,
                audience=AUDIENCE,
                options={"require": _REQUIRED_CLAIMS},
            )
        except (ExpiredSignatureError, ImmatureSignatureError):
            # A token of the future: the clock was set back. A refresh replaces it, as after its expiry.
            raise login_expired() from None
        except (InvalidTokenError, ValueError):
            # ValueError: a token that is not ASCII text.
            raise not_logged_in() from None
        claims = parts["payload"]
        # Base64 can be padded, and its last character has unused bits: only the text that was signed counts.
        if any(not _is_canonical(part) for part in token.split(".")):
            raise not_logged_in()
        # This service has one key, so a token whose header names a key (kid, jku, jwk, x5u) is not its own.
        if set(parts["header"]) != {"alg", "typ"} or claims["typ"] != ACCESS:
            raise not_logged_in()
        user_id, session_id = claims["sub"], claims["sid"]
        if not isinstance(user_id, str) or not isinstance(session_id, str):
            raise not_logged_in()
        return Claims(
            user_id,
            session_id,
            valid_from=max(claims["iat"], claims.get("nbf", 0)),
            valid_until=claims["exp"],
        )


def _is_canonical(part: str) -> bool:
    """Whether a part of a token is written as base64url without padding, the one way of RFC 7515."""
    content = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode() == part


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
        await end_tasks(self._task)
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


class Callers:
    """Finds the user of an access token or of a session, in the current state of the database.

    `clock` returns the current time.
    """

    def __init__(
        self, database: Database, tokens: AccessTokens, use: SessionUse, clock: Callable[[], dt.datetime]
    ) -> None:
        self._tokens = tokens
        self._live = LiveSessions(database)
        self._use = use
        self._clock = clock

    async def authenticate(self, token: str, address: str) -> Caller:
        """Return the caller of an access token, and mark the session as used. Raises Problem 401."""
        claims = self._tokens.read(token)
        live = await self._live.get(claims.session_id)
        if live is None or live.user_id != claims.user_id:
            raise not_logged_in()
        moment = self._clock()
        if live.expires_at <= moment:
            raise login_expired()
        self._use.mark(claims.session_id, moment)
        return _make_caller(claims.session_id, live, address)

    async def find_session_caller(self, session_id: str, address: str) -> Caller | None:
        """Return the user of a session, for a phone at `address`; None if the session has ended.

        This does not mark the session as used.
        """
        live = await self._live.get(session_id)
        if live is None or live.expires_at <= self._clock():
            return None
        return _make_caller(session_id, live, address)


def _make_caller(session_id: str, live: LiveSession, address: str) -> Caller:
    return Caller(
        user_id=live.user_id,
        username=live.username,
        name=live.name,
        session_id=session_id,
        permissions=live.permissions,
        methods=live.methods,
        password_at=live.password_at,
        address=address,
    )
