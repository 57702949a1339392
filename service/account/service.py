"""Implements the use cases of accounts: login, own profile, password, and user management."""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from pydantic import SecretStr
from sqlmodel import Session, select

from service.account import rules, store
from service.account.logins import PASSWORD, Logins, PasswordGiven
from service.account.passwords import Passwords
from service.account.session_list import SessionList
from service.account.sessions import LiveSession, LiveSessions, SessionUse
from service.account.tables import LoginSession, User
from service.account.tokens import login_expired, not_logged_in
from service.changes import ObjectChange, announce
from service.db.database import Database, now
from service.settings import Settings
from service.web import addresses
from service.web.envelope import Problem, Refusal
from service.web.security import Caller
from shared.codes import ErrorCode, Permission, Role
from shared.wire.account import Payload, Tokens, UserCreate, UserUpdate, UserWithRoles
from shared.wire.account import User as UserBody
from shared.wire.common import Page, pagination

T = TypeVar("T")

EnrolFace = Callable[[str, str], Awaitable[str | None]]
"""Port: enrol the face of (user id, faceInfo); None when done, else a sentence that says what to change."""

_WRONG_PASSWORD = "原密码错误"  # noqa: S105 - a message
_UPDATE_FAILED = "更新数据失败"


def _invalid(field: str, fault: rules.CredentialFault) -> Problem:
    sentence = rules.FAULT_SENTENCES[fault]
    fields = [{"field": field, "type": fault.value, "message": sentence}]
    return Problem(422, ErrorCode.INVALID_INPUT, sentence, fields=fields)


def _caller(session_id: str, live: LiveSession, address: str) -> Caller:
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


