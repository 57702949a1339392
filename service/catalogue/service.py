"""Defines the four repositories of the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, func
from sqlalchemy.orm import Mapped
from sqlmodel import Session, col, or_, select
from sqlmodel.sql.expression import SelectOfScalar

from service.catalogue.repository import ListQuery, Repository, VersionedEntry
from service.catalogue.tables import AircraftRow, Entry, FlightRow, ReferenceImageRow, TaskRow
from service.db.database import Database
from service.files.lookup import file_info
from service.web.envelope import Problem
from service.web.security import Caller
from shared.record.codes import ErrorCode
from shared.wire.catalogue import Aircraft, Flight, ReferenceImage, Task, TemplateRegion
from shared.wire.common import Page

RecordCount = Callable[[Session, str], int]
"""Returns how many records refer to an entry by its id; a function of inspection, which is above."""


class RecordCounts(NamedTuple):
    """Counts the records that refer to a task or a reference image."""

    of_task: RecordCount
    of_reference_image: RecordCount


def _field_conflict(field: str, msg: str) -> Problem:
    # 409, not 422: the body is well-formed but conflicts with the current catalogue.
    fields = [{"field": field, "type": "unknown", "message": msg}]
    return Problem(409, ErrorCode.CONFLICT, msg, fields=fields)


def _require_entry(session: Session, table: type[Entry], field: str, value: str | None, msg: str) -> None:
    if value is not None and session.get(table, value) is None:
        raise _field_conflict(field, msg)


def _count(session: Session, column: Mapped[Any], value: str) -> int:
    return session.exec(select(func.count()).where(column == value)).first() or 0


def _aircraft_by_name(text: str) -> SelectOfScalar[str]:
    return select(AircraftRow.aircraft_id).where(
        col(AircraftRow.aircraft_name).icontains(text, autoescape=True)
    )


def _aircraft_name(session: Session, aircraft_id: str | None) -> str | None:
    aircraft = None if aircraft_id is None else session.get(AircraftRow, aircraft_id)
    return None if aircraft is None else aircraft.aircraft_name


class AircraftRepository(Repository[AircraftRow, Aircraft]):
    """Aircraft."""

    row = AircraftRow
    kind = "aircraft"
    missing_message = "飞机不存在"
    search_columns = (
        col(AircraftRow.aircraft_name),
        col(AircraftRow.registration),
        col(AircraftRow.aircraft_type),
    )

    def view(self, session: Session, row: AircraftRow) -> Aircraft:
        """Return the aircraft as a body of the API."""
        return Aircraft.model_validate(row, from_attributes=True)

    def references(self, session: Session, row: AircraftRow) -> dict[str, int]:
        """Count flights, tasks and reference images of the aircraft."""
        return {
            "flight": _count(session, col(FlightRow.aircraft_id), row.aircraft_id),
            "task": _count(session, col(TaskRow.aircraft_id), row.aircraft_id),
            "reference_image": _count(session, col(ReferenceImageRow.aircraft_id), row.aircraft_id),
        }


class FlightRepository(Repository[FlightRow, Flight]):
    """Flights."""

    row = FlightRow
    kind = "flight"
    missing_message = "航班不存在"
    search_columns = (col(FlightRow.flight_number), col(FlightRow.departure), col(FlightRow.arrival))

    def view(self, session: Session, row: FlightRow) -> Flight:
        """Return the flight with the name of its aircraft."""
        return Flight(
            flight_id=row.flight_id,
            flight_number=row.flight_number,
            aircraft_id=row.aircraft_id,
            aircraft_name=_aircraft_name(session, row.aircraft_id),
            departure=row.departure,
            arrival=row.arrival,
            scheduled_at=row.scheduled_at,
            created_at=row.created_at,
            updated_at=row.updated_at,
        )

    def parent_conditions(self, text: str) -> Sequence[ColumnElement[bool]]:
        """Return a condition for flights of an aircraft with `text` in its name."""
        return [col(FlightRow.aircraft_id).in_(_aircraft_by_name(text))]

    def check(self, session: Session, values: Mapping[str, Any]) -> None:
        """Raise Problem 409 if the aircraft does not exist."""
        _require_entry(
            session, AircraftRow, "aircraft_id", values.get("aircraft_id"), AircraftRepository.missing_message
        )

    def references(self, session: Session, row: FlightRow) -> dict[str, int]:
        """Count the tasks of the flight."""
        return {"task": _count(session, col(TaskRow.flight_id), row.flight_id)}


class TaskRepository(Repository[TaskRow, Task]):
    """Tasks. Records refer to them by id."""

    row = TaskRow
    kind = "task"
    missing_message = "任务不存在"
    search_columns = (col(TaskRow.task_name), col(TaskRow.description))

    def __init__(self, database: Database, count_records: RecordCount) -> None:
        super().__init__(database)
        self.count_records = count_records

    def view(self, session: Session, row: TaskRow) -> Task:
        """Return the task with its flight number and its aircraft, by default the aircraft of the flight."""
        flight = None if row.flight_id is None else session.get(FlightRow, row.flight_id)
        aircraft_id = row.aircraft_id or (flight.aircraft_id if flight else None)
        return Task(
            task_id=row.task_id,
            task_name=row.task_name,
            flight_id=row.flight_id,
            flight_number=flight.flight_number if flight else None,
            aircraft_id=aircraft_id,
            aircraft_name=_aircraft_name(session, aircraft_id),
            description=row.description,
            created_at=row.created_at,
            updated_at=row.updated_at,
        )

    def parent_conditions(self, text: str) -> Sequence[ColumnElement[bool]]:
        """Return conditions for tasks of a flight or an aircraft with `text` in its number or name."""
        has_number = col(FlightRow.flight_number).icontains(text, autoescape=True)
        flight_ids = select(FlightRow.flight_id).where(
            col(FlightRow.aircraft_id).in_(_aircraft_by_name(text))
        )
        return [
            col(TaskRow.flight_id).in_(select(FlightRow.flight_id).where(has_number)),
            col(TaskRow.aircraft_id).in_(_aircraft_by_name(text)),
            col(TaskRow.aircraft_id).is_(None) & col(TaskRow.flight_id).in_(flight_ids),
        ]

    def check(self, session: Session, values: Mapping[str, Any]) -> None:
        """Raise Problem 409 if flight or aircraft do not exist."""
        _require_entry(
            session, FlightRow, "flight_id", values.get("flight_id"), FlightRepository.missing_message
        )
        _require_entry(
            session, AircraftRow, "aircraft_id", values.get("aircraft_id"), AircraftRepository.missing_message
        )

    def references(self, session: Session, row: TaskRow) -> dict[str, int]:
        """Count the records of the task."""
        return {"record": self.count_records(session, row.task_id)}


class ReferenceImageRepository(Repository[ReferenceImageRow, ReferenceImage]):
    """Reference images. Records refer to them by id."""

    row = ReferenceImageRow
    kind = "reference_image"
    missing_message = "参考图不存在"
    search_columns = (col(ReferenceImageRow.reference_image_name),)

    def __init__(self, database: Database, count_records: RecordCount) -> None:
        super().__init__(database)
        self.count_records = count_records

    def view(self, session: Session, row: ReferenceImageRow) -> ReferenceImage:
        """Return the reference image with the facts about its file."""
        return _reference_image(session, row)

    def parent_conditions(self, text: str) -> Sequence[ColumnElement[bool]]:
        """Return a condition for reference images of an aircraft with `text` in its name."""
        return [col(ReferenceImageRow.aircraft_id).in_(_aircraft_by_name(text))]

    def check(self, session: Session, values: Mapping[str, Any]) -> None:
        """Raise Problem 409 if the file is not an uploaded image or the aircraft does not exist."""
        if "file_id" in values:
            file = file_info(session, values["file_id"])
            if file is None:
                raise _field_conflict("file_id", "图片文件不存在，请先上传参考图文件")
            if file.width is None:
                raise _field_conflict("file_id", "该文件不是图片，请上传 JPEG、PNG、WebP、TIFF 或 BMP 图片")
        _require_entry(
            session, AircraftRow, "aircraft_id", values.get("aircraft_id"), AircraftRepository.missing_message
        )

    def references(self, session: Session, row: ReferenceImageRow) -> dict[str, int]:
        """Count the records of the reference image."""
        return {"record": self.count_records(session, row.reference_image_id)}


class CatalogueService:
    """The repositories of the catalogue."""

    def __init__(self, database: Database, records: RecordCounts) -> None:
        self.aircraft = AircraftRepository(database)
        self.flights = FlightRepository(database)
        self.tasks = TaskRepository(database, records.of_task)
        self.reference_images = ReferenceImageRepository(database, records.of_reference_image)

    async def list_flights(self, query: ListQuery, aircraft_id: str | None) -> Page[Flight]:
        """Return a page of flights, of one aircraft if `aircraft_id` is given."""
        filters = [] if aircraft_id is None else [col(FlightRow.aircraft_id) == aircraft_id]
        return await self.flights.list(query, *filters)

    async def list_tasks(
        self, query: ListQuery, flight_id: str | None, aircraft_id: str | None
    ) -> Page[Task]:
        """Return a page of tasks; a task without an aircraft belongs to the aircraft of its flight."""
        return await self.tasks.list(query, *_task_filters(flight_id, aircraft_id))

    async def list_reference_images(self, query: ListQuery, aircraft_id: str | None) -> Page[ReferenceImage]:
        """Return a page of reference images, of one aircraft if `aircraft_id` is given."""
        filters = [] if aircraft_id is None else [col(ReferenceImageRow.aircraft_id) == aircraft_id]
        return await self.reference_images.list(query, *filters)

    async def replace_template(
        self,
        reference_image_id: str,
        template: Sequence[TemplateRegion],
        if_match: str | None,
        caller: Caller,
    ) -> VersionedEntry[ReferenceImage]:
        """Replace the template of a reference image. Raises Problem 404, 412."""
        values = {"template": [region.model_dump(mode="json") for region in template]}
        return await self.reference_images.update(reference_image_id, values, if_match, caller)


def find_reference_image(session: Session, reference_image_id: str) -> ReferenceImage | None:
    """Return a reference image by its id; None if the catalogue does not have it."""
    row = session.get(ReferenceImageRow, reference_image_id)
    return None if row is None else _reference_image(session, row)


def _reference_image(session: Session, row: ReferenceImageRow) -> ReferenceImage:
    file = file_info(session, row.file_id)
    return ReferenceImage(
        reference_image_id=row.reference_image_id,
        reference_image_name=row.reference_image_name,
        file_id=row.file_id,
        aircraft_id=row.aircraft_id,
        aircraft_name=_aircraft_name(session, row.aircraft_id),
        mm_per_pixel=row.mm_per_pixel,
        template=[TemplateRegion.model_validate(region) for region in row.template],
        download_url=file.download_url if file else None,
        filename=file.filename if file else None,
        ipfs_cid=file.ipfs_cid if file else None,
        mime_type=file.mime_type if file else None,
        size=file.size if file else None,
        width=file.width if file else None,
        height=file.height if file else None,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _task_filters(flight_id: str | None, aircraft_id: str | None) -> list[ColumnElement[bool]]:
    filters: list[ColumnElement[bool]] = []
    if flight_id is not None:
        filters.append(col(TaskRow.flight_id) == flight_id)
    if aircraft_id is not None:
        flight_ids = select(FlightRow.flight_id).where(FlightRow.aircraft_id == aircraft_id)
        is_of_flight = col(TaskRow.aircraft_id).is_(None) & col(TaskRow.flight_id).in_(flight_ids)
        filters.append(or_(TaskRow.aircraft_id == aircraft_id, is_of_flight))
    return filters
