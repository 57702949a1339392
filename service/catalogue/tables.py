"""Defines the catalogue tables: aircraft, flights, tasks, reference images."""

import datetime as dt
from typing import Any

from sqlalchemy import JSON, Double, Index, Text
from sqlmodel import Field

from service.db.database import Base, UtcTime, now
from shared.ids import new_id


class Entry(Base):
    """The common columns of all tables. Every change replaces `version`, which is the entry's ETag."""

    version: int = 1
    created_at: dt.datetime = Field(default_factory=now, sa_type=UtcTime)
    updated_at: dt.datetime = Field(default_factory=now, sa_type=UtcTime)


class AircraftRow(Entry, table=True):
    """An aircraft."""

    __tablename__ = "aircraft"
    __table_args__ = (Index(None, "created_at", "aircraft_id"),)

    aircraft_id: str = Field(default_factory=new_id, max_length=36, primary_key=True)
    aircraft_name: str = Field(max_length=255)
    registration: str | None = Field(default=None, max_length=255)
    aircraft_type: str | None = Field(default=None, max_length=255)


class FlightRow(Entry, table=True):
    """A flight."""

    __tablename__ = "flight"
    __table_args__ = (Index(None, "created_at", "flight_id"),)

    flight_id: str = Field(default_factory=new_id, max_length=36, primary_key=True)
    flight_number: str = Field(max_length=255)
    aircraft_id: str | None = Field(
        default=None, max_length=36, index=True, foreign_key="aircraft.aircraft_id"
    )
    departure: str | None = Field(default=None, max_length=255)
    arrival: str | None = Field(default=None, max_length=255)
    scheduled_at: dt.datetime | None = Field(default=None, sa_type=UtcTime)


class TaskRow(Entry, table=True):
    """A task. If it has no aircraft, it belongs to the aircraft of its flight."""

    __tablename__ = "task"
    __table_args__ = (Index(None, "created_at", "task_id"),)

    task_id: str = Field(default_factory=new_id, max_length=36, primary_key=True)
    task_name: str = Field(max_length=255)
    flight_id: str | None = Field(default=None, max_length=36, index=True, foreign_key="flight.flight_id")
    aircraft_id: str | None = Field(
        default=None, max_length=36, index=True, foreign_key="aircraft.aircraft_id"
    )
    description: str | None = Field(default=None, sa_type=Text)


class ReferenceImageRow(Entry, table=True):
    """A reference image. `template` is the list of `shared.wire.catalogue.TemplateRegion` as JSON."""

    __tablename__ = "reference_image"
    __table_args__ = (Index(None, "created_at", "reference_image_id"),)

    reference_image_id: str = Field(default_factory=new_id, max_length=36, primary_key=True)
    reference_image_name: str = Field(max_length=255)
    file_id: str = Field(max_length=36)
    aircraft_id: str | None = Field(
        default=None, max_length=36, index=True, foreign_key="aircraft.aircraft_id"
    )
    mm_per_pixel: float | None = Field(default=None, sa_type=Double)
    template: list[dict[str, Any]] = Field(default_factory=list, sa_type=JSON)
