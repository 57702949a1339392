"""Finds pages of records, also deep ones among a million.

SQLite counts a million rows in 20 ms, and skips as many in more. So a connection keeps the totals that it has
counted, and where every thousandth row of a search lies. `PRAGMA data_version` tells it, inside its snapshot,
whether another connection has written: only if not, what is kept still holds.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from service.inspection.queries import RecordQueries, RecordRow
from shared.wire.common import Pagination, pagination

_KEPT = "walkaround_record_pages"
_MOST_TOTALS = 500
_MOST_MARKS = 20_000
MARK_EVERY = 1_000
"""So many rows lie between two places of a search that are kept."""

_Search = tuple[tuple[str, Any], ...]
_Mark = tuple[dt.datetime, str]
"""`created_at` and id of a row: the order of a search."""


@dataclass(slots=True)
class _Kept:
    """What one connection found out while nobody wrote."""

    version: int
    totals: dict[_Search, int] = field(default_factory=dict)
    marks: dict[tuple[_Search, bool, int], _Mark] = field(default_factory=dict)


class RecordPages:
    """Pages of records on one kind of database."""

    def __init__(self, queries: RecordQueries, *, is_sqlite: bool) -> None:
        self._queries = queries
        self._is_sqlite = is_sqlite

    def find(
        self, connection: Connection, given: dict[str, Any], current_page: int, page_size: int
    ) -> tuple[list[RecordRow], Pagination]:
        """The rows of a page, newest first, of the records that pass the filters `given`."""
        kept = self._kept(connection) if self._is_sqlite else None
        search = tuple(sorted(given.items()))
        total = self._total(connection, given, search, kept)
        standing = pagination(current_page, page_size, total)
        skip = (current_page - 1) * page_size
        size = min(page_size, total - skip)
        if size <= 0:
            return [], standing
        # A page of the second half is nearer to the other end.
        newest_first = skip <= total // 2
        if not newest_first:
            skip = total - skip - size
        values = {**given, "size": size, "skip": skip}
        mark = None
        if kept is not None and skip >= MARK_EVERY:
            values["skip"] = skip % MARK_EVERY
            mark = self._mark(connection, given, search, kept, newest_first, skip - values["skip"])
            values |= {"mark_time": mark[0], "mark_id": mark[1]}
        page = self._queries.page(given, newest_first=newest_first, behind_mark=mark is not None)
        rows = list(connection.execute(page, values))
        return rows if newest_first else rows[::-1], standing

    @staticmethod
    def _kept(connection: Connection) -> _Kept:
        version = int(connection.exec_driver_sql("PRAGMA data_version").scalar_one())
        kept = connection.info.get(_KEPT)
        if (
            not isinstance(kept, _Kept)
            or kept.version != version
            or len(kept.totals) >= _MOST_TOTALS
            or len(kept.marks) >= _MOST_MARKS
        ):
            kept = connection.info[_KEPT] = _Kept(version)
        return kept

    def _total(
        self, connection: Connection, given: dict[str, Any], search: _Search, kept: _Kept | None
    ) -> int:
        if kept is not None and search in kept.totals:
            return kept.totals[search]
        total = int(connection.execute(self._queries.count(given), given).scalar_one())
        if kept is not None:
            kept.totals[search] = total
        return total

    def _mark(
        self,
        connection: Connection,
        given: dict[str, Any],
        search: _Search,
        kept: _Kept,
        newest_first: bool,
        behind: int,
    ) -> _Mark:
        """The last of the first `behind` rows, found from the nearest one before it that is known."""
        known = behind
        while known and (search, newest_first, known) not in kept.marks:
            known -= MARK_EVERY
        values = {**given, "size": 1, "skip": behind - known - 1}
        if known == behind:
            return kept.marks[search, newest_first, behind]
        if known:
            mark = kept.marks[search, newest_first, known]
            values |= {"mark_time": mark[0], "mark_id": mark[1]}
        place = self._queries.place(given, newest_first=newest_first, behind_mark=known > 0)
        created_at, inspection_id = connection.execute(place, values).one()
        kept.marks[search, newest_first, behind] = (created_at, inspection_id)
        return created_at, inspection_id
