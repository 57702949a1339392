"""Writes each change to the log in the change's transaction, lists the log and verifies it."""

import functools
import json
import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Annotated, NamedTuple

from pydantic import BaseModel
from sqlalchemy import func, text
from sqlmodel import Session, col, select, update

from service.audit.chain import (
    LOCKED_HEAD,
    START,
    UNSIGNED,
    Event,
    append,
    head_key,
    head_mac,
    insert_head,
    is_signed,
    row_hash,
)
from service.audit.tables import CREATED, AuditRow, HeadRow, create_triggers, missing_triggers
from service.changes import BeforeCommit, ObjectChange
from service.db import statements
from service.db.database import Database
from service.settings import Settings
from shared.wire.audit import AuditEntry
from shared.wire.common import CurrentPage, EmptyAsNull, ItemTime, Name, Page, PageSize, pagination

log = logging.getLogger("walkaround.audit")

_BATCH = 1000


class AuditQuery(BaseModel):
    """Query of the log: the page, and filters that combine with AND. The times are inclusive."""

    current_page: CurrentPage = 1
    page_size: PageSize = 50
    action: Annotated[Name | None, EmptyAsNull] = None
    kind: Annotated[Name | None, EmptyAsNull] = None
    object_id: Annotated[Name | None, EmptyAsNull] = None
    actor: Annotated[Name | None, EmptyAsNull] = None
    at_from: Annotated[ItemTime | None, EmptyAsNull] = None
    at_to: Annotated[ItemTime | None, EmptyAsNull] = None


class Verification(NamedTuple):
    """The result of `verify`: the number of rows, the newest row's number and hash, a sentence per problem.

    `complete` is False if a row could not be read, so that the rows after it were not checked.
    """

    rows: int
    seq: int
    hash: str
    problems: list[str]
    complete: bool = True


UserNames = Callable[[Session, Collection[str]], Mapping[str, str]]
"""Port: the full names with usernames of these users, by user ID."""

CheckEnd = Callable[[HeadRow | None, Verification], list[str]]
"""Returns the problems of the signed end of a log, given its head and the verification of its rows."""


class AuditService:
    """The log of one database, signed with a key derived from the service's secret.

    The first start writes a row. So an empty log shows that rows were removed.
    """

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._key = head_key(settings.load_signing_secret())
        self.before_commit: BeforeCommit = functools.partial(append, self._key)

    def begin(self) -> None:
        """Write the first row of a new log, and create the triggers of the log that are missing."""
        if self._database.read_now(missing_triggers):
            self._database.write_now(self._create_triggers)
        if self._database.read_now(lambda session: session.get(HeadRow, 1)) is not None:
            return

        def write(session: Session) -> None:
            # Another service process may begin the log of this database at the same moment.
            if insert_head(self._key, session):
                append(self._key, session, [ObjectChange("begin", "audit")])

        self._database.write_now(write)

    def _create_triggers(self, session: Session) -> None:
        # Another service process may do it at the same moment: it waits for the head, then finds them.
        statements.run(session.connection(), LOCKED_HEAD, {})
        if names := missing_triggers(session):
            create_triggers(session, names)
            append(self._key, session, [ObjectChange(CREATED, "audit", details={"triggers": names})])
            log.warning(
                "the database lacked %s, so rows of the audit log could be changed; created again. "
                "Run: walkaround audit verify",
                ", ".join(names),
            )

    async def page(self, query: AuditQuery, names: UserNames) -> Page[AuditEntry]:
        """One page of the log, newest first, with the names of the users."""
        return await self._database.read(lambda session: _read_page(session, query, names))

    def verify(self, *, expect: tuple[int, str] | None = None, check_signature: bool = True) -> Verification:
        """Read the whole log and check every hash and the signature of its end.

        `expect` is the number and hash of a row from an earlier verification. Nothing else shows that the
        whole database was replaced by an older state. Without `check_signature` only the chain is checked.
        """
        return self._database.read_now(lambda session: self._verify(session, expect, check_signature))

    def _verify(
        self, session: Session, expect: tuple[int, str] | None, check_signature: bool
    ) -> Verification:
        if not self._database.is_sqlite:
            # Reads rows and head of one moment, while other transactions write.
            session.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
            self._database.lift_statement_limit(session)
        query = select(AuditRow).order_by(col(AuditRow.seq)).execution_options(yield_per=_BATCH)
        with session.exec(query) as rows:
            verification = verify_rows(rows, expect)
        if check_signature and verification.complete:
            verification.problems.extend(_check_end(self._key, session.get(HeadRow, 1), verification))
        return verification

    def sign_restored_log(self, end: tuple[int, str]) -> None:
        """Sign a log from another installation's backup, if it is unchanged and ends with the row `end`."""
        verification = self.verify(expect=end, check_signature=False)
        if verification.problems or (verification.seq, verification.hash) != end:
            return
        mac = head_mac(self._key, *end)
        is_unchanged = (col(HeadRow.seq) == verification.seq) & (col(HeadRow.hash) == verification.hash)
        self._database.write_now(
            lambda session: session.exec(update(HeadRow).where(is_unchanged).values(mac=mac))
        )


