"""Implements list, create, get, update and delete for one kind of catalogue entry.

`service.catalogue.service` has the four kinds.
"""

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
from shared.record.codes import ErrorCode
from shared.wire.common import CurrentPage, Name, Page, PageSize, pagination
from shared.wire.text import fill, join

COUNT_TEMPLATES = {
    "flight": "{count} 个航班",
    "task": "{count} 个任务",
    "reference_image": "{count} 张参考图",
    "record": "{count} 条检查记录",
}

Row = TypeVar("Row", bound=Entry)
EntryBody = TypeVar("EntryBody", bound=BaseModel)


class ListQuery(BaseModel):
    """The query of a list: the page, and `q`, a part of the name of the entry or its parent."""

    current_page: CurrentPage = 1
    page_size: PageSize = 20
    q: Name | None = None


class VersionedEntry(NamedTuple, Generic[EntryBody]):
    """An entry with its ETag."""

    entry: EntryBody
    etag: str


def _audit_details(value: Any) -> Any:
    # The audit log contains times as text, and of a template the number of its regions.
    if isinstance(value, dt.datetime):
        return value.isoformat()
    return len(value) if isinstance(value, list) else value


class Repository(Generic[Row, EntryBody]):
    """The use cases of one kind of entry; a subclass defines the specifics of its kind."""

    row: type[Row]
    kind: ClassVar[str]
    missing_message: ClassVar[str]
    """The sentence for an unknown id."""
    search_columns: ClassVar[Sequence[Mapped[Any]]]
    """The columns that `q` searches."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.key: Mapped[str] = getattr(self.row, f"{self.kind}_id")

    def view(self, session: Session, row: Row) -> EntryBody:
        """Return the entry as a body of the API, including joined names."""
        raise AssertionError(f"{type(self).__name__} does not implement view")

    def check(self, session: Session, values: Mapping[str, Any]) -> None:
        """Raise Problem 409 if `values` (the fields sent) refer to an object that does not exist."""

    def parent_conditions(self, text: str) -> Sequence[ColumnElement[bool]]:
        """Return conditions for entries whose parent has `text` in its name."""
        return ()

    def references(self, session: Session, row: Row) -> dict[str, int]:
        """Return how many entries and records refer to `row`, by kind; kinds with 0 may be omitted."""
        return {}

    async def list(self, query: ListQuery, *filters: ColumnElement[bool]) -> Page[EntryBody]:
        """Return one page, newest first, ties by id."""
        conditions = list(filters)
        if query.q:
            name_conditions = (name.icontains(query.q, autoescape=True) for name in self.search_columns)
            conditions.append(or_(*name_conditions, *self.parent_conditions(query.q)))
        return await self.database.read(lambda session: self._page(session, query, conditions))

    def _page(
        self, session: Session, query: ListQuery, conditions: Sequence[ColumnElement[bool]]
    ) -> Page[EntryBody]:
        total = session.exec(select(func.count()).select_from(self.row).where(*conditions)).first() or 0
        statement = (
            select(self.row)
            .where(*conditions)
            .order_by(col(self.row.created_at).desc(), self.key.desc())
            .limit(query.page_size)
            .offset((query.current_page - 1) * query.page_size)
        )
        return Page(
            data=[self.view(session, row) for row in session.exec(statement)],
            pagination=pagination(query.current_page, query.page_size, total),
        )

    async def get(self, entry_id: str) -> VersionedEntry[EntryBody]:
        """Return one entry. Raises Problem 404."""

        def work(session: Session) -> VersionedEntry[EntryBody]:
            return self._make_versioned(session, self._find(session, entry_id))

        return await self.database.read(work)

    async def create(self, values: Mapping[str, Any], caller: Caller) -> VersionedEntry[EntryBody]:
        """Create an entry. Raises Problem 409 if `values` refer to an object that does not exist."""

        def work(session: Session) -> VersionedEntry[EntryBody]:
            self.check(session, values)
            row = self.row(**values)
            session.add(row)
            session.flush()
            self._announce(session, "create", row, caller, {name: [None, values[name]] for name in values})
            return self._make_versioned(session, row)

        return await self.database.write(work)

    async def update(
        self, entry_id: str, values: Mapping[str, Any], if_match: str | None, caller: Caller
    ) -> VersionedEntry[EntryBody]:
        """Change the fields in `values`.

        Raises Problem 404, 412 if `if_match` is stale, 409 if they refer to an object that does not exist.
        """

        def work(session: Session) -> VersionedEntry[EntryBody]:
            row = self._find(session, entry_id, if_match, lock=True)
            new_values = {name: value for name, value in values.items() if getattr(row, name) != value}
            if new_values:
                self.check(session, new_values)
                changes = {name: [getattr(row, name), value] for name, value in new_values.items()}
                for name, value in new_values.items():
                    setattr(row, name, value)
                row.version = etags.new_revision()
                row.updated_at = now()
                session.flush()
                self._announce(session, "update", row, caller, changes)
            return self._make_versioned(session, row)

        return await self.database.write(work)

    async def delete(self, entry_id: str, if_match: str | None, caller: Caller) -> None:
        """Delete an entry. Raises Problem 404, 412, and 409 if entries or records refer to it."""

        def work(session: Session) -> None:
            row = self._find(session, entry_id, if_match, lock=True)
            references = {kind: count for kind, count in self.references(session, row).items() if count}
            if references:
                raise self._in_use_problem(references)
            self._announce(session, "delete", row, caller, {})
            session.delete(row)
            try:
                session.flush()
            except IntegrityError as error:
                # Another service process added a reference after the check.
                raise self._in_use_problem({}) from error

        await self.database.write(work)

    def _find(
        self, session: Session, entry_id: str, if_match: str | None = None, *, lock: bool = False
    ) -> Row:
        row = session.get(self.row, entry_id, with_for_update=lock)
        if row is None:
            raise Problem(404, ErrorCode.NOT_FOUND, self.missing_message)
        etags.require_match(
            if_match,
            etags.revision_etag(row.version),
            lambda: {"current": self.view(session, row).model_dump(mode="json")},
        )
        return row

    def _make_versioned(self, session: Session, row: Row) -> VersionedEntry[EntryBody]:
        return VersionedEntry(self.view(session, row), etags.revision_etag(row.version))

    def _announce(
        self, session: Session, action: str, row: Row, caller: Caller, details: dict[str, Any]
    ) -> None:
        object_id: str = getattr(row, f"{self.kind}_id")
        audit_values = {name: [_audit_details(value) for value in values] for name, values in details.items()}
        announce(
            session, ObjectChange(action, self.kind, object_id, caller.user_id, caller.address, audit_values)
        )

    @staticmethod
    def _in_use_problem(references: Mapping[str, int]) -> Problem:
        counts: list[str] = [fill(COUNT_TEMPLATES[kind], count=count) for kind, count in references.items()]
        used = join("{first}、{next}", counts or ["其他数据"])
        msg = fill("仍被{references}引用，请先修改或删除这些引用", references=used)
        return Problem(409, ErrorCode.CONFLICT, msg, references=dict(references))
