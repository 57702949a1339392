"""Reads and writes the account tables, and names users; every function works in the caller's transaction."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeVar

from sqlalchemy import case, exists, func, literal_column
from sqlmodel import Session, col, delete, or_, select, update

from service.account import rules
from service.account.tables import AccountVersion, LoginSession, SpentRefreshToken, User, UserRole
from service.db.database import now
from service.db.upsert import insert_or_update
from service.web.envelope import Problem
from shared.record.codes import ErrorCode, Permission, Role
from shared.wire import account as wire

T = TypeVar("T")

_VERSION = AccountVersion.__table__

UsersWithFace = Callable[[Session, Collection[str]], set[str]]
"""Port: returns which of these user ids have an enrolled face."""

# How long a login makes its address known; sessions are kept until then.
ADDRESS_KNOWN_PERIOD = dt.timedelta(days=90)


def alter_accounts(session: Session, work: Callable[[Session], T]) -> T:
    """Run `work`, which changes a user, a permission or a live session, and return its result.

    First increases the account version. Thereby every service process reloads its sessions, and alterations
    run one after another, so two of them cannot both create the first user or remove the last admin.
    """
    increment = {"number": _VERSION.c.number + 1}
    insert_or_update(session, _VERSION, [{"id": 1, "number": 1}], ["id"], increment)
    return work(session)


def user_by_name(session: Session, username: str) -> User | None:
    """Return the user of that name, in any spelling with the same key; None if there is none."""
    return session.exec(select(User).where(User.username_key == rules.username_key(username))).first()


def has_users(session: Session) -> bool:
    """Return whether any user exists."""
    return session.exec(select(User.id).limit(1)).first() is not None


def find_roles(session: Session, user_ids: Collection[str]) -> dict[str, list[Role]]:
    """Return the roles of each user in the order of `Role`, without roles unknown to this version."""
    roles_by_user: dict[str, set[str]] = {user_id: set() for user_id in user_ids}
    for row in session.exec(select(UserRole).where(col(UserRole.user_id).in_(user_ids))):
        roles_by_user[row.user_id].add(row.role)
    return {user_id: [role for role in Role if role in roles] for user_id, roles in roles_by_user.items()}


def set_roles(session: Session, user_id: str, roles: Iterable[Role]) -> None:
    """Replace the roles of the user."""
    session.exec(delete(UserRole).where(col(UserRole.user_id) == user_id))
    session.add_all(UserRole(user_id=user_id, role=role.value) for role in set(roles))
    session.flush()


def add_user(
    session: Session, username: str, password_hash: str, roles: Sequence[Role], name: str | None
) -> User:
    """Create a user. Raises Problem 409 if the name is taken."""
    if user_by_name(session, username) is not None:
        raise Problem(409, ErrorCode.CONFLICT, "用户名已存在，请使用其他用户名", field="username")
    moment = now()
    user = User(
        created_at=moment,
        updated_at=moment,
        username=rules.username_text(username),
        username_key=rules.username_key(username),
        name=name or None,
        password_hash=password_hash,
        enabled=True,
    )
    session.add(user)
    session.flush()
    set_roles(session, user.id, roles)
    return user


def keep_an_admin(session: Session) -> None:
    """Raise Problem 409 if the transaction leaves no enabled admin."""
    session.flush()
    admins = (
        select(User.id)
        .join(UserRole, col(UserRole.user_id) == User.id)
        .where(User.enabled, UserRole.role == Role.ADMIN.value)
    )
    if session.exec(admins.limit(1)).first() is None:
        raise Problem(409, ErrorCode.CONFLICT, "必须保留至少一名启用的管理员")


def end_sessions(
    session: Session, user_id: str, moment: dt.datetime, *, except_session: str | None = None
) -> None:
    """End the live sessions of the user, except the one with the id `except_session`."""
    session.exec(
        update(LoginSession)
        .where(
            col(LoginSession.user_id) == user_id,
            col(LoginSession.ended_at).is_(None),
            col(LoginSession.id) != (except_session or ""),
        )
        .values(ended_at=moment)
    )


def count_sessions(session: Session, moment: dt.datetime) -> int:
    """Return the number of live sessions of all users."""
    live = select(func.count()).where(col(LoginSession.ended_at).is_(None), LoginSession.expires_at > moment)
    return session.exec(live.select_from(LoginSession)).one()


def set_password(
    session: Session, user: User, password_hash: str, moment: dt.datetime, *, keep_session: str | None = None
) -> None:
    """Set the user's password and end their sessions, except the one with the id `keep_session`."""
    user.password_hash = password_hash
    user.updated_at = moment
    end_sessions(session, user.id, moment, except_session=keep_session)


def set_enabled(session: Session, user: User, enabled: bool, moment: dt.datetime) -> None:
    """Enable or disable the user. Raises Problem 409 for the last enabled admin."""
    user.enabled = enabled
    user.updated_at = moment
    if not enabled:
        end_sessions(session, user.id, moment)
        keep_an_admin(session)


