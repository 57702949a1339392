"""Creates, lists and ends codes, and authenticates phones by them."""

from __future__ import annotations

import datetime as dt
import hmac
import secrets
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, Select, case, delete, func, insert, select, update
from sqlmodel import Session

from service.account.service import AccountService
from service.account.store import names_with_usernames
from service.changes import ObjectChange, announce
from service.db.database import Database, now
from service.phone.facts import record_facts
from service.phone.rules import END_SENTENCES, RateLimiter, initial_expiry, new_token, phone_kind, secret_hash
from service.phone.tables import CODE, UPLOAD
from service.web import addresses
from service.web.envelope import Problem
from service.web.security import Caller
from shared.ids import new_id
from shared.record.codes import ErrorCode, Permission
from shared.wire.phone import MAX_CODES, CodeEnd, PhoneClaim, PhoneCode, PhoneCodeCreate, UploadState
from shared.wire.text import fill

REQUIRED_PERMISSIONS = frozenset({Permission.INSPECTION_ITEM_UPDATE, Permission.FILE_ADD})
"""The permissions that the maker of a code needs, both for the code and for each photo."""

_SEEN_INTERVAL = dt.timedelta(seconds=10)
_KEEP_FOR = dt.timedelta(days=1)
"""How long an ended code and the outcome of its photos are kept."""
_END_BY_ACTION = {"seal": CodeEnd.SEALED, "delete": CodeEnd.DELETED}
ACTIONS = frozenset(_END_BY_ACTION)
"""The actions of the changes that may end codes."""
_NO_PHONE = secrets.token_hex(32)

