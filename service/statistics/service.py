"""Counts changes, answers charts from the sums, and recounts everything on request."""

import asyncio
import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Annotated, Any

from pydantic import Field
from sqlalchemy import ColumnElement, Connection, Select, delete, func, or_, select, union_all
from sqlmodel import Session, col

from service.catalogue.tables import AircraftRow
from service.db.database import Database
from service.db.upsert import insert_or_ignore
from service.detection.tables import ModelRow
from service.statistics import counting, rules
from service.statistics.rules import AGREEMENT, MODEL_SIGN, Cell, Division, Measure, Scope
from service.statistics.tables import ITEM, RECORD, SUM
from service.web.envelope import Problem
from shared.record.codes import ErrorCode
from shared.wire.common import Day, EmptyAsNull, OptionalId, WireModel
from shared.wire.statistics import Chart, Durations, FindingsBy, ModelAgreement, Series

MAX_SERIES = 8
"""How many of the largest names have their own series: people cannot distinguish more colours."""
SLICE = 500
"""How many records are recounted in one transaction; other transactions can write in between."""

_FINDING_MEASURES = {
    FindingsBy.LABEL: Measure.LABEL,
    FindingsBy.AIRCRAFT: Measure.AIRCRAFT,
    FindingsBy.REGION: Measure.REGION,
}
_COMPLETE = select(SUM.c.amount).where(
    *(SUM.c[name] == value for name, value in rules.COMPLETE._asdict().items())
)
_FirstDay = Annotated[
    Day | None,
    EmptyAsNull,
    Field(description="First day that is counted; at most ten years are counted"),
]
_LastDay = Annotated[Day | None, EmptyAsNull, Field(description="Last day that is counted; today if missing")]


class ChartQuery(WireModel):
    """What a chart counts: records of these days, of this aircraft and this executor; they combine with AND.

    A record is counted on the day of its start, or of its creation where it has none, by the clock of the
    service's machine.
    """

    day_from: _FirstDay = None
    day_to: _LastDay = None
    aircraft_id: OptionalId = None
    executor_id: OptionalId = None


class StatisticsService:
    """The sums of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._count_task: asyncio.Task[None] | None = None
        self._is_stopping = False

    # Counting

    def start(self) -> asyncio.Task[None]:
        """Count existing records in the background if they were never counted; return the task."""
        self._count_task = asyncio.create_task(self._count_if_incomplete())
        return self._count_task

    async def stop(self) -> None:
        """Stop counting; the next start continues."""
        self._is_stopping = True
        if self._count_task is not None:
            await self._count_task

    async def _count_if_incomplete(self) -> None:
        if not await self._database.fetch(_is_complete):
            await asyncio.to_thread(self._count_all)

    def rebuild(self) -> int:
        """Delete every sum and recount all records, also while the service runs; return their number."""

        def forget(session: Session) -> None:
            for table in (SUM, ITEM, RECORD):
                session.execute(delete(table))

        self._database.write_now(forget)
        return self._count_all()

    def _count_all(self) -> int:
        """Count every record; return their number.

        Each slice has its own transaction. A record that changes at the same time is counted by its change,
        and its slice then finds nothing to add. Therefore two processes may count at the same time.
        """
        last_mark: counting.Mark | None = None
        count = 0
        while not self._is_stopping:
            marks = self._database.write_now(partial(self._count_slice, last_mark=last_mark))
            if not marks:
                self._database.write_now(_mark_complete)
                break
            last_mark, count = marks[-1], count + len(marks)
        return count

    def _count_slice(self, session: Session, last_mark: counting.Mark | None) -> Sequence[counting.Mark]:
        # The order is that of creation: records of the same days share their sums.
        marks = counting.next_records(session, last_mark, SLICE)
        if marks:
            ids = [inspection_id for _, inspection_id in marks]
            counting.count(session, ids, set(counting.item_ids_of_records(session, ids)))
        return marks

    # Charts

    async def records(self, query: ChartQuery) -> Chart:
        """Return the chart of records by state."""
        return await self._chart(Measure.STATE, query)

    async def findings(self, query: ChartQuery, by: FindingsBy) -> Chart:
        """Return the chart of present findings by label, aircraft or region."""
        return await self._chart(_FINDING_MEASURES[by], query)

    async def durations(self, query: ChartQuery) -> Durations:
        """Return the chart of the durations of ended records."""

        def work(connection: Connection) -> Durations:
            parts, amounts = _read_amounts(connection, (Measure.FINISHED, Measure.SECONDS), query)
            zeros = [0] * len(parts.starts)
            return Durations(
                periods=parts.periods,
                records=amounts.get((Measure.FINISHED, ""), zeros),
                seconds=amounts.get((Measure.SECONDS, ""), zeros),
            )

        return await self._database.fetch(work)

    async def agreement(self, query: ChartQuery) -> list[ModelAgreement]:
        """Return how people judged each model's findings, the version with most findings first."""

        def work(session: Session) -> list[ModelAgreement]:
            _, amounts_by_key = _read_amounts(session.connection(), AGREEMENT, query)
            sums: defaultdict[str, dict[str, int]] = defaultdict(dict)
            for (measure, name), amounts in amounts_by_key.items():
                sums[name][measure] = sum(amounts)
            models = {name: name.rpartition(MODEL_SIGN) for name in sums}
            titles = _names(session, ModelRow.model_id, ModelRow.name, {key for key, _, _ in models.values()})
            agreements = [
                ModelAgreement(
                    name=name,
                    model_id=model_id,
                    model_name=titles.get(model_id),
                    model_version=version,
                    **{measure: sums[name].get(measure, 0) for measure in AGREEMENT},
                )
                for name, (model_id, _, version) in models.items()
            ]
            return sorted(
                agreements, key=lambda agreement: (-agreement.shown - agreement.missed, agreement.name)
            )[:MAX_SERIES]

        return await self._database.read(work)

    async def _chart(self, measure: Measure, query: ChartQuery) -> Chart:
        def work(session: Session) -> Chart:
            parts, amounts = _read_amounts(session.connection(), (measure,), query)
            ranking = sorted(amounts, key=lambda key: (-sum(amounts[key]), key))
            charted, others = ranking[:MAX_SERIES], ranking[MAX_SERIES:]
            names = {name for _, name in charted}
            is_by_aircraft = measure is Measure.AIRCRAFT
            columns = AircraftRow.aircraft_id, AircraftRow.aircraft_name
            titles = _names(session, *columns, names) if is_by_aircraft else {}
            return Chart(
                periods=parts.periods,
                series=[
                    Series(name=name, title=titles.get(name), amounts=amounts[key, name])
                    for key, name in charted
                ],
                others=[sum(column) for column in zip(*(amounts[key] for key in others), strict=True)]
                or None,
            )

        return await self._database.read(work)