def spend_refresh_token(
    session: Session,
    login: LoginSession,
    spent_token: SpentRefreshToken,
    moment: dt.datetime,
    retention: dt.timedelta,
) -> None:
    """Store a spent refresh token of `login`, and delete its tokens spent more than `retention` ago."""
    session.exec(
        delete(SpentRefreshToken).where(
            col(SpentRefreshToken.session_id) == login.id,
            col(SpentRefreshToken.spent_at) < moment - retention,
        )
    )
    session.add(spent_token)


def is_known_address(session: Session, user_id: str | None, address: str, moment: dt.datetime) -> bool:
    """Return whether the user has logged in from `address` within `ADDRESS_KNOWN_PERIOD`.

    Runs the same query for an unknown user, so that the time does not reveal whether the user exists.
    """
    logins = select(LoginSession.id).where(
        LoginSession.user_id == (user_id or ""),
        LoginSession.address == address,
        LoginSession.created_at > moment - ADDRESS_KNOWN_PERIOD,
    )
    return bool(session.exec(select(exists(logins))).first())


def forget_old_sessions(session: Session, user_id: str, moment: dt.datetime) -> None:
    """Delete the user's sessions that are no longer needed."""
    session.exec(
        delete(LoginSession).where(
            col(LoginSession.user_id) == user_id,
            col(LoginSession.expires_at) < moment,
            col(LoginSession.created_at) < moment - ADDRESS_KNOWN_PERIOD,
        )
    )


def find_users(session: Session, q: str | None, current_page: int, page_size: int) -> tuple[list[User], int]:
    """Return one page of the users whose name or user name contains `q`, oldest first, and their number."""
    query = select(User)
    if q:
        query = query.where(
            or_(
                col(User.username_key).contains(rules.username_key(q), autoescape=True),
                col(User.name).icontains(q, autoescape=True),
            )
        )
    total = session.exec(select(func.count()).select_from(query.subquery())).first() or 0
    page = (
        query.order_by(col(User.created_at), col(User.id))
        .offset((current_page - 1) * page_size)
        .limit(page_size)
    )
    return list(session.exec(page)), total


def _user_fields(user: User, faces: set[str]) -> dict[str, object]:
    return {
        "user_id": user.id,
        "username": user.username,
        "name": user.name,
        "email": user.email,
        "phone": user.phone,
        "gender": user.gender,
        "work_years": user.work_years,
        "department": user.department,
        "has_face": user.id in faces,
        "enabled": user.enabled,
        "status": wire.UserStatus.ENABLED if user.enabled else wire.UserStatus.DISABLED,
        "last_login": user.last_login,
        "created_at": user.created_at,
        "updated_at": user.updated_at,
    }


def to_user_body(session: Session, user: User, users_with_face: UsersWithFace) -> wire.User:
    """Return the user as a body of the API."""
    return wire.User.model_validate(_user_fields(user, users_with_face(session, [user.id])))


def to_user_bodies(
    session: Session, users: Sequence[User], users_with_face: UsersWithFace
) -> list[wire.UserWithRoles]:
    """Return users with their roles as bodies of the API, for administrators."""
    ids = [user.id for user in users]
    faces, roles = users_with_face(session, ids), find_roles(session, ids)
    return [
        wire.UserWithRoles.model_validate(_user_fields(user, faces) | {"roles": roles[user.id]})
        for user in users
    ]


def make_payload(session: Session, user: User, users_with_face: UsersWithFace) -> wire.Payload:
    """Return the user with their roles and permissions as a body of the API."""
    roles = find_roles(session, [user.id])[user.id]
    permissions = rules.combined_permissions(roles)
    return wire.Payload(
        user=to_user_body(session, user, users_with_face),
        role=roles,
        permissions=[permission for permission in Permission if permission in permissions],
    )


NAME = func.coalesce(User.name, User.username).label("name")
"""The full name of a user, else the username."""

# With literals: prebuilt statements (`service.db.statements`) have only the parameters of their callers.
NAME_WITH_USERNAME = case(
    (or_(col(User.name).is_(None), User.name == User.username), col(User.username)),
    else_=col(User.name) + literal_column("' ('") + col(User.username) + literal_column("')'"),
).label("name_with_username")
"""`shared.names.user_label` of a user."""


def names_with_usernames(session: Session, user_ids: Collection[str]) -> dict[str, str]:
    """The full name of each of these users with the username, by user ID."""
    return dict(session.exec(select(User.id, NAME_WITH_USERNAME).where(col(User.id).in_(user_ids))).all())


def usernames(session: Session, user_ids: Collection[str]) -> dict[str, str]:
    """The usernames of these users, by user ID."""
    return dict(session.exec(select(User.id, User.username).where(col(User.id).in_(user_ids))).all())
