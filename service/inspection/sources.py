"""Names the tables and subqueries that records, items and photos are joined with.

Each `id` is unique in its source, which is only ever joined or looked up.
"""

from __future__ import annotations

from sqlmodel import col, select

from service.account.store import NAME, NAME_WITH_USERNAME
from service.account.tables import User
from service.audit.tables import HeadRow
from service.catalogue.tables import AircraftRow, FlightRow, ReferenceImageRow, TaskRow
from service.detection.tables import ModelRow
from service.statistics.tables import CountedItem, CountedRecord

executors = select(User.id, NAME, NAME_WITH_USERNAME).subquery("executors")
tasks = select(col(TaskRow.task_id).label("id"), TaskRow.flight_id, TaskRow.aircraft_id).subquery("tasks")
flights = select(
    col(FlightRow.flight_id).label("id"), FlightRow.aircraft_id, FlightRow.scheduled_at
).subquery("flights")
aircraft = select(
    col(AircraftRow.aircraft_id).label("id"), col(AircraftRow.aircraft_name).label("name")
).subquery("aircraft")
reference_images = select(
    col(ReferenceImageRow.reference_image_id).label("id"),
    col(ReferenceImageRow.reference_image_name).label("name"),
).subquery("reference_images")
models = select(
    col(ModelRow.model_id).label("id"), col(ModelRow.name).label("name"), ModelRow.description
).subquery("models")
counted_records = select(
    col(CountedRecord.inspection_id).label("id"),
    CountedRecord.day,
    CountedRecord.aircraft_id,
    CountedRecord.seconds,
).subquery("counted_records")
"""On which day (an ordinal) a record is counted, and how long it took in seconds."""
counted_items = select(
    col(CountedItem.inspection_id).label("record_id"), CountedItem.measure, CountedItem.name
).subquery("counted_items")
"""What the items of a record were counted for; not unique."""
last_change = select(HeadRow.seq).scalar_subquery()
"""The number of the newest row of the audit log: every transaction that changes a record adds one."""
