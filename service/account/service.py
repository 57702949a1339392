"""Implements the use cases of accounts: login, profile, password and user management."""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from pydantic import SecretStr
from sqlmodel import Session, select

from service.account import rules, store
from service.account.authentication import Callers, SessionUse
from service.account.logins import PASSWORD, Logins
from service.account.passwords import Passwords
from service.account.session_list import SessionList
from service.account.tables import LoginSession, User
from service.changes import ObjectChange, announce
from service.db.database import Database, now
from service.settings import Settings
from service.web import addresses
from service.web.envelope import Problem, Refusal
from service.web.security import Caller
from shared.record.codes import ErrorCode, Permission, Role
from shared.wire.account import Payload, Tokens, UserCreate, UserUpdate, UserWithRoles
from shared.wire.account import User as UserBody
from shared.wire.common import Page, pagination
from shared.wire.text import fill

T = TypeVar("T")

SetFace = Callable[[Caller, str | None], Awaitable[str | None]]
"""Port: enrols the caller's face in faceInfo, or deletes the enrolment if it is None; returns None, or a
sentence that says what to change."""

_WRONG_PASSWORD = "原密码错误"  # noqa: S105 - a message
_UPDATE_FAILED = "更新数据失败"


def _invalid(field: str, fault: rules.CredentialFault, status: int = 422) -> Problem:
    sentence = rules.FAULT_SENTENCES[fault]
    fields = [{"field": field, "type": fault.value, "message": sentence}]
    return Problem(status, ErrorCode.INVALID_INPUT, sentence, fields=fields)


def _face_refused(rule: str) -> Refusal:
    text = fill("{field}：{rule}", field="faceInfo", rule=rule)
    return Refusal(_UPDATE_FAILED, text, error=ErrorCode.INVALID_INPUT)


