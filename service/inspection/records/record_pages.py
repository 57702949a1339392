"""Finds pages of records, also deep ones among a million.

A database takes 20 ms or more to count a million rows, and longer to skip as many. So the totals of searches
are cached, and the place of every thousandth row. The cache holds as long as the stamp of the records is the
same: any change of a record gives them another one.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

from sqlalchemy import Connection

from service.db import statements
from service.db.database import Database
from service.db.loop_reads import Stamp
from service.inspection.queries import RecordQueries, RecordRow
from shared.wire.common import Pagination, pagination

_TABLE = "record"
_MOST_TOTALS = 500
_MOST_MARKS = 20_000
MARK_EVERY = 1_000
"""So many rows lie between two places of a search that are kept."""
_ORDERED = ("task_id", "executor_id", "inspection_status", "record_state", "reference_image_id")
"""The filters with an index in the order of a search: a page of one is found without a look at other rows."""

_FEW = MARK_EVERY
"""So many rows are sorted sooner than they are found in the order of all records."""

_Search = tuple[tuple[str, Any], ...]
_Mark = tuple[dt.datetime, str]
"""`created_at` and id of a row: the order of a search."""


@dataclass(slots=True)
class _Cache:
    """Totals and places of searches in one state of the records, or of the whole database."""

    stamp: Stamp = ""
    totals: dict[_Search, int] = field(default_factory=dict)
    marks: dict[tuple[_Search, bool, int], _Mark] = field(default_factory=dict)

    @property
    def is_full(self) -> bool:
        return len(self.totals) >= _MOST_TOTALS or len(self.marks) >= _MOST_MARKS


@dataclass(frozen=True, slots=True)
class _Cut:
    """Which rows of a search a page shows, read from its nearer end: `size` rows behind `behind + skip`
    others, where `behind` is a multiple of `MARK_EVERY`."""

    newest_first: bool
    behind: int
    skip: int
    size: int


class RecordPages:
    """Pages of records, newest first."""

    def __init__(self, database: Database, queries: RecordQueries) -> None:
        self._database = database
        self._queries = queries
        self._caches: dict[str | None, _Cache] = {_TABLE: _Cache(), None: _Cache()}
        self._turns: WeakValueDictionary[_Search, asyncio.Lock] = WeakValueDictionary()

    async def find(
        self, filters: Mapping[str, Any], current_page: int, page_size: int
    ) -> tuple[list[RecordRow], Pagination]:
        """The rows of a page, newest first, of the records that pass the filters `given`."""
        search = tuple(sorted(filters.items()))
        if not _is_ordered(search):
            return await self._from_the_start(search, current_page, page_size)
        page = await self._at_once(search, current_page, page_size)
        if page is None:
            # Who asks for the same meanwhile does not count as well.
            async with self._turns.setdefault(search, asyncio.Lock()):
                page = await self._at_once(search, current_page, page_size)
                if page is None:
                    page = await self._from_the_start(search, current_page, page_size)
        return page

    async def _at_once(
        self, search: _Search, current_page: int, page_size: int
    ) -> tuple[list[RecordRow], Pagination] | None:
        """A page whose place is known; None when it is not, or is not true any more."""
        cache = self._caches[_TABLE]
        total = cache.totals.get(search)
        if total is None:
            return None
        rows = await self._rows_at_once(cache, search, _cut(current_page, page_size, total))
        return None if rows is None else (rows, pagination(current_page, page_size, total))

    async def _rows_at_once(self, cache: _Cache, search: _Search, cut: _Cut) -> list[RecordRow] | None:
        if cut.size <= 0:
            return [] if await self._database.stamp(_TABLE) == cache.stamp else None
        mark = cache.marks.get((search, cut.newest_first, cut.behind)) if cut.behind else None
        if cut.behind and mark is None:
            return None
        page = self._queries.page(dict(search), newest_first=cut.newest_first, behind_mark=mark is not None)
        rows, stamp = await self._database.select_stamped(page, _values(search, cut, mark), _TABLE)
        return _turned(rows, cut) if stamp == cache.stamp else None

    async def _from_the_start(
        self, search: _Search, current_page: int, page_size: int
    ) -> tuple[list[RecordRow], Pagination]:
        """Count the rows and find the place of the page, and keep both when nobody wrote meanwhile."""
        # Other filters read other tables as well: names of people and aircraft, findings.
        table = _TABLE if _is_ordered(search) else None
        before = await self._database.stamp(table)
        is_settled = await self._database.is_settled(table)
        cache = self._caches[table]
        if cache.stamp != before or cache.is_full:
            cache = self._caches[table] = _Cache(before)
        fresh = _Cache(before, dict(cache.totals), dict(cache.marks))

        def work(connection: Connection) -> tuple[list[RecordRow], Pagination]:
            filters = dict(search)
            if search not in fresh.totals:
                count = connection.execute(self._queries.count(filters), filters)
                fresh.totals[search] = int(count.scalar_one())
            total = fresh.totals[search]
            standing = pagination(current_page, page_size, total)
            cut = _cut(current_page, page_size, total)
            if cut.size <= 0:
                return [], standing
            mark = self._mark(connection, search, fresh, cut) if cut.behind else None
            page = self._queries.page(
                filters,
                newest_first=cut.newest_first,
                behind_mark=mark is not None,
                few=total <= _FEW and not _is_ordered(search),
            )
            rows = connection.execute(page, _values(search, cut, mark))
            return _turned(list(rows), cut), standing

        answer = await self._database.fetch(work)
        if is_settled and await self._database.stamp(table) == before:
            cache.totals |= fresh.totals
            cache.marks |= fresh.marks
        return answer

    def _mark(self, connection: Connection, search: _Search, fresh: _Cache, cut: _Cut) -> _Mark:
        """The last of the first `behind` rows, found from the nearest one before it that is known.

        The places on the way are kept as well: to find each of them by itself, when pages in between are
        requested, takes as long as all of them together.
        """
        start, filters = cut.behind, dict(search)
        while start and (search, cut.newest_first, start) not in fresh.marks:
            start -= MARK_EVERY
        mark = fresh.marks[search, cut.newest_first, start] if start else None
        while mark is None or start < cut.behind:
            step = _Cut(cut.newest_first, start, MARK_EVERY - 1, 1)
            place = self._queries.place(filters, newest_first=cut.newest_first, behind_mark=mark is not None)
            (row,) = statements.run(connection, place, _values(search, step, mark))
            start += MARK_EVERY
            mark = fresh.marks[search, cut.newest_first, start] = (row.created_at, row.inspection_id)
        return mark


def _is_ordered(search: _Search) -> bool:
    return not search or (len(search) == 1 and search[0][0] in _ORDERED)


def _cut(current_page: int, page_size: int, total: int) -> _Cut:
    skip = (current_page - 1) * page_size
    size = min(page_size, total - skip)
    # A page of the second half is nearer to the other end.
    newest_first = skip <= total // 2
    if not newest_first:
        skip = total - skip - size
    return _Cut(newest_first, skip - skip % MARK_EVERY, skip % MARK_EVERY, size)


def _values(search: _Search, cut: _Cut, mark: _Mark | None) -> dict[str, Any]:
    values = {**dict(search), "size": cut.size, "skip": cut.skip}
    return values if mark is None else {**values, "mark_time": mark[0], "mark_id": mark[1]}


def _turned(rows: list[RecordRow], cut: _Cut) -> list[RecordRow]:
    return rows if cut.newest_first else rows[::-1]
