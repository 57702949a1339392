"""Begins, renews and ends sessions: login, refresh and logout."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from pydantic import SecretStr
from sqlmodel import Session, select

from service.account import rules, store
from service.account.limits import Attempt, LoginLimits
from service.account.passwords import Passwords
from service.account.tables import LoginSession, SpentRefresh, User
from service.account.tokens import (
    AccessTokens,
    RefreshExchange,
    Successor,
    login_expired,
    new_refresh_token,
    not_logged_in,
    refresh_hash,
)
from service.changes import ObjectChange, announce
from service.db.database import Database
from service.settings import Settings
from service.web.envelope import Problem, Refusal
from shared.codes import ErrorCode
from shared.ids import new_id
from shared.wire.account import Tokens

PASSWORD = "pwd"  # noqa: S105 - the method's name in `amr` (RFC 8176)

# A session ends after this long, however often it was refreshed.
LONGEST_SESSION = dt.timedelta(days=90)

REPEAT_WITHIN = dt.timedelta(seconds=10)
"""How long a spent refresh token gives the same client the tokens it was exchanged for: two tabs of a browser
send it at the same moment, and a client whose answer was lost sends it again."""

# Attempts on one user name wait for each other, so that many at once are counted one by one.
_STRIPES = 64

_WRONG_LOGIN = "用户名或密码错误"


PasswordGiven = Callable[[str], Awaitable[None]]
"""Port: someone has logged in by password at this address."""


def _no_faces(_session: Session, _user_ids: object) -> set[str]:
    return set()


@dataclass(frozen=True, slots=True)
class PasswordAttempt:
    """A password given for a user name: the user (None when there is none), how it counts, if it is right."""

    user: User | None
    attempt: Attempt
    right: bool


class Logins:
    """Begins, renews and ends sessions, and counts wrong passwords.

    `faces_of` and `password_given` are ports, see `AccountService`.
    """

    def __init__(
        self, db: Database, settings: Settings, passwords: Passwords, clock: Callable[[], dt.datetime]
    ) -> None:
        self.faces_of: store.FacesOf = _no_faces
        self.password_given: PasswordGiven | None = None
        secret = settings.signing_secret()
        self.access = AccessTokens(secret, settings.access_token_seconds)
        self._db = db
        self._clock = clock
        self._passwords = passwords
        self._refresh_for = dt.timedelta(seconds=settings.refresh_token_seconds)
        self._limits = LoginLimits(secret)
        self._exchange = RefreshExchange(secret)
        self._locks = [asyncio.Lock() for _ in range(_STRIPES)]

    @asynccontextmanager
    async def guess(self, username: str, password: SecretStr, address: str) -> AsyncIterator[PasswordAttempt]:
        """One attempt to give a user's password; inside the block no other on that name goes on.

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
        at = self._clock()
        is_known = store.is_known_address(session, user.id if user else None, address, at)
        attempt = self._limits.attempt(username_key, address, is_known=is_known)
        self._let_wait(session, attempt)
        return user, attempt

    def _let_wait(self, session: Session, attempt: Attempt, *, counting: bool = False) -> None:
        seconds = self._limits.seconds_left(session, attempt, self._clock(), counting=counting)
        if seconds > 0:
            raise Problem(
                429,
                ErrorCode.TOO_MANY_REQUESTS,
                f"密码错误次数过多，请在 {seconds} 秒后重试",
                headers={"Retry-After": str(seconds)},
                retry_after=seconds,
            )

    async def was_wrong(self, guess: PasswordAttempt, address: str, action: str) -> None:
        """Count a wrong password and notify the listeners of `action`.

        Raises Problem 429, and counts nothing, when others were wrong meanwhile and this one has to wait.
        """

        def work(session: Session) -> None:
            # Many names at once, or one at many service processes, are looked at before one is counted.
            self._limits.ensure_counts(session, guess.attempt, self._clock())
            self._let_wait(session, guess.attempt, counting=True)
            self._limits.failed(session, guess.attempt, self._clock())
            # An unknown user name is not kept: it may be a password.
            user_id = guess.user.id if guess.user is not None else None
            announce(session, ObjectChange(action, "user", user_id, None, address, quiet=True))

        await self._db.write(work)

    def was_right(self, session: Session, guess: PasswordAttempt) -> None:
        """Forget the wrong passwords before this right one. Raises Problem 429 as `was_wrong` does."""
        self._let_wait(session, guess.attempt, counting=True)
        self._limits.succeeded(session, guess.attempt)

    async def log_in(self, username: str, password: SecretStr, address: str, user_agent: str = "") -> Tokens:
        """Log in by password.

        Raises Refusal for a wrong name, a wrong password and a disabled user alike, in the same time, and
        Problem 429 while this attempt has to wait.
        """
        async with self.guess(username, password, address) as guess:
            user = guess.user
            if user is None or not guess.right or not user.enabled:
                await self.was_wrong(guess, address, "login_failed")
                raise Refusal(_WRONG_LOGIN)
            newer = None
            if self._passwords.is_outdated(user.password_hash):
                newer = await self._passwords.hash(password.get_secret_value())

            def work(session: Session) -> Tokens | None:
                again = session.get(User, user.id, with_for_update=True)
                if again is None or not again.enabled or again.password_hash != user.password_hash:
                    return None
                if newer is not None:
                    again.password_hash = newer
                self.was_right(session, guess)
                return self.open(session, again, (PASSWORD,), address, user_agent)

            tokens = await self._db.write(work)
        if tokens is None:
            raise Refusal(_WRONG_LOGIN)
        if self.password_given is not None:
            await self.password_given(address)
        return tokens

    async def log_in_as(
        self, user_id: str, methods: tuple[str, ...], address: str, user_agent: str = ""
    ) -> Tokens:
        """Log in a user whom another method has recognised. Raises Problem 401 when they may not log in."""

        def work(session: Session) -> Tokens:
            user = session.get(User, user_id, with_for_update=True)
            if user is None or not user.enabled:
                raise not_logged_in()
            return self.open(session, user, methods, address, user_agent)

        return await self._db.write(work)

    def open(
        self, session: Session, user: User, methods: tuple[str, ...], address: str, user_agent: str = ""
    ) -> Tokens:
        """Begin a session of `user` in this transaction."""
        at = self._clock()
        store.forget_old_sessions(session, user.id, at)
        refresh = new_refresh_token()
        login = LoginSession(
            user_id=user.id,
            methods=",".join(methods),
            address=address[:64],
            program=rules.program_of(user_agent),
            used_at=at,
            created_at=at,
            password_at=at if PASSWORD in methods else None,
            refresh_hash=refresh_hash(refresh),
            expires_at=at + self._refresh_for,
        )
        session.add(login)
        session.flush()
        details = {"methods": list(methods), "session_id": login.id}
        announce(session, ObjectChange("login", "user", user.id, user.id, address, details, quiet=True))
        return self._tokens(session, user, login, Successor(refresh, new_id()), at)

    def _tokens(
        self, session: Session, user: User, login: LoginSession, successor: Successor, at: dt.datetime
    ) -> Tokens:
        methods = tuple(login.methods.split(","))
        return Tokens(
            access_token=self.access.sign(user.id, login.id, methods, at, successor.access_id),
            refresh_token=successor.refresh,
            expires_in=self.access.seconds,
            payload=store.payload(session, user, self.faces_of),
        )

    async def refresh(self, token: SecretStr, address: str, user_agent: str = "") -> Tokens:
        """Exchange a refresh token for new tokens; it is spent by that.

        A spent one that the same client sends again within `REPEAT_WITHIN` gives the same tokens. Later, or
        from another client, it was copied: its session ends. Raises Problem 401.
        """
        text = token.get_secret_value()
        token_hash, client = refresh_hash(text), self._exchange.client(address, user_agent)

        def work(session: Session) -> Tokens | Problem | SpentRefresh:
            at = self._clock()
            # The row lock lets one of several at once win; the others then find the token spent.
            login = session.exec(
                select(LoginSession).where(LoginSession.refresh_hash == token_hash).with_for_update()
            ).first()
            if login is None:
                return self._repeated(session, text, client, at)
            user = session.get(User, login.user_id)
            if login.ended_at is not None or user is None or not user.enabled:
                return not_logged_in()
            if login.expires_at <= at:
                return login_expired()
            seed = self._exchange.new_seed()
            successor = self._exchange.successor(text, seed)
            spent = SpentRefresh(
                refresh_hash=token_hash, session_id=login.id, spent_at=at, client=client, seed=seed
            )
            store.spend(session, login, spent, at, self._refresh_for)
            login.refresh_hash = refresh_hash(successor.refresh)
            login.used_at = at
            login.expires_at = min(at + self._refresh_for, login.created_at + LONGEST_SESSION)
            session.flush()
            return self._tokens(session, user, login, successor, at)

        outcome = await self._db.write(work)
        if isinstance(outcome, SpentRefresh):
            ended = outcome.session_id
            # A transaction of its own: PostgreSQL may still hold the row lock in the one above.
            await self._db.write(lambda session: self._end(session, ended, address, "refresh_reused"))
            raise login_expired()
        if isinstance(outcome, Problem):
            raise outcome
        return outcome

    def _repeated(
        self, session: Session, token: str, client: str, at: dt.datetime
    ) -> Tokens | Problem | SpentRefresh:
        """What comes of a token that is not good now; itself when its session has to end."""
        spent = session.get(SpentRefresh, refresh_hash(token))
        if spent is None:
            return not_logged_in()
        # Without a sign: a clock that was set back must not make ten seconds longer.
        if spent.seed is None or spent.client != client or abs(at - spent.spent_at) > REPEAT_WITHIN:
            return spent
        login = session.get_one(LoginSession, spent.session_id)
        user = session.get(User, login.user_id)
        if login.ended_at is not None or user is None or not user.enabled:
            return not_logged_in()
        successor = self._exchange.successor(token, spent.seed)
        return self._tokens(session, user, login, successor, spent.spent_at)

    async def log_out(self, token: SecretStr, address: str) -> None:
        """End the session of a refresh token. A token of no session is no failure: it is ended already."""
        token_hash = refresh_hash(token.get_secret_value())

        def work(session: Session) -> None:
            session_id = session.exec(
                select(LoginSession.id).where(LoginSession.refresh_hash == token_hash)
            ).first()
            if session_id is None:
                spent = session.get(SpentRefresh, token_hash)
                session_id = spent.session_id if spent is not None else None
            if session_id is not None:
                self._end(session, session_id, address, "logout")

        await self._db.write(work)

    def _end(self, session: Session, session_id: str, address: str, action: str) -> None:
        def work(session: Session) -> None:
            login = session.get(LoginSession, session_id, with_for_update=True)
            if login is None or login.ended_at is not None:
                return
            login.ended_at = self._clock()
            user_id, details = login.user_id, {"session_id": session_id}
            announce(session, ObjectChange(action, "user", user_id, user_id, address, details, quiet=True))

        store.altering(session, work)
