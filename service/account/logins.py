"""Begins, renews and ends sessions: login, refresh and logout."""

from __future__ import annotations

import asyncio
import base64
import datetime as dt
import hashlib
import hmac
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

from pydantic import SecretStr
from sqlmodel import Session, select

from service.account import rules, store
from service.account.authentication import AccessTokens, login_expired, not_logged_in
from service.account.limits import Attempt, LoginLimits
from service.account.passwords import Passwords
from service.account.tables import LoginSession, SpentRefreshToken, User
from service.changes import ObjectChange, announce
from service.db.database import Database
from service.settings import Settings
from service.web.envelope import Problem, Refusal
from shared.ids import new_id
from shared.record.codes import ErrorCode
from shared.wire.account import Tokens
from shared.wire.text import fill

PASSWORD = "pwd"  # noqa: S105 - the method's name in `amr` (RFC 8176)

# A session ends after this long, however often it was refreshed.
LONGEST_SESSION = dt.timedelta(days=90)

REPEAT_WINDOW = dt.timedelta(seconds=10)
"""How long the same client gets the same tokens again for a spent refresh token: two tabs of a browser send
it at the same moment, and a client that lost the answer sends it again."""

# The number of locks; attempts on the same user name share one, so they are counted one by one.
_STRIPES = 64

_WRONG_LOGIN = "用户名或密码错误"


PasswordLoginListener = Callable[[str], Awaitable[None]]
"""Port: called with the address of a login by password."""


def _no_users_with_face(_session: Session, _user_ids: object) -> set[str]:
    return set()


@dataclass(frozen=True, slots=True)
class PasswordAttempt:
    """A password that was tried for a user name; `user` is None for an unknown name."""

    user: User | None
    attempt: Attempt
    is_correct: bool


