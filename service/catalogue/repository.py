"""Implements list, create, get, update and delete for one kind of catalogue entry. `service.py` has the
four."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from pydantic import BaseModel
from sqlalchemy import ColumnElement, func
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped
from sqlmodel import Session, col, or_, select

from service.catalogue.tables import Entry
from service.changes import ObjectChange, announce
from service.db.database import Database, now
from service.web import etags
from service.web.envelope import Problem
from service.web.security import Caller
from shared.codes import ErrorCode
from shared.wire.common import CurrentPage, Name, Page, PageSize, pagination

KIND_NAMES = {"flight": "个航班", "task": "个任务", "reference_image": "张参考图"}

Row = TypeVar("Row", bound=Entry)
Read = TypeVar("Read", bound=BaseModel)


class ListQuery(BaseModel):
    """Query of a list: the page, and `q`, a part of a name of the entry or of what it belongs to."""

    current_page: CurrentPage = 1
    page_size: PageSize = 20
    q: Name | None = None


class VersionedEntry(NamedTuple, Generic[Read]):
    """An entry and the ETag of what was read or written."""

    entry: Read
    etag: str


def _audit_details(value: Any) -> Any:
    # For the audit log: times as text, and of a template how many regions it has.
    if isinstance(value, dt.datetime):
        return value.isoformat()
    return len(value) if isinstance(value, list) else value


class Repository(Generic[Row, Read]):
    """The use cases of one kind of entry; a subclass says what is particular about its kind."""

    row: type[Row]
    kind: ClassVar[str]
    missing: ClassVar[str]
    """The sentence for an id that is not there."""
    names: ClassVar[Sequence[Mapped[Any]]]
    """The columns that `q` looks in."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.key: Mapped[str] = getattr(self.row, f"{self.kind}_id")

    def view(self, session: Session, row: Row) -> Read:
        """The entry as it is answered, joined names included."""
        raise AssertionError(f"{type(self).__name__} says how its entries look")

    def check(self, session: Session, values: Mapping[str, Any]) -> None:
        """Raise Problem 422 when `values` (the fields sent) name something that is not there."""

    def parent_conditions(self, text: str) -> Sequence[ColumnElement[bool]]:
        """Conditions for entries that belong to something with `text` in its name."""
        return ()

    def references(self, session: Session, row: Row) -> dict[str, int]:
        """How many entries of each other kind refer to `row`; those with 0 may be left out."""
        return {}

    async def list(self, listing: ListQuery, *filters: ColumnElement[bool]) -> Page[Read]:
        """One page, newest first, ties by id."""
        conditions = list(filters)
        if listing.q:
            by_name = (name.icontains(listing.q, autoescape=True) for name in self.names)
            conditions.append(or_(*by_name, *self.parent_conditions(listing.q)))
        return await self.database.read(lambda session: self._page(session, listing, conditions))

    def _page(
        self, session: Session, listing: ListQuery, conditions: Sequence[ColumnElement[bool]]
    ) -> Page[Read]:
        total = session.exec(select(func.count()).select_from(self.row).where(*conditions)).first() or 0
        query = (
            select(self.row)
            .where(*conditions)
            .order_by(col(self.row.created_at).desc(), self.key.desc())
            .limit(listing.page_size)
            .offset((listing.current_page - 1) * listing.page_size)
        )
        return Page(
            data=[self.view(session, row) for row in session.exec(query)],
            pagination=pagination(listing.current_page, listing.page_size, total),
        )

    async def get(self, entry_id: str) -> VersionedEntry[Read]:
        """One entry. Raises Problem 404."""

        def work(session: Session) -> VersionedEntry[Read]:
            return self._versioned(session, self._find(session, entry_id))

        return await self.database.read(work)

    async def create(self, values: Mapping[str, Any], caller: Caller) -> VersionedEntry[Read]:
        """Make an entry of `values`. Raises Problem 422 when they name something that is not there."""

        def work(session: Session) -> VersionedEntry[Read]:
            self.check(session, values)
            row = self.row(**values)
            session.add(row)
            session.flush()
            self._announce(session, "create", row, caller, {name: [None, values[name]] for name in values})
            return self._versioned(session, row)

        return await self.database.write(work)

    async def update(
        self, entry_id: str, values: Mapping[str, Any], if_match: str | None, caller: Caller
    ) -> VersionedEntry[Read]:
        """Change the fields of `values`. Raises Problem 404, 412 when `if_match` is stale, 422."""

        def work(session: Session) -> VersionedEntry[Read]:
            row = self._find(session, entry_id, if_match, to_change=True)
            changed = {name: value for name, value in values.items() if getattr(row, name) != value}
            if changed:
                self.check(session, changed)
                before = {name: [getattr(row, name), value] for name, value in changed.items()}
                for name, value in changed.items():
                    setattr(row, name, value)
                row.version += 1
                row.updated_at = now()
                session.flush()
                self._announce(session, "update", row, caller, before)
            return self._versioned(session, row)

        return await self.database.write(work)

    async def delete(self, entry_id: str, if_match: str | None, caller: Caller) -> None:
        """Delete an entry. Raises Problem 404, 412, and 409 when other entries refer to it."""

        def work(session: Session) -> None:
            row = self._find(session, entry_id, if_match, to_change=True)
            used = {kind: count for kind, count in self.references(session, row).items() if count}
            if used:
                raise self._in_use_problem(used)
            self._announce(session, "delete", row, caller, {})
            session.delete(row)
            try:
                session.flush()
            except IntegrityError as error:
                # Another service process referred to it after we looked.
                raise self._in_use_problem({}) from error

        await self.database.write(work)

    def _find(
        self, session: Session, entry_id: str, if_match: str | None = None, *, to_change: bool = False
    ) -> Row:
        row = session.get(self.row, entry_id, with_for_update=to_change)
        if row is None:
            raise Problem(404, ErrorCode.NOT_FOUND, self.missing)
        etags.require_match(
            if_match,
            etags.of_revision(row.version),
            lambda: {"current": self.view(session, row).model_dump(mode="json")},
        )
        return row

    def _versioned(self, session: Session, row: Row) -> VersionedEntry[Read]:
        return VersionedEntry(self.view(session, row), etags.of_revision(row.version))

    def _announce(
        self, session: Session, action: str, row: Row, caller: Caller, details: dict[str, Any]
    ) -> None:
        object_id: str = getattr(row, f"{self.kind}_id")
        audited = {name: [_audit_details(value) for value in values] for name, values in details.items()}
        announce(session, ObjectChange(action, self.kind, object_id, caller.user_id, caller.address, audited))

    @staticmethod
    def _in_use_problem(used: Mapping[str, int]) -> Problem:
        counted = "、".join(f"{count} {KIND_NAMES[kind]}" for kind, count in used.items())
        msg = f"仍被{counted or '其他数据'}引用，请先修改或删除这些引用"
        return Problem(409, ErrorCode.CONFLICT, msg, references=dict(used))
