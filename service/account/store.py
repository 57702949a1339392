"""Reads and writes the account tables; every function works inside a caller's transaction."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeVar

from sqlalchemy import exists, func
from sqlmodel import Session, col, delete, or_, select, update

from service.account import rules
from service.account.tables import AccountVersion, LoginSession, SpentRefresh, User, UserRole
from service.db.database import now
from service.db.upsert import insert_or_update
from service.web.envelope import Problem
from shared.codes import ErrorCode, Permission, Role
from shared.wire import account as wire

T = TypeVar("T")

_VERSION = AccountVersion.__table__

FacesOf = Callable[[Session, Collection[str]], set[str]]
"""Port: which of these user ids have an enrolled face."""

# A login from an address makes it known for this long; sessions are kept until then.
KNOWN_FOR = dt.timedelta(days=90)


def altering(session: Session, work: Callable[[Session], T]) -> T:
    """Run `work`, which changes a user, a right or a live session.

    Raises the account version first: that makes every service process look again, and lets one alteration
    wait for the other, so that "no user yet" and "the last admin" cannot be decided twice.
    """
    raised = {"number": _VERSION.c.number + 1}
    insert_or_update(session, _VERSION, [{"id": 1, "number": 1}], ["id"], raised)
    return work(session)


def user_by_name(session: Session, username: str) -> User | None:
    """The user of that name, however it is written."""
    return session.exec(select(User).where(User.username_key == rules.username_key(username))).first()


def any_user(session: Session) -> bool:
    """True when there is a user."""
    return session.exec(select(User.id).limit(1)).first() is not None


def roles_of(session: Session, user_ids: Collection[str]) -> dict[str, list[Role]]:
    """The roles of each user, in the order of `Role`; roles this program does not know are left out."""
    roles_by_user: dict[str, set[str]] = {user_id: set() for user_id in user_ids}
    for row in session.exec(select(UserRole).where(col(UserRole.user_id).in_(user_ids))):
        roles_by_user[row.user_id].add(row.role)
    return {user_id: [role for role in Role if role in roles] for user_id, roles in roles_by_user.items()}


def set_roles(session: Session, user_id: str, roles: Iterable[Role]) -> None:
    """Give the user these roles and no other."""
    session.exec(delete(UserRole).where(col(UserRole.user_id) == user_id))
    session.add_all(UserRole(user_id=user_id, role=role.value) for role in set(roles))
    session.flush()


def add_user(
    session: Session, username: str, password_hash: str, roles: Sequence[Role], name: str | None
) -> User:
    """Create a user. Raises Problem 409 when the name is taken."""
    if user_by_name(session, username) is not None:
        raise Problem(409, ErrorCode.CONFLICT, "用户名已存在，请使用其他用户名", field="username")
    at = now()
    user = User(
        created_at=at,
        updated_at=at,
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
    """Raise Problem 409 when the transaction leaves no enabled admin behind."""
    session.flush()
    admins = (
        select(User.id)
        .join(UserRole, col(UserRole.user_id) == User.id)
        .where(User.enabled, UserRole.role == Role.ADMIN.value)
    )
    if session.exec(admins.limit(1)).first() is None:
        raise Problem(409, ErrorCode.CONFLICT, "必须保留至少一名启用的管理员")


def end_sessions(session: Session, user_id: str, at: dt.datetime, *, but: str | None = None) -> None:
    """End the live sessions of the user, except `but`."""
    session.exec(
        update(LoginSession)
        .where(
            col(LoginSession.user_id) == user_id,
            col(LoginSession.ended_at).is_(None),
            col(LoginSession.id) != (but or ""),
        )
        .values(ended_at=at)
    )


def count_sessions(session: Session, at: dt.datetime) -> int:
    """How many sessions of all users have not ended."""
    live = select(func.count()).where(col(LoginSession.ended_at).is_(None), LoginSession.expires_at > at)
    return session.exec(live.select_from(LoginSession)).one()


def set_password(
    session: Session, user: User, password_hash: str, at: dt.datetime, *, keep: str | None = None
) -> None:
    """Give the user a new password and end their sessions, except `keep`."""
    user.password_hash = password_hash
    user.updated_at = at
    end_sessions(session, user.id, at, but=keep)


def set_enabled(session: Session, user: User, enabled: bool, at: dt.datetime) -> None:
    """Enable or disable the user. Raises Problem 409 for the last enabled admin."""
    user.enabled = enabled
    user.updated_at = at
    if not enabled:
        end_sessions(session, user.id, at)
        keep_an_admin(session)


def spend(
    session: Session, login: LoginSession, spent: SpentRefresh, at: dt.datetime, remembered: dt.timedelta
) -> None:
    """Keep `spent`, the refresh token of `login`, and forget those older than a token lives."""
    session.exec(
        delete(SpentRefresh).where(
            col(SpentRefresh.session_id) == login.id, col(SpentRefresh.spent_at) < at - remembered
        )
    )
    session.add(spent)


def is_known_address(session: Session, user_id: str | None, address: str, at: dt.datetime) -> bool:
    """Whether the user has recently logged in from `address`. Runs the same query for an unknown user."""
    logins = select(LoginSession.id).where(
        LoginSession.user_id == (user_id or ""),
        LoginSession.address == address,
        LoginSession.created_at > at - KNOWN_FOR,
    )
    return bool(session.exec(select(exists(logins))).first())


def forget_old_sessions(session: Session, user_id: str, at: dt.datetime) -> None:
    """Delete the user's sessions that are no longer needed."""
    session.exec(
        delete(LoginSession).where(
            col(LoginSession.user_id) == user_id,
            col(LoginSession.expires_at) < at,
            col(LoginSession.created_at) < at - KNOWN_FOR,
        )
    )


def find_users(session: Session, q: str | None, current_page: int, page_size: int) -> tuple[list[User], int]:
    """One page of the users whose name or user name holds `q`, oldest first, and how many there are."""
    chosen = select(User)
    if q:
        chosen = chosen.where(
            or_(
                col(User.username_key).contains(rules.username_key(q), autoescape=True),
                col(User.name).icontains(q, autoescape=True),
            )
        )
    total = session.exec(select(func.count()).select_from(chosen.subquery())).first() or 0
    page = (
        chosen.order_by(col(User.created_at), col(User.id))
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
        "created_at": user.created_at,
        "updated_at": user.updated_at,
    }


def user_wire(session: Session, user: User, faces_of: FacesOf) -> wire.User:
    """The user as the service answers it."""
    return wire.User.model_validate(_user_fields(user, faces_of(session, [user.id])))


def users_wire(session: Session, users: Sequence[User], faces_of: FacesOf) -> list[wire.UserWithRoles]:
    """Users with their roles, as an admin sees them."""
    ids = [user.id for user in users]
    faces, roles = faces_of(session, ids), roles_of(session, ids)
    return [
        wire.UserWithRoles.model_validate(_user_fields(user, faces) | {"roles": roles[user.id]})
        for user in users
    ]


def payload(session: Session, user: User, faces_of: FacesOf) -> wire.Payload:
    """Who the user is and what they may do."""
    roles = roles_of(session, [user.id])[user.id]
    allowed = rules.permissions_of(roles)
    return wire.Payload(
        user=user_wire(session, user, faces_of),
        role=roles,
        permissions=[permission for permission in Permission if permission in allowed],
    )