class AccountService:
    """The use cases of accounts.

    `enrol_face`, `faces_of` and `password_given` are ports of the face domain; `app.py` sets them.
    `logins` begins and renews sessions, `sessions` lists and ends them, `session_use` keeps when they were
    last used. `clock` gives the time for sessions and limits.
    """

    def __init__(self, db: Database, settings: Settings, *, clock: Callable[[], dt.datetime] = now) -> None:
        self.enrol_face: EnrolFace | None = None
        self._db = db
        self._clock = clock
        self._passwords = Passwords(settings.bcrypt_cost)
        self.logins = Logins(db, settings, self._passwords, clock)
        self.sessions = SessionList(db, clock)
        self.session_use = SessionUse(db)
        self._live = LiveSessions(db)

    @property
    def faces_of(self) -> store.FacesOf:
        """Port: which of some user ids have an enrolled face; none until `app.py` sets it."""
        return self.logins.faces_of

    @faces_of.setter
    def faces_of(self, port: store.FacesOf) -> None:
        self.logins.faces_of = port

    @property
    def password_given(self) -> PasswordGiven | None:
        """Port: called with the address of every login by password."""
        return self.logins.password_given

    @password_given.setter
    def password_given(self, port: PasswordGiven | None) -> None:
        self.logins.password_given = port

    def close(self) -> None:
        """Let the password threads go."""
        self._passwords.close()

    # Who asks

    async def authenticate(self, token: str, address: str) -> Caller:
        """The caller of an access token at this moment. Raises Problem 401."""
        claims = self.logins.access.read(token)
        live = await self._live.get(claims.session_id)
        if live is None or live.user_id != claims.user_id:
            raise not_logged_in()
        at = self._clock()
        if live.expires_at <= at:
            raise login_expired()
        self.session_use.mark(claims.session_id, at)
        return _caller(claims.session_id, live, address)

    async def caller_of(self, session_id: str, address: str) -> Caller | None:
        """Port: the user of a session at this moment, for whom a phone at `address` acts; None once it ended.

        The session does not count as used by it.
        """
        live = await self._live.get(session_id)
        if live is None or live.expires_at <= self._clock():
            return None
        return _caller(session_id, live, address)

    async def may_log_in(self, user_id: str) -> bool:
        """Port: whether the user exists and is enabled."""
        query = select(User.enabled).where(User.id == user_id)
        return bool(await self._db.read(lambda session: session.exec(query).first()))

    async def permissions(self, user_id: str) -> frozenset[Permission]:
        """Port: what the user's roles permit."""
        roles = await self._db.read(lambda session: store.roles_of(session, [user_id]))
        return rules.permissions_of(roles.get(user_id, []))

    # The first run

    async def needs_first_run(self) -> bool:
        """True while there is no user at all."""
        return not await self._db.read(store.any_user)

    async def first_run(
        self, username: str, password: SecretStr, name: str | None, address: str, user_agent: str = ""
    ) -> Tokens:
        """Create the first admin and log in as them.

        Raises Problem 403 from another machine, 409 when there is a user already, 422 against the rules.
        """
        if not addresses.is_loopback(address):
            raise Problem(403, ErrorCode.PERMISSION_MISSING, "首个管理员只能在运行服务的计算机上创建")
        taken = Problem(409, ErrorCode.CONFLICT, "已存在用户，请直接登录")
        if not await self.needs_first_run():
            raise taken
        hashed = await self._new_password(username, password)

        def work(session: Session) -> Tokens:
            if store.any_user(session):
                raise taken
            user = store.add_user(session, username, hashed, [Role.ADMIN], name)
            details = {"username": user.username, "roles": [Role.ADMIN.value]}
            announce(session, ObjectChange("create", "user", user.id, user.id, address, details))
            return self.logins.open(session, user, (PASSWORD,), address, user_agent)

        return await self._alter(work)

    async def _new_password(self, username: str, password: SecretStr) -> str:
        fault = rules.username_fault(username)
        if fault is not None:
            raise _invalid("username", fault)
        text = password.get_secret_value()
        fault = rules.password_fault(text, username)
        if fault is not None:
            raise _invalid("password", fault)
        return await self._passwords.hash(text)

    async def _alter(self, work: Callable[[Session], T]) -> T:
        return await self._db.write(lambda session: store.altering(session, work))

    # The own account

    async def me(self, caller: Caller) -> Payload:
        """The caller and their permissions at this moment."""
        return await self._db.read(
            lambda session: store.payload(session, _existing(session, caller.user_id), self.faces_of)
        )

    async def update_info(self, caller: Caller, body: dict[str, Any]) -> UserBody:
        """Change the caller's profile by the fields that were sent.

        Raises Refusal, whose data is a sentence that names the field out of its rules.
        """
        try:
            changes = rules.profile_changes(body)
        except rules.ProfileFaultError as fault:
            raise Refusal(_UPDATE_FAILED, str(fault)) from None
        face = body.get("faceInfo")
        if face is not None and face != "":
            await self._update_face(caller, face)

        def work(session: Session) -> UserBody:
            user = _existing(session, caller.user_id)
            changed = [field for field, value in changes.items() if getattr(user, field) != value]
            for field in changed:
                setattr(user, field, changes[field])
            if changed:
                user.updated_at = self._clock()
                # The names of the fields only: an old address or number has no place in a log forever.
                details = {"fields": changed}
                announce(
                    session, ObjectChange("update", "user", user.id, caller.user_id, caller.address, details)
                )
            return store.user_wire(session, user, self.faces_of)

        return await self._alter(work)

    async def _update_face(self, caller: Caller, face: Any) -> None:
        if not isinstance(face, str):
            raise Refusal(_UPDATE_FAILED, f"faceInfo：{rules.PROFILE_SENTENCES['faceInfo']}")
        if self.enrol_face is None:
            raise Refusal(_UPDATE_FAILED, "faceInfo：人脸识别不可用，请联系管理员安装人脸识别引擎")
        refusal = await self.enrol_face(caller.user_id, face)
        if refusal is not None:
            raise Refusal(_UPDATE_FAILED, f"faceInfo：{refusal}")

    async def update_password(self, caller: Caller, current: SecretStr, new: SecretStr) -> None:
        """Change the caller's password and end their other sessions.

        Raises Refusal for a wrong current password, Problem 422 when the new one is against the rules, and
        Problem 429 after too many wrong ones.
        """
        async with self.logins.guess(caller.username, current, caller.address) as guess:
            user = guess.user
            if user is None or not guess.right:
                await self.logins.was_wrong(guess, caller.address, "password_change_failed")
                raise Refusal(_WRONG_PASSWORD)
            passwords = (new.get_secret_value(), current.get_secret_value())
            fault = rules.new_password_fault(*passwords, user.username)
            if fault is not None:
                raise _invalid("newPassword", fault)
            hashed = await self._passwords.hash(new.get_secret_value())

            def work(session: Session) -> None:
                at = self._clock()
                again = _existing(session, caller.user_id)
                if again.password_hash != user.password_hash:
                    raise Refusal(_WRONG_PASSWORD)
                self.logins.was_right(session, guess)
                store.set_password(session, again, hashed, at, keep=caller.session_id)
                login = session.get(LoginSession, caller.session_id)
                if login is not None:
                    login.password_at = at
                change = ObjectChange(
                    "password_changed", "user", again.id, again.id, caller.address, quiet=True
                )
                announce(session, change)

            await self._alter(work)

    # The users

    async def list_users(self, q: str | None, current_page: int, page_size: int) -> Page[UserWithRoles]:
        """One page of the users whose name or user name holds `q`, oldest first."""

        def work(session: Session) -> Page[UserWithRoles]:
            users, total = store.find_users(session, q, current_page, page_size)
            return Page(
                data=store.users_wire(session, users, self.faces_of),
                pagination=pagination(current_page, page_size, total),
            )

        return await self._db.read(work)

    async def get_user(self, user_id: str) -> UserWithRoles:
        """A user with their roles. Raises Problem 404."""
        return await self._db.read(
            lambda session: store.users_wire(session, [_existing(session, user_id)], self.faces_of)[0]
        )

    async def create_user(self, caller: Caller, body: UserCreate) -> UserWithRoles:
        """Create a user. Raises Problem 409 when the name is taken, 422 against the rules."""
        hashed = await self._new_password(body.username, body.password)

        def work(session: Session) -> UserWithRoles:
            user = store.add_user(session, body.username, hashed, body.roles, body.name)
            answer = store.users_wire(session, [user], self.faces_of)[0]
            details = {"username": user.username, "roles": [role.value for role in answer.roles]}
            announce(
                session, ObjectChange("create", "user", user.id, caller.user_id, caller.address, details)
            )
            return answer

        return await self._alter(work)

    async def update_user(self, caller: Caller, user_id: str, body: UserUpdate) -> UserWithRoles:
        """Change the fields that were sent; null clears the name and leaves every other one as it is.

        A new password or a disabling ends the user's sessions (not the caller's own, for the own password).
        Raises Problem 404, 409 (the last enabled admin), 422 (a password against the rules or unchanged).
        """
        hashed: str | None = None
        if body.password is not None:
            username, stored = await self._db.read(lambda session: _signs_in_with(session, user_id))
            new = body.password.get_secret_value()
            fault = rules.password_fault(new, username)
            if fault is None and await self._passwords.check(new, stored):
                fault = rules.CredentialFault.PASSWORD_UNCHANGED
            if fault is not None:
                raise _invalid("password", fault)
            hashed = await self._passwords.hash(new)

        def work(session: Session) -> UserWithRoles:
            at = self._clock()
            user = _existing(session, user_id)
            roles = store.roles_of(session, [user_id])[user_id]
            details: dict[str, Any] = {}
            if "name" in body.model_fields_set and (body.name or None) != user.name:
                details["name"] = True
                user.name = body.name or None
            if body.roles is not None and set(body.roles) != set(roles):
                details["roles"] = [[role.value for role in roles], sorted(role.value for role in body.roles)]
                store.set_roles(session, user_id, body.roles)
                store.keep_an_admin(session)
            if body.enabled is not None and body.enabled != user.enabled:
                details["enabled"] = [user.enabled, body.enabled]
                store.set_enabled(session, user, body.enabled, at)
            if hashed is not None:
                details["password"] = True
                kept_session = caller.session_id if caller.user_id == user_id else None
                store.set_password(session, user, hashed, at, keep=kept_session)
            if details:
                user.updated_at = at
                announce(
                    session, ObjectChange("update", "user", user_id, caller.user_id, caller.address, details)
                )
                session.flush()
            return store.users_wire(session, [user], self.faces_of)[0]

        return await self._alter(work)


def _signs_in_with(session: Session, user_id: str) -> tuple[str, str]:
    """User name and password hash of a user. Raises Problem 404."""
    user = _existing(session, user_id)
    return user.username, user.password_hash


def _existing(session: Session, user_id: str) -> User:
    user = session.get(User, user_id)
    if user is None:
        raise Problem(404, ErrorCode.NOT_FOUND, "用户不存在")
    return user
