"""Builds the Core statements of searches and lists, and writes their rows as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    FromClause,
    Row,
    Select,
    UnaryExpression,
    bindparam,
    exists,
    func,
    insert,
    or_,
    select,
)
from sqlalchemy.sql.base import ReadOnlyColumnCollection
from sqlmodel import Session

from service.inspection import sources
from service.inspection.rules import outcome
from service.inspection.tables import EDITION, ITEM, ITEM_ORDER, PHOTO, RECORD
from shared.record import results
from shared.record.codes import STATUS_NAMES, Status, Verdict
from shared.record.entries import Entry
from shared.wire.shift import MAX_COUNT, Work

RecordRow = Row[*tuple[Any, ...]]
ItemRow = Row[*tuple[Any, ...]]


# What a record takes of other tables, behind its own columns.
_JOINED = ("executor_name", "reference_image_name", "flight_id", "aircraft_id", "aircraft_name")


class RecordQueries:
    """Statements that read records with their joined fields."""

    def __init__(self) -> None:
        record = RECORD.c
        tasks, flights, aircraft = sources.tasks.c, sources.flights.c, sources.aircraft.c
        executors, images = sources.executors.c, sources.reference_images.c
        aircraft_id = func.coalesce(tasks.aircraft_id, flights.aircraft_id)
        self._columns = (
            *record,
            *(
                column.label(name)
                for name, column in zip(
                    _JOINED,
                    (executors.name, images.name, tasks.flight_id, aircraft_id, aircraft.name),
                    strict=True,
                )
            ),
        )

        def joined(start: FromClause) -> FromClause:
            return (
                start.outerjoin(sources.executors, executors.id == record.executor_id)
                .outerjoin(sources.reference_images, images.id == record.reference_image_id)
                .outerjoin(sources.tasks, tasks.id == record.task_id)
                .outerjoin(sources.flights, flights.id == tasks.flight_id)
                .outerjoin(sources.aircraft, aircraft.id == aircraft_id)
            )

        self._joined = joined
        self._last_change = sources.last_change.label("last_change")
        updaters = sources.executors.alias("updaters")
        self.by_id = (
            select(*self._columns, updaters.c.name_with_username.label("updated_by_name"))
            .select_from(joined(RECORD).outerjoin(updaters, updaters.c.id == record.updated_by))
            .where(record.inspection_id == bindparam("inspection_id"))
        )
        self.insert = insert(RECORD)
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
        full = select(*self._columns, self._last_change).select_from(self._joined(RECORD))
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
                select(*self._columns, self._last_change)
                .select_from(self._joined(page))
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


class ItemQueries:
    """Statements that read items with the model's name, and photos."""

    def __init__(self) -> None:
        item, models = ITEM.c, sources.models.c
        full = (
            select(*item, models.name.label("model_name"), models.description.label("model_description"))
            .select_from(ITEM)
            .outerjoin(sources.models, models.id == item.model_id)
        )
        of_record = item.inspection_id == bindparam("inspection_id")
        updaters = sources.executors.alias("updaters")
        self.by_id = (
            full.add_columns(updaters.c.name_with_username.label("updated_by_name"))
            .outerjoin(updaters, updaters.c.id == item.updated_by)
            .where(item.item_id == bindparam("item_id"))
        )
        self.all = full.where(of_record).order_by(*ITEM_ORDER)
        self.page = self.all.limit(bindparam("size")).offset(bindparam("skip"))
        sized = self.page.with_only_columns(item.result, item.item_point).subquery().c
        text_length = func.length(sized.result) + func.coalesce(func.length(sized.item_point), 0)
        self.page_length = select(func.coalesce(func.sum(text_length), 0))
        self.count = select(func.count()).select_from(ITEM).where(of_record)

        photo, executors = PHOTO.c, sources.executors.c
        photos = (
            select(*photo, executors.name_with_username.label("added_by_name"))
            .select_from(PHOTO)
            .outerjoin(sources.executors, executors.id == photo.added_by)
            .order_by(photo.created_at.desc(), photo.photo_id.desc())
        )
        self.photos = photos.where(photo.item_id == bindparam("item_id"))
        self.record_photos = photos.join(ITEM, item.item_id == photo.item_id).where(of_record)


@dataclass(frozen=True, slots=True)
class Updater:
    """Who last changed a thing by hand; the name is None when the person is not known any more."""

    user_id: str
    name: str | None


def updater(row: RecordRow | ItemRow) -> Updater | None:
    """Who last changed the thing of a row of `one`; None when that is not known."""
    return None if row.updated_by is None else Updater(row.updated_by, row.updated_by_name)


# The names of a record's fields in their order, and the column that each is made of.
_FIELDS = {
    "inspection_id": "inspection_id",
    "inspection_name": "inspection_name",
    "task_id": "task_id",
    "executor_id": "executor_id",
    "executor_name": "executor_name",
    "reference_image_id": "reference_image_id",
    "reference_image_name": "reference_image_name",
    "progress": "progress",
    "start_time": "start_time",
    "end_time": "end_time",
    "inspection_status": "inspection_status",
    "status_name": "inspection_status",
    "flight_id": "flight_id",
    "aircraft_id": "aircraft_id",
    "aircraft_name": "aircraft_name",
    "created_at": "created_at",
    "updated_at": "updated_at",
}
_COLUMNS = (*RECORD.c.keys(), *_JOINED)
# By place: by name it takes four times as long, which is a sixth of the time of a page.
_field_values = itemgetter(*(_COLUMNS.index(name) for name in _FIELDS.values()))


def record_body(row: RecordRow) -> dict[str, Any]:
    """The record of a row of `RecordQueries` with the fields of the contract; its times are datetimes."""
    body = dict(zip(_FIELDS, _field_values(row), strict=True))
    body["status_name"] = STATUS_NAMES[body["inspection_status"]]
    return body


def json_text(value: Any) -> str:
    """`value` as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


_PHOTOS_OF_RECORD = (
    select(PHOTO.c.item_id, PHOTO.c.file_id)
    .join(ITEM, ITEM.c.item_id == PHOTO.c.item_id)
    .where(ITEM.c.inspection_id == bindparam("inspection_id"))
    .order_by(PHOTO.c.created_at, PHOTO.c.photo_id)
)


def newest_photos(session: Session, inspection_id: str) -> dict[str, str]:
    """The file of the newest photo of each item of a record that has one, by the item's id."""
    rows = session.execute(_PHOTOS_OF_RECORD, {"inspection_id": inspection_id})
    # The last photo of an item is the newest one.
    return {row.item_id: row.file_id for row in rows}


def result_values(entries: Sequence[Entry]) -> dict[str, Any]:
    """The columns of an item that result entries come to."""
    return {
        "result": json_text(entries),
        "outcome": str(outcome(entries)),
        "verdict": str(results.current_verdict(entries)),
        "detected": results.finished_detection(entries) is not None,
    }


def item_json(row: ItemRow) -> str:
    """The item of a row of `ItemQueries` as JSON; `item_point` and `result` pass through as stored."""
    before = json_text(
        {
            "item_id": row.item_id,
            "item_name": row.item_name,
            "inspection_id": row.inspection_id,
            "description": row.description,
            "model_id": row.model_id,
            "model_name": row.model_name,
            "model_description": row.model_description,
        }
    )
    point = "null" if row.item_point is None else row.item_point
    return (
        f'{before[:-1]},"item_point":{point},"result":{row.result},'
        f'"created_at":"{row.created_at.isoformat()}Z","updated_at":"{row.updated_at.isoformat()}Z"}}'
    )