def verify_rows(rows: Iterable[AuditRow], expect: tuple[int, str] | None = None) -> Verification:
    """Check every hash of a log, given its rows in order, but not its signature.

    `expect` is the number and hash of a row that the log must contain.
    """
    problems: list[str] = []
    count, seq, last_hash = 0, 0, START
    is_expected_found = expect is None
    try:
        for row in rows:
            count += 1
            problems += _check_row(row, seq, last_hash)
            seq, last_hash = row.seq, row.hash
            is_expected_found = is_expected_found or (seq, last_hash) == expect
    except ValueError:
        # SQLite stores any text in a column of times. Then reading the batch fails.
        problems.append(f"a row between {seq + 1} and {seq + _BATCH} was changed: it cannot be read")
        return Verification(count, seq, last_hash, problems, complete=False)
    if not is_expected_found and expect is not None:
        problems.append(f"row {expect[0]} with the hash {expect[1]} is no longer in the log")
    return Verification(count, seq, last_hash, problems)


def end_checker(settings: Settings) -> CheckEnd:
    """A function that checks the end of a log that this installation signed."""
    return functools.partial(_check_end, head_key(settings.load_signing_secret()))


def _check_end(key: bytes, head: HeadRow | None, verification: Verification) -> list[str]:
    seq, last_hash = verification.seq, verification.hash
    if head is None:
        return ["the log has no signed end" if seq else "the log is empty"]
    if not is_signed(key, head.seq, head.hash, head.mac):
        return ["the end of the log is not signed with this installation's secret"]
    if head.seq > seq:
        return [f"rows at the end are missing: row {head.seq} is signed, but the log ends with row {seq}"]
    if (head.seq, head.hash) != (seq, last_hash):
        return [f"row {head.seq} is signed as the last row, but the log ends with row {seq}"]
    return []


def entries_of_object(
    session: Session, kind: str, object_id: str, actions: Collection[str]
) -> list[AuditEntry]:
    """Read the log's entries about one object with these actions, oldest first."""
    conditions = (AuditRow.kind == kind, AuditRow.object_id == object_id, col(AuditRow.action).in_(actions))
    return [
        _entry(row, {})
        for row in session.exec(select(AuditRow).where(*conditions).order_by(col(AuditRow.seq)))
    ]


def _check_row(row: AuditRow, seq: int, last_hash: str) -> list[str]:
    """The problems of a row, given the number and hash of the row before it."""
    problems = []
    if row.seq != seq + 1:
        problems.append(f"row {seq + 1} is missing: the next row is row {row.seq}")
    elif row.prev_hash != last_hash:
        problems.append(f"row {row.seq} does not follow the row before it")
    if row.hash != row_hash(_event_of(row), row.prev_hash):
        problems.append(f"row {row.seq} was changed")
    if row.action == UNSIGNED:
        problems.append(
            f"row {row.seq}: the log continues although its end was not signed with this installation's "
            "secret (the secret was replaced, or another program changed the database)"
        )
    return problems


def _event_of(row: AuditRow) -> Event:
    return Event(row.seq, row.at, row.action, row.kind, row.object_id, row.actor, row.address, row.details)


def _entry(row: AuditRow, names: Mapping[str, str]) -> AuditEntry:
    return AuditEntry(
        seq=row.seq,
        at=row.at,
        action=row.action,
        kind=row.kind,
        object_id=row.object_id,
        actor=row.actor,
        actor_name=names.get(row.actor or ""),
        address=row.address,
        details=json.loads(row.details),
        hash=row.hash,
    )


def _read_page(session: Session, query: AuditQuery, names: UserNames) -> Page[AuditEntry]:
    filters = {"action": query.action, "kind": query.kind, "object_id": query.object_id, "actor": query.actor}
    conditions = [getattr(AuditRow, name) == value for name, value in filters.items() if value is not None]
    if query.at_from is not None:
        conditions.append(AuditRow.at >= query.at_from)
    if query.at_to is not None:
        conditions.append(AuditRow.at <= query.at_to)
    total = session.exec(select(func.count()).select_from(AuditRow).where(*conditions)).first() or 0
    rows = session.exec(
        select(AuditRow)
        .where(*conditions)
        .order_by(col(AuditRow.seq).desc())
        .limit(query.page_size)
        .offset((query.current_page - 1) * query.page_size)
    )
    page = rows.all()
    names_by_id = names(session, {row.actor for row in page if row.actor is not None})
    return Page(
        data=[_entry(row, names_by_id) for row in page],
        pagination=pagination(query.current_page, query.page_size, total),
    )