class AccountService:
    """The use cases of accounts.

    `set_face` is a port of the face domain; `app.py` sets it. `logins` begins and renews sessions, `sessions`
    lists and ends them, and `session_use` stores when they were last used. `authenticate` and
    `find_session_caller` are those of `Callers`. `clock` returns the current time for sessions and limits.
    """

    def __init__(self, db: Database, settings: Settings, *, clock: Callable[[], dt.datetime] = now) -> None:
        self.set_face: SetFace | None = None
        self._db = db
        self._clock = clock
        self._passwords = Passwords(settings.bcrypt_cost)
        self.logins = Logins(db, settings, self._passwords, clock)
        self.sessions = SessionList(db, clock)
        self.session_use = SessionUse(db)
        self._callers = Callers(db, self.logins.access, self.session_use, clock)
        self.authenticate = self._callers.authenticate
        self.find_session_caller = self._callers.find_session_caller

    def close(self) -> None:
        """Stop the threads that hash passwords."""
        self._passwords.close()

    async def may_log_in(self, user_id: str) -> bool:
        """Port: return whether the user exists and is enabled."""
        query = select(User.enabled).where(User.id == user_id)
        return bool(await self._db.read(lambda session: session.exec(query).first()))

    async def permissions(self, user_id: str) -> frozenset[Permission]:
        """Port: return the permissions of the user's roles."""
        roles = await self._db.read(lambda session: store.find_roles(session, [user_id]))
        return rules.combined_permissions(roles.get(user_id, []))

    # The first run

    async def needs_first_run(self) -> bool:
        """Return whether no user exists."""
        return not await self._db.read(store.has_users)

    async def first_run(
        self, username: str, password: SecretStr, name: str | None, address: str, user_agent: str = ""
    ) -> Tokens:
        """Create the first admin and log in as them.

        Raises Problem 403 for a request from another machine, 409 if a user exists, 422 if the name or the
        password is against the rules.
        """
        if not addresses.is_loopback(address):
            raise Problem(403, ErrorCode.PERMISSION_MISSING, "首个管理员只能在运行服务的计算机上创建")
        users_exist = Problem(409, ErrorCode.CONFLICT, "已存在用户，请直接登录")
        if not await self.needs_first_run():
            raise users_exist
        password_hash = await self._new_password(username, password)

        def work(session: Session) -> Tokens:
            if store.has_users(session):
                raise users_exist
            user = store.add_user(session, username, password_hash, [Role.ADMIN], name)
            details = {"username": user.username, "roles": [Role.ADMIN.value]}
            announce(session, ObjectChange("create", "user", user.id, user.id, address, details))
            return self.logins.begin_session(session, user, (PASSWORD,), address, user_agent)

        return await self._write_accounts(work)

    async def _new_password(self, username: str, password: SecretStr) -> str:
        fault = rules.username_fault(username)
        if fault is not None:
            raise _invalid("username", fault)
        text = password.get_secret_value()
        fault = rules.password_fault(text, username)
        if fault is not None:
            raise _invalid("password", fault)
        return await self._passwords.hash(text)

    async def _write_accounts(self, work: Callable[[Session], T]) -> T:
        return await self._db.write(lambda session: store.alter_accounts(session, work))

    # The caller's account

    async def me(self, caller: Caller) -> Payload:
        """Return the caller with their current roles and permissions."""
        return await self._db.read(
            lambda session: store.make_payload(
                session, _get_user(session, caller.user_id), self.logins.users_with_face
            )
        )

    async def update_info(self, caller: Caller, body: dict[str, Any]) -> UserBody:
        """Change the fields of the caller's profile that `body` contains; null or "" clears one and the face.

        Raises Refusal for an invalid field; its data is a sentence that names the field.
        """
        try:
            changes = rules.profile_changes(body)
        except rules.ProfileFaultError as fault:
            raise Refusal(_UPDATE_FAILED, fault.args[0], error=ErrorCode.INVALID_INPUT) from None
        if "faceInfo" in body:
            await self._update_face(caller, body["faceInfo"])

        def work(session: Session) -> UserBody:
            user = _get_user(session, caller.user_id)
            old_name = user.name
            changed_fields = [field for field, value in changes.items() if getattr(user, field) != value]
            for field in changed_fields:
                setattr(user, field, changes[field])
            if changed_fields:
                user.updated_at = self._clock()
                # Only the names of the fields: the permanent log must not contain old addresses and numbers.
                details: dict[str, Any] = {"fields": changed_fields}
                if "name" in changed_fields:
                    # The full name signs records: its changes must be known.
                    details["name"] = [old_name, user.name]
                announce(
                    session, ObjectChange("update", "user", user.id, caller.user_id, caller.address, details)
                )
            return store.to_user_body(session, user, self.logins.users_with_face)

        return await self._write_accounts(work)

    async def _update_face(self, caller: Caller, face: Any) -> None:
        if face is not None and not isinstance(face, str):
            raise _face_refused(rules.PROFILE_SENTENCES["faceInfo"])
        if self.set_face is None:
            raise _face_refused("人脸识别不可用，请联系管理员安装人脸识别引擎")
        refusal = await self.set_face(caller, face or None)
        if refusal is not None:
            raise _face_refused(refusal)

    async def update_password(self, caller: Caller, current: SecretStr, new: SecretStr) -> None:
        """Change the caller's password and end their other sessions.

        Raises Refusal for a wrong current password, Problem 200 (code 1) if the new one is against the rules,
        and Problem 429 after too many wrong passwords.
        """
        async with self.logins.try_password(caller.username, current, caller.address) as password_attempt:
            user = password_attempt.user
            if user is None or not password_attempt.is_correct:
                await self.logins.count_wrong_password(
                    password_attempt, caller.address, "password_change_failed"
                )
                raise Refusal(_WRONG_PASSWORD, error=ErrorCode.WRONG_PASSWORD)
            passwords = (new.get_secret_value(), current.get_secret_value())
            fault = rules.new_password_fault(*passwords, user.username)
            if fault is not None:
                # The contract's other refusals of this operation have this status too.
                raise _invalid("newPassword", fault, status=200)
            new_hash = await self._passwords.hash(new.get_secret_value())

            def work(session: Session) -> None:
                moment = self._clock()
                locked_user = _get_user(session, caller.user_id)
                if locked_user.password_hash != user.password_hash:
                    raise Refusal(_WRONG_PASSWORD, error=ErrorCode.WRONG_PASSWORD)
                self.logins.forget_wrong_passwords(session, password_attempt)
                store.set_password(session, locked_user, new_hash, moment, keep_session=caller.session_id)
                login = session.get(LoginSession, caller.session_id)
                if login is not None:
                    login.password_at = moment
                change = ObjectChange(
                    "password_changed",
                    "user",
                    locked_user.id,
                    locked_user.id,
                    caller.address,
                    audit_only=True,
                )
                announce(session, change)

            await self._write_accounts(work)

    # User management

    async def list_users(self, q: str | None, current_page: int, page_size: int) -> Page[UserWithRoles]:
        """Return one page of the users whose name or user name contains `q`, oldest first."""

        def work(session: Session) -> Page[UserWithRoles]:
            users, total = store.find_users(session, q, current_page, page_size)
            return Page(
                data=store.to_user_bodies(session, users, self.logins.users_with_face),
                pagination=pagination(current_page, page_size, total),
            )

        return await self._db.read(work)

    async def get_user(self, user_id: str) -> UserWithRoles:
        """Return a user with their roles. Raises Problem 404."""
        return await self._db.read(
            lambda session: store.to_user_bodies(
                session, [_get_user(session, user_id)], self.logins.users_with_face
            )[0]
        )

    async def create_user(self, caller: Caller, body: UserCreate) -> UserWithRoles:
        """Create a user. Raises Problem 409 if the name is taken, 422 if a value is against the rules."""
        password_hash = await self._new_password(body.username, body.password)

        def work(session: Session) -> UserWithRoles:
            user = store.add_user(session, body.username, password_hash, body.roles, body.name)
            answer = store.to_user_bodies(session, [user], self.logins.users_with_face)[0]
            details = {"username": user.username, "roles": [role.value for role in answer.roles]}
            announce(
                session, ObjectChange("create", "user", user.id, caller.user_id, caller.address, details)
            )
            return answer

        return await self._write_accounts(work)

    async def update_user(self, caller: Caller, user_id: str, body: UserUpdate) -> UserWithRoles:
        """Change the fields that `body` contains; null clears the name and leaves other fields unchanged.

        A new password or disabling ends the user's sessions, except the caller's session when callers change
        their own password. Raises Problem 404 for an unknown user, 409 for the last enabled admin, 422 for a
        password that is against the rules or unchanged.
        """
        new_hash: str | None = None
        if body.password is not None:
            username, current_hash = await self._db.read(lambda session: _get_credentials(session, user_id))
            new = body.password.get_secret_value()
            fault = rules.password_fault(new, username)
            if fault is None and await self._passwords.check(new, current_hash):
                fault = rules.CredentialFault.PASSWORD_UNCHANGED
            if fault is not None:
                raise _invalid("password", fault)
            new_hash = await self._passwords.hash(new)

        def work(session: Session) -> UserWithRoles:
            moment = self._clock()
            user = _get_user(session, user_id)
            roles = store.find_roles(session, [user_id])[user_id]
            details: dict[str, Any] = {}
            if "name" in body.model_fields_set and (body.name or None) != user.name:
                details["name"] = [user.name, body.name or None]
                user.name = body.name or None
            if body.roles is not None and set(body.roles) != set(roles):
                details["roles"] = [[role.value for role in roles], sorted(role.value for role in body.roles)]
                store.set_roles(session, user_id, body.roles)
                store.keep_an_admin(session)
            if body.enabled is not None and body.enabled != user.enabled:
                details["enabled"] = [user.enabled, body.enabled]
                store.set_enabled(session, user, body.enabled, moment)
            if new_hash is not None:
                details["password"] = True
                keep_session = caller.session_id if caller.user_id == user_id else None
                store.set_password(session, user, new_hash, moment, keep_session=keep_session)
            if details:
                user.updated_at = moment
                announce(
                    session, ObjectChange("update", "user", user_id, caller.user_id, caller.address, details)
                )
                session.flush()
            return store.to_user_bodies(session, [user], self.logins.users_with_face)[0]

        return await self._write_accounts(work)


def _get_credentials(session: Session, user_id: str) -> tuple[str, str]:
    """Return user name and password hash of a user. Raises Problem 404."""
    user = _get_user(session, user_id)
    return user.username, user.password_hash


def _get_user(session: Session, user_id: str) -> User:
    user = session.get(User, user_id)
    if user is None:
        raise Problem(404, ErrorCode.NOT_FOUND, "用户不存在")
    return user
