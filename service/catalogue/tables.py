"""Tables of the catalogue: aircraft, flights, tasks, reference images."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.database import Base, now


def _new_id() -> str:
    return str(uuid.uuid4())


class Entry(Base):
    """What every table of the catalogue has. `version` counts the changes; it is the entry's ETag."""

    __abstract__ = True

    version: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[dt.datetime] = mapped_column(default=now)
    updated_at: Mapped[dt.datetime] = mapped_column(default=now)


class AircraftRow(Entry):
    """An aircraft."""

    __tablename__ = "aircraft"
    __table_args__ = (Index(None, "created_at", "aircraft_id"),)

    aircraft_id: Mapped[str] = mapped_column(String(36), primary_key=True, default=_new_id)
    aircraft_name: Mapped[str] = mapped_column(String(255))
    registration: Mapped[str | None] = mapped_column(String(255))
    aircraft_type: Mapped[str | None] = mapped_column(String(255))


class FlightRow(Entry):
    """A flight."""

    __tablename__ = "flight"
    __table_args__ = (Index(None, "created_at", "flight_id"),)

    flight_id: Mapped[str] = mapped_column(String(36), primary_key=True, default=_new_id)
    flight_number: Mapped[str] = mapped_column(String(255))
    aircraft_id: Mapped[str | None] = mapped_column(ForeignKey("aircraft.aircraft_id"), index=True)
    departure: Mapped[str | None] = mapped_column(String(255))
    arrival: Mapped[str | None] = mapped_column(String(255))
    scheduled_at: Mapped[dt.datetime | None]


class TaskRow(Entry):
    """A task. Without an aircraft of its own it is about the aircraft of its flight."""

    __tablename__ = "task"
    __table_args__ = (Index(None, "created_at", "task_id"),)

    task_id: Mapped[str] = mapped_column(String(36), primary_key=True, default=_new_id)
    task_name: Mapped[str] = mapped_column(String(255))
    flight_id: Mapped[str | None] = mapped_column(ForeignKey("flight.flight_id"), index=True)
    aircraft_id: Mapped[str | None] = mapped_column(ForeignKey("aircraft.aircraft_id"), index=True)
    description: Mapped[str | None] = mapped_column(Text)


class ReferenceImageRow(Entry):
    """A reference image. `template` is the list of `shared.wire.catalogue.TemplateRegion` as JSON."""

    __tablename__ = "reference_image"
    __table_args__ = (Index(None, "created_at", "reference_image_id"),)

    reference_image_id: Mapped[str] = mapped_column(String(36), primary_key=True, default=_new_id)
    reference_image_name: Mapped[str] = mapped_column(String(255))
    file_id: Mapped[str] = mapped_column(String(36))
    aircraft_id: Mapped[str | None] = mapped_column(ForeignKey("aircraft.aircraft_id"), index=True)
    mm_per_pixel: Mapped[float | None]
    template: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
