"""Searches records, newest first.

A database takes some milliseconds to count 100,000 rows. So the totals of searches are kept until the next
change: every page is read together with the number of the last change (`sources.last_change`).
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any
from weakref import WeakValueDictionary

from pydantic import Field
from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Select,
    UnaryExpression,
    bindparam,
    exists,
    func,
    or_,
    select,
)
from sqlalchemy.sql.base import ReadOnlyColumnCollection

from service.db.database import Database
from service.inspection import sources
from service.inspection.records.records import COLUMNS, RecordRow, joined, record_body
from service.inspection.tables import EDITION, ITEM, RECORD
from shared.record.codes import Status, Verdict
from shared.wire.common import (
    Day,
    EmptyAsNull,
    Name,
    OptionalId,
    Pagination,
    RecordTime,
    WireModel,
    pagination,
)
from shared.wire.shift import MAX_COUNT, Work

_MAX_TOTALS = 500
MAX_ON_LOOP = 10_000
"""The event loop itself skips this many rows at most, which takes less than a millisecond."""
_ORDERED = ("task_id", "executor_id", "inspection_status", "record_state", "reference_image_id")
"""The filters with an index in the order of a search: a page of one is found without reading other rows."""
_MAX_SORTED = 1_000
"""It is faster to sort this many rows than to find them in the order of all records."""

_Search = tuple[tuple[str, Any], ...]


class RecordSearch(WireModel):
    """The filters of a search; they combine with AND, an empty one filters nothing. Ranges are inclusive."""

    task_id: OptionalId = None
    executor_id: OptionalId = None
    inspection_status: Annotated[
        Name | None, EmptyAsNull, Field(description="A status code; another text finds no record")
    ] = None
    record_state: Annotated[
        Status | None,
        EmptyAsNull,
        Field(
            description="State of the record by its verdicts: passed and failed find sealed records "
            "only, whatever their inspection_status"
        ),
    ] = None
    reference_image_id: OptionalId = None
    flight_id: OptionalId = None
    aircraft_id: OptionalId = None
    executor_name: Annotated[
        Name | None,
        Field(description="Part of the name, A to Z in upper or lower case; empty finds everything"),
    ] = None
    q: Annotated[
        Name | None,
        Field(
            description="Part of the record's, the aircraft's or the executor's name, A to Z in upper or "
            "lower case; blank finds everything"
        ),
    ] = None
    start_time_from: Annotated[RecordTime | None, EmptyAsNull] = None
    start_time_to: Annotated[RecordTime | None, EmptyAsNull] = None
    end_time_from: Annotated[RecordTime | None, EmptyAsNull] = None
    end_time_to: Annotated[RecordTime | None, EmptyAsNull] = None
    day_from: Annotated[
        Day | None,
        EmptyAsNull,
        Field(description="First day on which the charts of /statistics count the record"),
    ] = None
    day_to: Annotated[
        Day | None, EmptyAsNull, Field(description="Last day on which these charts count it")
    ] = None
    without_aircraft: Annotated[
        bool, Field(description="Only records without an aircraft; false filters nothing")
    ] = False
    timed: Annotated[
        bool, Field(description="Only records with start and end, not cancelled; false filters nothing")
    ] = False
    with_findings: Annotated[bool, Field(description="Only records with findings; false filters nothing")] = (
        False
    )
    finding_label: OptionalId = None
    finding_region: Annotated[
        Name | None, EmptyAsNull, Field(description="The name of an item with findings")
    ] = None
    model_shown: Annotated[
        Name | None, EmptyAsNull, Field(description="A version of a model as /statistics/agreement names it")
    ] = None
    work: Annotated[
        Work | None,
        EmptyAsNull,
        Field(description="What is to be done with the record, see /inspection/work"),
    ] = None
    model_rejected: Annotated[Name | None, EmptyAsNull] = None
    model_missed: Annotated[Name | None, EmptyAsNull] = None


class Search:
    """The search for records."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.queries = RecordQueries()
        self._totals: dict[_Search, int] = {}
        self._last_change: int | None = None
        self._turns: WeakValueDictionary[_Search, asyncio.Lock] = WeakValueDictionary()

    async def find(
        self, where: RecordSearch, current_page: int, page_size: int, of_work: Mapping[str, Any] | None = None
    ) -> tuple[list[dict[str, Any]], Pagination]:
        """One page of the records that match, newest first, and where it stands.

        `of_work` are the filters of `where.work`.
        """
        filters = where.model_dump(exclude_none=True, exclude={"work"}) | dict(of_work or {})
        if "record_state" in filters:
            filters["record_state"] = str(filters["record_state"])
        for name in ("day_from", "day_to"):
            if name in filters:
                filters[name] = filters[name].toordinal()
        for name in ("without_aircraft", "timed", "with_findings"):
            if not filters[name]:
                del filters[name]
        name = filters.pop("executor_name", "")
        if name:
            filters["executor_name"] = like(name)
        text = filters.pop("q", "").strip()
        if text:
            filters["q"] = like(text)
        rows, pagination = await self._find(filters, current_page, page_size)
        return [record_body(row) for row in rows], pagination

    async def _find(
        self, filters: Mapping[str, Any], current_page: int, page_size: int
    ) -> tuple[Sequence[RecordRow], Pagination]:
        """The rows of a page of the records that pass all `filters`, and where the page stands."""
        values = {**filters, "size": page_size, "skip": (current_page - 1) * page_size}
        if _is_ordered(filters):
            rows = await self._select(self.queries.page(filters), values)
            total = await self._find_total(filters, rows[0].last_change if rows else None)
        else:
            rows, total = await self._database.fetch(partial(self._read, filters, values))
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
                count = self.queries.count(filters)
                row = await self._database.fetch(lambda connection: connection.execute(count, filters).one())
                if row.last_change != self._last_change or len(self._totals) >= _MAX_TOTALS:
                    self._totals, self._last_change = {}, row.last_change
                self._totals[search] = row.total
            return self._totals[search]

    def _read(
        self, filters: Mapping[str, Any], values: Mapping[str, Any], connection: Connection
    ) -> tuple[Sequence[RecordRow], int]:
        """The rows and the total by other filters, which read other tables as well: names, findings."""
        total = int(connection.execute(self.queries.count(filters), filters).one().total)
        page = self.queries.page(filters, few=total <= _MAX_SORTED)
        return connection.execute(page, values).all(), total


