"""Finds pages of records, also deep ones among a million.

A database takes 20 ms or more to count a million rows, and longer to skip as many. So the totals of searches
are cached, and the key of every `MARK_EVERY`th row, which one pass over an index finds. The cache is valid as
long as the stamp of the records is the same: any change of a record changes the stamp.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from service.db import statements
from service.db.database import Database
from service.db.loop_reads import Stamp
from service.inspection.queries import RecordQueries, RecordRow
from shared.wire.common import Pagination, pagination

_TABLE = "record"
_MAX_TOTALS = 500
_MAX_MARKS = 20_000
MARK_EVERY = 500
"""How many rows of a search there are from one mark to the next."""
MAX_ON_LOOP = 10_000
"""The event loop itself counts or skips this many rows at most, which takes less than a millisecond."""
_ORDERED = ("task_id", "executor_id", "inspection_status", "record_state", "reference_image_id")
"""The filters with an index in the order of a search: a page of one is found without reading other rows."""
_MAX_SORTED = 1_000
"""It is faster to sort this many rows than to find them in the order of all records."""

_Search = tuple[tuple[str, Any], ...]
_Mark = tuple[dt.datetime, str]
"""`created_at` and id of a row: the order of a search."""
_FoundPage = tuple[list[RecordRow], Pagination]


@dataclass(slots=True)
class _Cache:
    """Totals and marks of searches in one state of the records, or of the whole database.

    `marks`: the last of each `MARK_EVERY` rows, the oldest first.
    """

    stamp: Stamp = ""
    totals: dict[_Search, int] = field(default_factory=dict)
    marks: dict[_Search, Sequence[_Mark]] = field(default_factory=dict)

    @property
    def is_full(self) -> bool:
        marks = sum(len(marks) for marks in self.marks.values())
        return len(self.totals) >= _MAX_TOTALS or marks >= _MAX_MARKS


@dataclass(frozen=True, slots=True)
class _Cut:
    """Which rows of a search a page shows: `size` rows behind `skip` others, which are behind `marks` marks.

    The rows are read from the newest one, or from the oldest one. A page without rows has a `size` of 0 or
    less.
    """

    newest_first: bool
    marks: int
    skip: int
    size: int


class RecordPages:
    """Pages of records, newest first."""

    def __init__(self, database: Database, queries: RecordQueries) -> None:
        self._database = database
        self._queries = queries
        self._caches: dict[str | None, _Cache] = {_TABLE: _Cache(), None: _Cache()}
        self._turns: WeakValueDictionary[_Search, asyncio.Lock] = WeakValueDictionary()
        self._mark_searches: dict[_Search, asyncio.Task[None]] = {}

    async def find(self, filters: Mapping[str, Any], current_page: int, page_size: int) -> _FoundPage:
        """The rows of a page, newest first, of the records that pass all `filters`."""
        search = tuple(sorted(filters.items()))
        if not _is_ordered(search):
            return await self._read(search, current_page, page_size)
        page = await self._read_cached(search, current_page, page_size)
        if page is None:
            # The first of several requests for a search fills the cache for the others.
            async with self._turns.setdefault(search, asyncio.Lock()):
                page = await self._read_cached(search, current_page, page_size)
                if page is None:
                    page = await self._read(search, current_page, page_size)
        return page

    async def _read_cached(self, search: _Search, current_page: int, page_size: int) -> _FoundPage | None:
        """A page whose position is cached; None if it is not cached, or no longer valid."""
        cache = self._caches[_TABLE]
        total = cache.totals.get(search)
        if total is None:
            return None
        cut = _cut(current_page, page_size, total)
        if cut.marks and search not in cache.marks and search in self._mark_searches:
            await asyncio.wait([self._mark_searches[search]])
        rows = await self._read_cut(cache, search, cut)
        return None if rows is None else (rows, pagination(current_page, page_size, total))

    async def _read_cut(self, cache: _Cache, search: _Search, cut: _Cut) -> list[RecordRow] | None:
        if cut.size <= 0:
            return [] if await self._database.stamp(_TABLE) == cache.stamp else None
        mark = None
        if cut.marks:
            marks = cache.marks.get(search, ())
            if len(marks) < cut.marks:
                return None
            mark = marks[cut.marks - 1]
        page = self._queries.page(dict(search), newest_first=cut.newest_first, behind_mark=mark is not None)
        rows, stamp = await self._database.select_stamped(page, _values(search, cut, mark), _TABLE)
        return _newest_first(rows, cut) if stamp == cache.stamp else None

    async def _read(self, search: _Search, current_page: int, page_size: int) -> _FoundPage:
        """Count the rows and read the page, and have the marks found for the requests that follow."""
        # Other filters read other tables as well: names of people and aircraft, findings.
        table = _TABLE if _is_ordered(search) else None
        stamp = await self._database.stamp(table)
        is_settled = await self._database.is_settled(table)
        cache = self._caches[table]
        if cache.stamp != stamp or cache.is_full:
            cache = self._caches[table] = _Cache(stamp)
        if table is not None and is_settled and await self._count_on_loop(cache, search):
            page = await self._read_cached(search, current_page, page_size)
            if page is not None:
                return page
        known_total = cache.totals.get(search)

        def work(connection: Connection) -> tuple[int, list[RecordRow]]:
            filters = dict(search)
            total = known_total
            if total is None:
                total = int(connection.execute(self._queries.count(filters), filters).scalar_one())
            cut = _cut_without_marks(current_page, page_size, total)
            if cut.size <= 0:
                return total, []
            page = self._queries.page(
                filters,
                newest_first=cut.newest_first,
                few=total <= _MAX_SORTED and not _is_ordered(search),
            )
            rows = connection.execute(page, _values(search, cut, None))
            return total, _newest_first(list(rows), cut)

        total, rows = await self._database.fetch(work)
        if is_settled:
            # What a change outdated meanwhile is in the cache of a stamp that does not return.
            cache.totals[search] = total
            if table is not None and _cut(current_page, page_size, total).marks:
                self._start_finding_marks(search, cache)
        return rows, pagination(current_page, page_size, total)

    async def _count_on_loop(self, cache: _Cache, search: _Search) -> bool:
        """Whether `cache` has the total of the search, which is counted now if there are few rows."""
        if search in cache.totals:
            return True
        count = self._queries.count_few(dict(search))
        values = {**dict(search), "most": MAX_ON_LOOP + 1}
        (row,), stamp = await self._database.select_stamped(count, values, _TABLE)
        if stamp != cache.stamp or row.total > MAX_ON_LOOP:
            return False
        cache.totals[search] = row.total
        return True

    def _start_finding_marks(self, search: _Search, cache: _Cache) -> None:
        if search not in self._mark_searches and search not in cache.marks:
            task = asyncio.get_running_loop().create_task(self._find_marks(search, cache))
            self._mark_searches[search] = task
            task.add_done_callback(lambda _: self._mark_searches.pop(search, None))

    async def _find_marks(self, search: _Search, cache: _Cache) -> None:
        """Find the marks of the search, in one pass on another thread."""
        statement = self._queries.marks(dict(search))
        values = {**dict(search), "skip": MARK_EVERY - 1}
        try:
            rows = await self._database.fetch(
                lambda connection: statements.run(connection, statement, values)
            )
        except SQLAlchemyError:
            # The database has reported it. The requests that waited read their pages without marks.
            return
        cache.marks[search] = [(row.created_at, row.inspection_id) for row in rows]


def _is_ordered(search: _Search) -> bool:
    return not search or (len(search) == 1 and search[0][0] in _ORDERED)


def _cut_without_marks(current_page: int, page_size: int, total: int) -> _Cut:
    skip = (current_page - 1) * page_size
    size = min(page_size, total - skip)
    older = total - skip - size
    # The rows are skipped from the end that is nearer to the page.
    return _Cut(True, 0, skip, size) if skip <= older else _Cut(False, 0, older, size)


def _cut(current_page: int, page_size: int, total: int) -> _Cut:
    cut = _cut_without_marks(current_page, page_size, total)
    if cut.skip < MARK_EVERY or total <= MAX_ON_LOOP:
        return cut
    older = total - (current_page - 1) * page_size - cut.size
    return _Cut(False, older // MARK_EVERY, older % MARK_EVERY, cut.size)


def _values(search: _Search, cut: _Cut, mark: _Mark | None) -> dict[str, Any]:
    values = {**dict(search), "size": cut.size, "skip": cut.skip}
    return values if mark is None else {**values, "mark_time": mark[0], "mark_id": mark[1]}


def _newest_first(rows: list[RecordRow], cut: _Cut) -> list[RecordRow]:
    return rows if cut.newest_first else rows[::-1]