CodeRow = Row[*tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class PhoneConnection:
    """An authenticated phone: its code, and the user who made the code, for whom the phone acts."""

    code: CodeRow
    caller: Caller


class PhoneCodes:
    """The phone codes of one database."""

    def __init__(self, database: Database, account: AccountService) -> None:
        self._database = database
        self._account = account
        self._creation_limiter = RateLimiter(30, 60)
        self._guess_limiter = RateLimiter(10, 60)

    def before_commit(self, session: Session, changes: list[ObjectChange]) -> None:
        """End the codes of sealed or deleted records and of deleted items (changes with one of `ACTIONS`)."""
        for change in changes:
            column = {"record": CODE.c.inspection_id, "item": CODE.c.item_id}.get(change.kind)
            if column is not None:
                statement = update(CODE).where(column == change.object_id, CODE.c.ended.is_(None))
                session.execute(statement.values(ended=str(_END_BY_ACTION[change.action])))

    # The maker's side

    async def create(self, body: PhoneCodeCreate, caller: Caller) -> tuple[PhoneCode, str]:
        """Create a code; return it with its token, which is not stored.

        Raises Problem 404 for an unknown record or item, 409 if the record is sealed or the caller has too
        many codes, and 429.
        """
        if wait := self._creation_limiter.seconds_to_wait(caller.user_id):
            raise _too_many_requests(wait)
        self._creation_limiter.count(caller.user_id)
        token, code_id, moment = new_token(), new_id(), now()

        def work(session: Session) -> PhoneCode:
            facts = record_facts(session, body.inspection_id, body.item_id)
            if facts is None or not facts.has_item:
                raise Problem(404, ErrorCode.NOT_FOUND, "检查记录或检查项不存在，请刷新后重试")
            if facts.is_sealed:
                raise Problem(409, ErrorCode.RECORD_SEALED, END_SENTENCES[CodeEnd.SEALED])
            session.execute(delete(CODE).where(CODE.c.expires_at < moment - _KEEP_FOR))
            callers_codes = (
                CODE.c.made_by == caller.user_id,
                CODE.c.ended.is_(None),
                CODE.c.expires_at > moment,
            )
            if (
                session.scalar(select(func.count()).select_from(CODE).where(*callers_codes)) or 0
            ) >= MAX_CODES:
                raise Problem(409, ErrorCode.CONFLICT, "连接码数量已达上限，请先结束不再使用的连接码")
            values = {
                "code_id": code_id,
                "token_hash": secret_hash(token),
                "inspection_id": body.inspection_id,
                "item_id": body.item_id,
                "made_by": caller.user_id,
                "session_id": caller.session_id,
                "created_at": moment,
                "expires_at": initial_expiry(moment),
            }
            session.execute(insert(CODE).values(values))
            details = {"inspection_id": body.inspection_id, "item_id": body.item_id}
            announce(session, _code_change("create", code_id, caller.user_id, caller.address, details))
            return self._to_code(
                session, session.execute(_CODES_WITH_COUNTS.where(CODE.c.code_id == code_id)).one()
            )

        return await self._database.write(work), token

    async def list_valid(self, caller: Caller) -> list[PhoneCode]:
        """Return the caller's valid codes, or all for a caller who manages users; newest first."""
        query = _CODES_WITH_COUNTS.where(CODE.c.ended.is_(None), CODE.c.expires_at > now())
        if Permission.USER_MANAGE not in caller.permissions:
            query = query.where(CODE.c.made_by == caller.user_id)
        query = query.order_by(CODE.c.created_at.desc(), CODE.c.code_id).limit(200)

        def work(session: Session) -> list[PhoneCode]:
            return [self._to_code(session, row) for row in session.execute(query)]

        return await self._database.read(work)

    async def get(self, code_id: str, caller: Caller) -> PhoneCode:
        """Return one of the caller's codes, or any code if the caller manages users. Raises Problem 404."""
        row = await self._database.read(lambda session: _find_code(session, code_id, caller))
        await self._end_and_caller(row, caller.address)
        return await self._database.read(
            lambda session: self._to_code(session, _find_code(session, code_id, caller))
        )

    async def end(self, code_id: str, caller: Caller) -> None:
        """End a code at once; does nothing if it has ended. Raises Problem 404."""

        def work(session: Session) -> None:
            row = _find_code(session, code_id, caller)
            if self._end_code(session, code_id, CodeEnd.ENDED):
                details = {"inspection_id": row.inspection_id, "item_id": row.item_id}
                announce(session, _code_change("end", code_id, caller.user_id, caller.address, details))

        await self._database.write(work)

    async def has_valid(self) -> bool:
        """Return whether any code is valid."""
        query = select(CODE.c.code_id).where(CODE.c.ended.is_(None), CODE.c.expires_at > now()).limit(1)
        return await self._database.read(lambda session: session.execute(query).first() is not None)

    # The phone's side

    async def claim(self, body: PhoneClaim, address: str, agent: str) -> PhoneConnection:
        """Connect the phone with the key `body.key` by a token.

        Raises Problem 404 for an unknown token, 409 if another phone has claimed the code, 410 if it has
        ended, and 429 after too many such failures.
        """
        group = addresses.client_group(address)
        if wait := self._guess_limiter.seconds_to_wait(group):
            raise _too_many_requests(wait)
        moment, key_hash = now(), secret_hash(body.key)

        def work(session: Session) -> CodeRow | None:
            query = select(CODE).where(CODE.c.token_hash == secret_hash(body.token)).with_for_update()
            row = session.execute(query).one_or_none()
            if row is None or row.key_hash is not None or row.ended is not None or row.expires_at <= moment:
                return row
            claim = update(CODE).where(CODE.c.code_id == row.code_id)
            phone = phone_kind(agent)
            session.execute(claim.values(key_hash=key_hash, claimed_at=moment, seen_at=moment, phone=phone))
            details = {"inspection_id": row.inspection_id, "item_id": row.item_id, "device": phone}
            announce(session, _code_change("claim", row.code_id, row.made_by, address, details))
            return session.execute(select(CODE).where(CODE.c.code_id == row.code_id)).one()

        row = await self._database.write(work)
        if row is None:
            self._guess_limiter.count(group)
            raise Problem(404, ErrorCode.PHONE_CODE_UNKNOWN, "连接码无效，请扫描工作台上当前显示的二维码")
        if row.key_hash is not None and not hmac.compare_digest(row.key_hash, key_hash):
            self._guess_limiter.count(group)
            raise Problem(
                *(409, ErrorCode.PHONE_CODE_TAKEN),
                "此连接码已在另一部手机上使用，请在工作台上生成新的连接码",
            )
        return await self._require_valid(row, address)

    async def authenticate(self, authorization: str, address: str) -> PhoneConnection:
        """Return the phone of a header `Authorization: Phone CODE_ID.KEY`.

        Raises Problem 401 if it has not claimed that code, 410 if the code has ended.
        """
        scheme, _, credentials = authorization.partition(" ")
        code_id, _, key = credentials.strip().partition(".")
        row = None
        if scheme.lower() == "phone" and key:
            query = select(CODE).where(CODE.c.code_id == code_id)
            row = await self._database.read(lambda session: session.execute(query).one_or_none())
        stored_hash = _NO_PHONE if row is None or row.key_hash is None else row.key_hash
        if not hmac.compare_digest(stored_hash, secret_hash(key)) or row is None:
            raise Problem(
                *(401, ErrorCode.NOT_LOGGED_IN, "手机未连接，请扫描工作台上的二维码"),
                headers={"WWW-Authenticate": "Phone"},
            )
        phone = await self._require_valid(row, address)
        if row.seen_at is None or now() - row.seen_at > _SEEN_INTERVAL:
            contact = update(CODE).where(CODE.c.code_id == row.code_id).values(seen_at=now())
            await self._database.write(lambda session: session.execute(contact))
        return phone

    async def find_end_problem(self, row: CodeRow, address: str) -> Problem:
        """Return the Problem 410 for a code that ended during a request."""
        end, _ = await self._end_and_caller(row, address)
        return _end_problem(end or CodeEnd.ENDED)

    async def _require_valid(self, row: CodeRow, address: str) -> PhoneConnection:
        end, caller = await self._end_and_caller(row, address)
        if end is not None or caller is None:
            raise _end_problem(end or CodeEnd.LOGGED_OUT)
        return PhoneConnection(row, caller)

    async def _end_and_caller(self, row: CodeRow, address: str) -> tuple[CodeEnd | None, Caller | None]:
        """Return why a code has ended (None while it is valid) and its maker; store an end that it finds."""
        if row.ended is not None:
            return CodeEnd(row.ended), None
        if row.expires_at <= now():
            return CodeEnd.EXPIRED, None
        caller = await self._account.find_session_caller(row.session_id, address)
        end = await self._database.read(lambda session: self._end_reason(session, row, caller))
        if end is not None:
            await self._database.write(lambda session: self._end_code(session, row.code_id, end))
        return end, caller

    def _end_reason(self, session: Session, row: CodeRow, caller: Caller | None) -> CodeEnd | None:
        if caller is None:
            return CodeEnd.LOGGED_OUT
        if not caller.permissions >= REQUIRED_PERMISSIONS:
            return CodeEnd.NO_RIGHT
        facts = record_facts(session, row.inspection_id, row.item_id)
        if facts is None or not facts.has_item:
            return CodeEnd.DELETED
        return CodeEnd.SEALED if facts.is_sealed else None

    @staticmethod
    def _end_code(session: Session, code_id: str, end: CodeEnd) -> bool:
        conditions = (CODE.c.code_id == code_id, CODE.c.ended.is_(None))
        if session.execute(select(CODE.c.code_id).where(*conditions).with_for_update()).first() is None:
            return False
        session.execute(update(CODE).where(*conditions).values(ended=str(end)))
        return True

    def _to_code(self, session: Session, row: CodeRow) -> PhoneCode:
        columns = {name: value for name, value in row._mapping.items() if name in PhoneCode.model_fields}
        seconds_left = max(0, int((row.expires_at - now()).total_seconds()))
        end = row.ended or (None if seconds_left else str(CodeEnd.EXPIRED))
        name = names_with_usernames(session, [row.made_by]).get(row.made_by)
        return PhoneCode(
            **{**columns, "ended": end, "made_by_name": name, "seconds_left": 0 if end else seconds_left}
        )


def _count_uploads(state: UploadState) -> Any:
    return (
        select(func.count(case((UPLOAD.c.state == str(state), 1))))
        .where(UPLOAD.c.code_id == CODE.c.code_id)
        .correlate(CODE)
        .scalar_subquery()
    )


_CODES_WITH_COUNTS: Select[Any] = select(
    CODE,
    _count_uploads(UploadState.ARRIVED).label("arrived"),
    _count_uploads(UploadState.RECEIVING).label("sending"),
    _count_uploads(UploadState.REFUSED).label("refused"),
)


def _find_code(session: Session, code_id: str, caller: Caller) -> CodeRow:
    row = session.execute(_CODES_WITH_COUNTS.where(CODE.c.code_id == code_id)).one_or_none()
    if row is None or (row.made_by != caller.user_id and Permission.USER_MANAGE not in caller.permissions):
        raise Problem(404, ErrorCode.NOT_FOUND, "连接码不存在，请生成新的连接码")
    return row


def _end_problem(end: CodeEnd) -> Problem:
    return Problem(410, ErrorCode.PHONE_CODE_ENDED, END_SENTENCES[end], ended=str(end))


def _too_many_requests(wait: int) -> Problem:
    msg = fill("请求过于频繁，请在 {seconds} 秒后重试", seconds=wait)
    return Problem(
        429, ErrorCode.TOO_MANY_REQUESTS, msg, headers={"Retry-After": str(wait)}, retry_after=wait
    )


def _code_change(
    action: str, code_id: str, actor: str, address: str, details: dict[str, Any]
) -> ObjectChange:
    return ObjectChange(action, "phone_code", code_id, actor, address, details, audit_only=True)