def _is_ordered(filters: Mapping[str, Any]) -> bool:
    return not filters or (len(filters) == 1 and not filters.keys().isdisjoint(_ORDERED))


class RecordQueries:
    """Statements that search records."""

    def __init__(self) -> None:
        record = RECORD.c
        tasks, flights, aircraft = sources.tasks.c, sources.flights.c, sources.aircraft.c
        executors = sources.executors.c
        aircraft_id = func.coalesce(tasks.aircraft_id, flights.aircraft_id)
        self._last_change = sources.last_change.label("last_change")
        of_flight = select(tasks.id).where(tasks.flight_id == bindparam("flight_id"))
        of_aircraft = (
            select(tasks.id)
            .select_from(sources.tasks)
            .outerjoin(sources.flights, flights.id == tasks.flight_id)
            .where(aircraft_id == bindparam("aircraft_id"))
        )
        executor_ids = select(executors.id).where(
            executors.name.icontains(bindparam("executor_name"), escape="\\")
        )
        text: BindParameter[str] = bindparam("q")
        of_person = select(executors.id).where(executors.name.icontains(text, escape="\\"))
        of_named_aircraft = (
            select(tasks.id)
            .select_from(sources.tasks)
            .outerjoin(sources.flights, flights.id == tasks.flight_id)
            .join(sources.aircraft, aircraft.id == aircraft_id)
            .where(aircraft.name.icontains(text, escape="\\"))
        )
        self._conditions: dict[str, ColumnElement[bool]] = {
            "task_id": record.task_id == bindparam("task_id"),
            "executor_id": record.executor_id == bindparam("executor_id"),
            "inspection_status": record.inspection_status == bindparam("inspection_status"),
            "record_state": record.record_state == bindparam("record_state"),
            "reference_image_id": record.reference_image_id == bindparam("reference_image_id"),
            "flight_id": record.task_id.in_(of_flight),
            "aircraft_id": record.task_id.in_(of_aircraft),
            "executor_name": record.executor_id.in_(executor_ids),
            "q": or_(
                record.inspection_name.icontains(text, escape="\\"),
                record.executor_id.in_(of_person),
                record.task_id.in_(of_named_aircraft),
            ),
            "start_time_from": record.start_time >= bindparam("start_time_from"),
            "start_time_to": record.start_time <= bindparam("start_time_to"),
            "end_time_from": record.end_time >= bindparam("end_time_from"),
            "end_time_to": record.end_time <= bindparam("end_time_to"),
            **_counted_conditions(),
            **_work_conditions(),
        }
        self._by_due = [
            flights.scheduled_at.is_(None),
            flights.scheduled_at,
            aircraft.name.is_(None),
            aircraft.name,
            *_newest_first(record),
        ]
        self._counts: dict[tuple[str, ...], Select[Any]] = {}
        self._pages: dict[tuple[tuple[str, ...], bool], Select[Any]] = {}

    def count(self, filters: Iterable[str]) -> Select[Any]:
        """How many records pass the filters of these names, as `total`, and `last_change`; see `page`."""
        key = tuple(sorted(filters))
        if key not in self._counts:
            total = func.count().label("total")
            statement = select(total, self._last_change).select_from(RECORD)
            self._counts[key] = statement.where(*(self._conditions[name] for name in key))
        return self._counts[key]

    def _page_by_due(self, filters: Iterable[str]) -> Select[Any]:
        full = select(*COLUMNS, self._last_change).select_from(joined(RECORD))
        matching = full.where(*(self._conditions[name] for name in filters)).order_by(*self._by_due)
        return matching.limit(bindparam("size")).offset(bindparam("skip"))

    def work_count(self, kind: Work) -> Select[Any]:
        """How many records there are of a kind of work, at most `MAX_COUNT`; takes its `work_values`."""
        names = {Work.MINE: ("work_mine", "executor_id"), Work.NEWS: ("work_news", "work_by_others")}
        conditions = (self._conditions[name] for name in names.get(kind, (f"work_{kind}",)))
        found = select(RECORD.c.inspection_id).where(*conditions).limit(MAX_COUNT).subquery()
        return select(func.count()).select_from(found)

    def page(self, filters: Iterable[str], *, few: bool = False) -> Select[Any]:
        """The full records that pass the filters of these names, newest first, from `skip`, at most `size`.

        Records with work to be done are ordered by the time of their flight, then by aircraft.

        Takes a parameter of each filter. The page is cut on the index alone and joined afterwards, so what a
        deep page skips is never joined. `few` records pass the filters: they are found by an index of a
        filter and sorted, not looked for in the order of all records. `last_change` is the number of the
        last change that the statement saw, the same in each row.
        """
        key = (tuple(sorted(filters)), few)
        if key not in self._pages and any(name.startswith("work_") for name in key[0]):
            self._pages[key] = self._page_by_due(key[0])
        if key not in self._pages:
            columns = (RECORD.c.created_at, RECORD.c.inspection_id)
            passing = select(*columns).where(*(self._conditions[name] for name in key[0]))
            ordered = passing.order_by(*_newest_first(RECORD.c))
            if few:
                # Both planners would prefer an index in the order of the page, whatever it skips.
                found = passing.cte("found").prefix_with("MATERIALIZED")
                ordered = select(found).order_by(*_newest_first(found.c))
            cut = ordered.limit(bindparam("size")).offset(bindparam("skip")).subquery()
            page = cut.join(RECORD, RECORD.c.inspection_id == cut.c.inspection_id)
            self._pages[key] = (
                select(*COLUMNS, self._last_change)
                .select_from(joined(page))
                .order_by(*_newest_first(RECORD.c))
            )
        return self._pages[key]