class Logins:
    """Begins, renews and ends sessions, and counts wrong passwords.

    `users_with_face` and `on_password_login` are ports of the face domain; `app.py` sets them.
    """

    def __init__(
        self, db: Database, settings: Settings, passwords: Passwords, clock: Callable[[], dt.datetime]
    ) -> None:
        self.users_with_face: store.UsersWithFace = _no_users_with_face
        self.on_password_login: PasswordLoginListener | None = None
        secret = settings.load_signing_secret()
        self.access = AccessTokens(secret, settings.access_token_seconds)
        self._db = db
        self._clock = clock
        self._passwords = passwords
        self._refresh_lifetime = dt.timedelta(seconds=settings.refresh_token_seconds)
        self._limits = LoginLimits(secret)
        self._exchange = RefreshExchange(secret)
        self._locks = [asyncio.Lock() for _ in range(_STRIPES)]

    @asynccontextmanager
    async def try_password(
        self, username: str, password: SecretStr, address: str
    ) -> AsyncIterator[PasswordAttempt]:
        """Check a password; the block runs while further attempts on that user name wait.

        An unknown user takes the same time. Raises Problem 429 while this attempt has to wait.
        """
        key = rules.username_key(username)
        async with self._locks[hash(key) % _STRIPES]:
            user, attempt = await self._db.read(lambda session: self._user_and_attempt(session, key, address))
            stored = user.password_hash if user is not None else None
            yield PasswordAttempt(
                user, attempt, await self._passwords.check(password.get_secret_value(), stored)
            )

    def _user_and_attempt(
        self, session: Session, username_key: str, address: str
    ) -> tuple[User | None, Attempt]:
        user = session.exec(select(User).where(User.username_key == username_key)).first()
        moment = self._clock()
        is_known = store.is_known_address(session, user.id if user else None, address, moment)
        attempt = self._limits.attempt(username_key, address, is_known=is_known)
        self._ensure_may_try(session, attempt)
        return user, attempt

    def _ensure_may_try(self, session: Session, attempt: Attempt, *, lock_counts: bool = False) -> None:
        seconds = self._limits.seconds_left(session, attempt, self._clock(), lock_counts=lock_counts)
        if seconds > 0:
            raise Problem(
                429,
                ErrorCode.TOO_MANY_REQUESTS,
                fill("密码错误次数过多，请在 {seconds} 秒后重试", seconds=seconds),
                headers={"Retry-After": str(seconds)},
                retry_after=seconds,
            )

    async def count_wrong_password(
        self, password_attempt: PasswordAttempt, address: str, action: str
    ) -> None:
        """Count a wrong password and notify the listeners of `action`.

        Raises Problem 429, and counts nothing, if other attempts have failed since and this one has to wait.
        """

        def work(session: Session) -> None:
            # Attempts on many names, or at many service processes, may all have passed the first check.
            self._limits.ensure_counts(session, password_attempt.attempt, self._clock())
            self._ensure_may_try(session, password_attempt.attempt, lock_counts=True)
            self._limits.count_failure(session, password_attempt.attempt, self._clock())
            # An unknown user name is not stored: it may be a password.
            user_id = password_attempt.user.id if password_attempt.user is not None else None
            announce(session, ObjectChange(action, "user", user_id, None, address, audit_only=True))

        await self._db.write(work)

    def forget_wrong_passwords(self, session: Session, password_attempt: PasswordAttempt) -> None:
        """Delete the count of wrong passwords after a correct one.

        Raises Problem 429 under the same condition as `count_wrong_password`.
        """
        self._ensure_may_try(session, password_attempt.attempt, lock_counts=True)
        self._limits.forget_failures(session, password_attempt.attempt)

    async def log_in(self, username: str, password: SecretStr, address: str, user_agent: str = "") -> Tokens:
        """Log in by password.

        Raises the same Refusal, after the same time, for a wrong name, a wrong password and a disabled user.
        Raises Problem 429 while this attempt has to wait.
        """
        async with self.try_password(username, password, address) as password_attempt:
            user = password_attempt.user
            if user is None or not password_attempt.is_correct or not user.enabled:
                await self.count_wrong_password(password_attempt, address, "login_failed")
                raise Refusal(_WRONG_LOGIN, error=ErrorCode.WRONG_LOGIN)
            new_hash = None
            if self._passwords.is_outdated(user.password_hash):
                new_hash = await self._passwords.hash(password.get_secret_value())

            def work(session: Session) -> Tokens | None:
                locked_user = session.get(User, user.id, with_for_update=True)
                if (
                    locked_user is None
                    or not locked_user.enabled
                    or locked_user.password_hash != user.password_hash
                ):
                    return None
                if new_hash is not None:
                    locked_user.password_hash = new_hash
                self.forget_wrong_passwords(session, password_attempt)
                return self.begin_session(session, locked_user, (PASSWORD,), address, user_agent)

            tokens = await self._db.write(work)
        if tokens is None:
            raise Refusal(_WRONG_LOGIN, error=ErrorCode.WRONG_LOGIN)
        if self.on_password_login is not None:
            await self.on_password_login(address)
        return tokens

    async def log_in_user(
        self, user_id: str, methods: tuple[str, ...], address: str, user_agent: str = ""
    ) -> Tokens:
        """Log in a user whom another method has recognised. Raises Problem 401 if they may not log in."""

        def work(session: Session) -> Tokens:
            user = session.get(User, user_id, with_for_update=True)
            if user is None or not user.enabled:
                raise not_logged_in()
            return self.begin_session(session, user, methods, address, user_agent)

        return await self._db.write(work)

    def begin_session(
        self, session: Session, user: User, methods: tuple[str, ...], address: str, user_agent: str = ""
    ) -> Tokens:
        """Begin a session of `user` inside this transaction and return its tokens."""
        moment = self._clock()
        store.forget_old_sessions(session, user.id, moment)
        refresh = new_refresh_token()
        login = LoginSession(
            user_id=user.id,
            methods=",".join(methods),
            address=address[:64],
            program=rules.program_name(user_agent),
            used_at=moment,
            created_at=moment,
            password_at=moment if PASSWORD in methods else None,
            refresh_hash=refresh_hash(refresh),
            expires_at=moment + self._refresh_lifetime,
        )
        session.add(login)
        user.last_login = moment
        session.flush()
        details = {"methods": list(methods), "session_id": login.id}
        announce(session, ObjectChange("login", "user", user.id, user.id, address, details, audit_only=True))
        return self._tokens(session, user, login, Successor(refresh, new_id()), moment)

    def _tokens(
        self, session: Session, user: User, login: LoginSession, successor: Successor, moment: dt.datetime
    ) -> Tokens:
        methods = tuple(login.methods.split(","))
        return Tokens(
            access_token=self.access.sign(user.id, login.id, methods, moment, successor.access_id),
            refresh_token=successor.refresh,
            expires_in=self.access.seconds,
            payload=store.make_payload(session, user, self.users_with_face),
        )

    async def refresh(self, token: SecretStr, address: str, user_agent: str = "") -> Tokens:
        """Exchange a refresh token for new tokens; afterwards the token is spent.

        If the same client sends a spent token again within `REPEAT_WINDOW`, it gets the same tokens. A spent
        token that arrives later, or from another client, must have been copied: its session ends. Raises
        Problem 401.
        """
        text = token.get_secret_value()
        token_hash, client = refresh_hash(text), self._exchange.client(address, user_agent)

        def work(session: Session) -> Tokens | Problem | SpentRefreshToken:
            moment = self._clock()
            # The row lock lets one of several simultaneous requests win; the others find the token spent.
            login = session.exec(
                select(LoginSession).where(LoginSession.refresh_hash == token_hash).with_for_update()
            ).first()
            if login is None:
                return self._repeat_exchange(session, text, client, moment)
            user = session.get(User, login.user_id)
            if login.ended_at is not None or user is None or not user.enabled:
                return not_logged_in()
            if login.expires_at <= moment:
                return login_expired()
            seed = self._exchange.new_seed()
            successor = self._exchange.successor(text, seed)
            spent_token = SpentRefreshToken(
                refresh_hash=token_hash, session_id=login.id, spent_at=moment, client=client, seed=seed
            )
            store.spend_refresh_token(session, login, spent_token, moment, self._refresh_lifetime)
            login.refresh_hash = refresh_hash(successor.refresh)
            login.used_at = moment
            login.expires_at = min(moment + self._refresh_lifetime, login.created_at + LONGEST_SESSION)
            session.flush()
            return self._tokens(session, user, login, successor, moment)

        outcome = await self._db.write(work)
        if isinstance(outcome, SpentRefreshToken):
            session_id = outcome.session_id
            # A transaction of its own: PostgreSQL may still hold the row lock in the one above.
            await self._db.write(
                lambda session: self._end_session(session, session_id, address, "refresh_reused")
            )
            raise login_expired()
        if isinstance(outcome, Problem):
            raise outcome
        return outcome

    def _repeat_exchange(
        self, session: Session, token: str, client: str, moment: dt.datetime
    ) -> Tokens | Problem | SpentRefreshToken:
        """Return the answer to a token without a session, or the spent token if its session must end."""
        spent_token = session.get(SpentRefreshToken, refresh_hash(token))
        if spent_token is None:
            return not_logged_in()
        # The absolute value: a clock that was set back must not extend the ten seconds.
        if (
            spent_token.seed is None
            or spent_token.client != client
            or abs(moment - spent_token.spent_at) > REPEAT_WINDOW
        ):
            return spent_token
        login = session.get_one(LoginSession, spent_token.session_id)
        user = session.get(User, login.user_id)
        if login.ended_at is not None or user is None or not user.enabled:
            return not_logged_in()
        successor = self._exchange.successor(token, spent_token.seed)
        return self._tokens(session, user, login, successor, spent_token.spent_at)

    async def log_out(self, token: SecretStr, address: str) -> None:
        """End the session of a refresh token. A token without a session is ignored: its session has ended."""
        token_hash = refresh_hash(token.get_secret_value())

        def work(session: Session) -> None:
            session_id = session.exec(
                select(LoginSession.id).where(LoginSession.refresh_hash == token_hash)
            ).first()
            if session_id is None:
                spent_token = session.get(SpentRefreshToken, token_hash)
                session_id = spent_token.session_id if spent_token is not None else None
            if session_id is not None:
                self._end_session(session, session_id, address, "logout")

        await self._db.write(work)

    def _end_session(self, session: Session, session_id: str, address: str, action: str) -> None:
        def work(session: Session) -> None:
            login = session.get(LoginSession, session_id, with_for_update=True)
            if login is None or login.ended_at is not None:
                return
            login.ended_at = self._clock()
            user_id, details = login.user_id, {"session_id": session_id}
            announce(
                session, ObjectChange(action, "user", user_id, user_id, address, details, audit_only=True)
            )

        store.alter_accounts(session, work)


