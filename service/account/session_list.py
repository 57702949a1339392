"""Lists the sessions of a user and ends them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from service.account import store
from service.account.tables import LoginSession, User
from service.changes import ObjectChange, announce
from service.db.database import Database
from service.web.envelope import Problem
from service.web.security import Caller
from shared.record.codes import ErrorCode
from shared.wire import account as wire
from shared.wire.common import Page, pagination


def _select_live(user_id: str, moment: dt.datetime) -> SelectOfScalar[LoginSession]:
    return select(LoginSession).where(
        LoginSession.user_id == user_id,
        col(LoginSession.ended_at).is_(None),
        LoginSession.expires_at > moment,
    )


def _ensure_user(session: Session, user_id: str) -> None:
    if session.get(User, user_id) is None:
        raise Problem(404, ErrorCode.NOT_FOUND, "用户不存在")


class SessionList:
    """Lists and ends the sessions of one user, for that user and for administrators."""

    def __init__(self, db: Database, clock: Callable[[], dt.datetime]) -> None:
        self._db = db
        self._clock = clock

    async def find(
        self, caller: Caller, user_id: str, current_page: int, page_size: int
    ) -> Page[wire.LoginSession]:
        """Return one page of the user's live sessions, the last used one first. Raises Problem 404."""

        def work(session: Session) -> Page[wire.LoginSession]:
            _ensure_user(session, user_id)
            live = _select_live(user_id, self._clock())
            total = session.exec(select(func.count()).select_from(live.subquery())).one()
            last_used = func.coalesce(LoginSession.used_at, LoginSession.created_at)
            rows = session.exec(
                live.order_by(last_used.desc(), col(LoginSession.id))
                .offset((current_page - 1) * page_size)
                .limit(page_size)
            )
            return Page(
                data=[_to_wire(row, caller) for row in rows],
                pagination=pagination(current_page, page_size, total),
            )

        return await self._db.read(work)

    async def end(self, caller: Caller, user_id: str, session_id: str) -> None:
        """End one session of the user; every service process refuses its tokens at once.

        Raises Problem 404 if the session has ended or belongs to another user, 409 for the caller's session.
        """

        def work(session: Session) -> None:
            moment = self._clock()
            query = _select_live(user_id, moment).where(LoginSession.id == session_id).with_for_update()
            login = session.exec(query).first()
            if login is None:
                raise Problem(404, ErrorCode.NOT_FOUND, "登录会话不存在或已结束，请刷新列表")
            if login.id == caller.session_id:
                raise Problem(409, ErrorCode.CONFLICT, "这是当前会话，请使用退出登录来结束")
            login.ended_at = moment
            _announce(session, caller, "session_ended", user_id, {"session_id": session_id})

        await self._db.write(lambda session: store.alter_accounts(session, work))

    async def end_others(self, caller: Caller, user_id: str) -> int:
        """End every session of the user except the caller's; return their number. Raises Problem 404."""

        def work(session: Session) -> int:
            _ensure_user(session, user_id)
            moment = self._clock()
            query = (
                _select_live(user_id, moment).where(LoginSession.id != caller.session_id).with_for_update()
            )
            sessions = session.exec(query).all()
            for login in sessions:
                login.ended_at = moment
            if sessions:
                _announce(session, caller, "sessions_ended", user_id, {"count": len(sessions)})
            return len(sessions)

        return await self._db.write(lambda session: store.alter_accounts(session, work))


def _announce(session: Session, caller: Caller, action: str, user_id: str, details: dict[str, Any]) -> None:
    announce(
        session,
        ObjectChange(action, "user", user_id, caller.user_id, caller.address, details, audit_only=True),
    )


def _to_wire(row: LoginSession, caller: Caller) -> wire.LoginSession:
    return wire.LoginSession(
        session_id=row.id,
        methods=row.methods.split(","),
        address=row.address,
        program=row.program,
        created_at=row.created_at,
        used_at=row.used_at or row.created_at,
        current=row.id == caller.session_id,
    )