def _counted_conditions() -> dict[str, ColumnElement[bool]]:
    """The filters by what statistics counts, so that a chart leads to the records behind it."""
    records, items = sources.counted_records.c, sources.counted_items.c

    def of_records(condition: ColumnElement[bool]) -> ColumnElement[bool]:
        return RECORD.c.inspection_id.in_(select(records.id).where(condition))

    def of_items(measure: str, *conditions: ColumnElement[bool]) -> ColumnElement[bool]:
        record_ids = select(items.record_id).where(items.measure == measure, *conditions)
        return RECORD.c.inspection_id.in_(record_ids)

    measures = {
        "finding_label": "label",
        "finding_region": "region",
        "model_shown": "shown",
        "model_rejected": "rejected",
        "model_missed": "missed",
    }
    return {
        "day_from": of_records(records.day >= bindparam("day_from")),
        "day_to": of_records(records.day <= bindparam("day_to")),
        "without_aircraft": of_records(records.aircraft_id == ""),
        "timed": of_records(records.seconds.is_not(None)),
        "with_findings": of_items("region"),
        **{name: of_items(measure, items.name == bindparam(name)) for name, measure in measures.items()},
    }


def _work_conditions() -> dict[str, ColumnElement[bool]]:
    """The filters by what is to be done (`shared.wire.shift.Work`)."""
    record, item, edition = RECORD.c, ITEM.c, EDITION.c
    is_open = record.record_state.in_([str(Status.NOT_STARTED), str(Status.IN_PROGRESS)])

    def has_item(*conditions: ColumnElement[bool]) -> ColumnElement[bool]:
        return exists().where(item.inspection_id == record.inspection_id, *conditions).correlate(RECORD)

    # An edition is made only after the one before it was reopened, so this is the newest one.
    awaits_release = exists().where(
        edition.inspection_id == record.inspection_id,
        edition.needs_release,
        edition.released_at.is_(None),
        edition.reopened_at.is_(None),
    )
    later = RECORD.alias("later")
    repaired = exists().where(
        later.c.reference_image_id == record.reference_image_id,
        later.c.created_at > record.created_at,
        later.c.record_state == str(Status.PASSED),
    )
    failed = record.record_state == str(Status.FAILED)
    return {
        "work_mine": is_open,
        "work_open": is_open,
        "work_undecided": is_open & has_item(item.verdict == str(Verdict.UNDECIDED), item.detected),
        "work_review": record.record_state.in_([str(Status.PASSED), str(Status.FAILED)])
        & awaits_release.correlate(RECORD),
        "work_failed": or_(failed, is_open & has_item(item.verdict == str(Verdict.FAILED)))
        & ~repaired.correlate(RECORD),
        "work_news": record.updated_at > bindparam("work_news"),
        "work_by_others": or_(record.updated_by.is_(None), record.updated_by != bindparam("work_by_others")),
    }


def _newest_first(columns: ReadOnlyColumnCollection[str, Any]) -> list[UnaryExpression[Any]]:
    return [columns.created_at.desc(), columns.inspection_id.desc()]


def like(text: str) -> str:
    r"""`text` for a LIKE with ESCAPE '\' in which every character stands for itself."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
