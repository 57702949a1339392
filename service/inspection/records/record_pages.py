"""Finds pages of records, newest first.

A database takes some milliseconds to count 100,000 rows. So the totals of searches are kept until the next
change: every page is read together with the number of the last change (`sources.last_change`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

from sqlalchemy import Connection, Select

from service.db.database import Database
from service.inspection.queries import RecordQueries, RecordRow
from shared.wire.common import Pagination, pagination

_MAX_TOTALS = 500
MAX_ON_LOOP = 10_000
"""The event loop itself skips this many rows at most, which takes less than a millisecond."""
_ORDERED = ("task_id", "executor_id", "inspection_status", "record_state", "reference_image_id")
"""The filters with an index in the order of a search: a page of one is found without reading other rows."""
_MAX_SORTED = 1_000
"""It is faster to sort this many rows than to find them in the order of all records."""

_Search = tuple[tuple[str, Any], ...]


class RecordPages:
    """Pages of records, newest first."""

    def __init__(self, database: Database, queries: RecordQueries) -> None:
        self._database = database
        self._queries = queries
        self._totals: dict[_Search, int] = {}
        self._last_change: int | None = None
        self._turns: WeakValueDictionary[_Search, asyncio.Lock] = WeakValueDictionary()

    async def find(
        self, filters: Mapping[str, Any], current_page: int, page_size: int
    ) -> tuple[Sequence[RecordRow], Pagination]:
        """The rows of a page of the records that pass all `filters`, and where the page stands."""
        values = {**filters, "size": page_size, "skip": (current_page - 1) * page_size}
        if _is_ordered(filters):
            rows = await self._select(self._queries.page(filters), values)
            total = await self._find_total(filters, rows[0].last_change if rows else None)
        else:
            rows, total = await self._database.fetch(partial(self._search, filters, values))
        return rows, pagination(current_page, page_size, total)

    async def _select(self, page: Select[Any], values: Mapping[str, Any]) -> Sequence[RecordRow]:
        if values["skip"] <= MAX_ON_LOOP:
            return await self._database.select(page, values)
        return await self._database.fetch(lambda connection: connection.execute(page, values).all())

    async def _find_total(self, filters: Mapping[str, Any], last_change: int | None) -> int:
        """How many records pass the filters, counted again unless `last_change` was the last one then."""
        search = tuple(filters.items())
        # The first of several requests counts for the others.
        async with self._turns.setdefault(search, asyncio.Lock()):
            if last_change is None or last_change != self._last_change or search not in self._totals:
                count = self._queries.count(filters)
                row = await self._database.fetch(lambda connection: connection.execute(count, filters).one())
                if row.last_change != self._last_change or len(self._totals) >= _MAX_TOTALS:
                    self._totals, self._last_change = {}, row.last_change
                self._totals[search] = row.total
            return self._totals[search]

    def _search(
        self, filters: Mapping[str, Any], values: Mapping[str, Any], connection: Connection
    ) -> tuple[Sequence[RecordRow], int]:
        """The rows and the total by other filters, which read other tables as well: names, findings."""
        total = int(connection.execute(self._queries.count(filters), filters).one().total)
        page = self._queries.page(filters, few=total <= _MAX_SORTED)
        return connection.execute(page, values).all(), total


def _is_ordered(filters: Mapping[str, Any]) -> bool:
    return not filters or (len(filters) == 1 and not filters.keys().isdisjoint(_ORDERED))