def new_refresh_token() -> str:
    """Return a new refresh token of 256 random bits."""
    return secrets.token_urlsafe(32)


@dataclass(frozen=True, slots=True)
class Successor:
    """The replacement of a spent refresh token: the next refresh token and the id of its access token."""

    refresh: str
    access_id: str


class RefreshExchange:
    """Derives the successor of a refresh token, so that it can be sent again without being stored.

    The derivation needs `secret`, the spent token and the random seed of the exchange: neither the database
    nor the spent token alone is enough.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    @staticmethod
    def new_seed() -> str:
        """Return a seed of 256 random bits for one exchange."""
        return secrets.token_hex(32)

    def successor(self, token: str, seed: str) -> Successor:
        """Return the successor of `token` with this seed, always the same."""
        refresh = base64.urlsafe_b64encode(self._keyed_hash("refresh", token, seed)).rstrip(b"=").decode()
        access_id = UUID(bytes=self._keyed_hash("access", token, seed)[:16], version=4)
        return Successor(refresh, str(access_id))

    def client(self, address: str, user_agent: str) -> str:
        """Return a keyed hash of the address and the program of a client."""
        return self._keyed_hash("client", address, user_agent).hex()

    def _keyed_hash(self, *parts: str) -> bytes:
        text = "\0".join(("refresh exchange", *parts)).encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, text, hashlib.sha256).digest()


def refresh_hash(token: str) -> str:
    """Return the hash under which a refresh token is stored; a random token needs no salt."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