def _names(session: Session, key: str, name: str, ids: Collection[str]) -> Mapping[str, str]:
    """The values of the column `name` by those of `key`, of the rows with these `ids`."""
    query = select(col(key), col(name)).where(col(key).in_(ids))
    return {row[0]: row[1] for row in session.execute(query)}


def _is_complete(connection: Connection) -> bool:
    return connection.execute(_COMPLETE).first() is not None


def _mark_complete(session: Session) -> None:
    insert_or_ignore(session, SUM, [{**rules.COMPLETE._asdict(), "amount": 1}], list(Cell._fields))


def _read_amounts(
    connection: Connection, measures: Sequence[Measure], query: ChartQuery
) -> tuple[Division, Mapping[tuple[str, str], list[int]]]:
    """Return the parts of the days, and the amounts of each part by measure and name, without all-zero ones.

    Raises Problem 503 until every record was counted.
    """
    if not _is_complete(connection):
        raise Problem(503, ErrorCode.UNAVAILABLE, "统计数据正在生成，请稍后重试")
    scope, aircraft_id, executor_id = _scope(query)
    conditions = (
        SUM.c.measure.in_([str(measure) for measure in measures]),
        SUM.c.aircraft_id == aircraft_id,
        SUM.c.executor_id == executor_id,
    )
    last = (query.day_to or dt.date.today()).toordinal()
    if query.day_from is not None:
        first = query.day_from.toordinal()
    else:
        first_day = select(func.min(SUM.c.day)).where(
            *conditions, SUM.c.scope == int(scope), SUM.c.amount != 0
        )
        first = connection.execute(first_day).scalar_one() or last
    parts = rules.division(first, last)
    places = {start: index for index, start in enumerate(parts.starts)}
    amounts_by_key: dict[tuple[str, str], list[int]] = {}
    for measure, name, day, amount in connection.execute(_statement(parts, scope, conditions)):
        amounts = amounts_by_key.setdefault((measure, name), [0] * len(places))
        amounts[places[parts.part_start(day)]] += int(amount)
    return parts, {key: amounts for key, amounts in amounts_by_key.items() if any(amounts)}


def _scope(query: ChartQuery) -> tuple[Scope, str, str]:
    scope = Scope.ALL
    if query.aircraft_id is not None:
        scope |= Scope.AIRCRAFT
    if query.executor_id is not None:
        scope |= Scope.EXECUTOR
    return scope, query.aircraft_id or "", query.executor_id or ""


def _statement(parts: Division, scope: Scope, conditions: Sequence[ColumnElement[bool]]) -> Select[Any]:
    """Select measure, name, first day and amount of each part.

    For months it uses the sums of complete months, and sums of days in the incomplete months at the ends.
    """
    months = parts.whole_months if parts.unit == "month" else None
    is_in_scope = SUM.c.scope == int(scope)
    if months is None:
        # Monday is the first of seven days: `rules.week_start`.
        start = SUM.c.day - (SUM.c.day - 1) % 7 if parts.unit == "week" else SUM.c.day
        return _sums(start, *conditions, is_in_scope, SUM.c.day.between(parts.first, parts.last))
    first, last = months
    month_sums = _sums(
        SUM.c.day, *conditions, SUM.c.scope == int(scope | Scope.MONTH), SUM.c.day.between(first, last)
    )
    is_in_partial_month = or_(
        SUM.c.day.between(parts.first, first - 1), SUM.c.day.between(rules.next_month_start(last), parts.last)
    )
    all_sums = union_all(
        month_sums, _sums(SUM.c.day, *conditions, is_in_scope, is_in_partial_month)
    ).subquery()
    return select(all_sums)


def _sums(start: ColumnElement[int], *conditions: ColumnElement[bool]) -> Select[Any]:
    day = start.label("start")
    return (
        select(SUM.c.measure, SUM.c.name, day, func.sum(SUM.c.amount).label("amount"))
        .where(*conditions)
        .group_by(SUM.c.measure, SUM.c.name, day)
    )
