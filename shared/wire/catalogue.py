"""Bodies of the catalogue: aircraft, flights, tasks, reference images."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from shared.wire.common import CheckedJson, Id, ItemTime, LongText, Name, RequiredName, Wire
from shared.wire.inspection import Point

MmPerPixel = Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)]


class AircraftWrite(Wire):
    """Body of create and update aircraft."""

    aircraft_name: RequiredName
    registration: Name | None = None
    aircraft_type: Name | None = None


class Aircraft(AircraftWrite):
    """An aircraft."""

    aircraft_id: str
    created_at: ItemTime
    updated_at: ItemTime


class FlightWrite(Wire):
    """Body of create and update flight."""

    flight_number: RequiredName
    aircraft_id: Id | None = None
    departure: Name | None = None
    arrival: Name | None = None
    scheduled_at: ItemTime | None = None


class Flight(FlightWrite):
    """A flight; `aircraft_name` is joined."""

    flight_id: str
    aircraft_name: str | None
    created_at: ItemTime
    updated_at: ItemTime


class TaskWrite(Wire):
    """Body of create and update task. `aircraft_id` left out is taken from the flight."""

    task_name: RequiredName
    flight_id: Id | None = None
    aircraft_id: Id | None = None
    description: LongText | None = None


class Task(TaskWrite):
    """A task: what record belongs to; names are joined."""

    task_id: str
    flight_number: str | None
    aircraft_name: str | None
    created_at: ItemTime
    updated_at: ItemTime


class TemplateRegion(Wire):
    """One region of a reference image's template: a new record starts with an item of it.

    `detection` is `item_point.detection` of that item, kept as given.
    """

    item_name: RequiredName
    description: LongText | None = None
    model_id: Id | None = None
    point: Annotated[Point, CheckedJson]
    detection: Annotated[dict[str, Any], CheckedJson] | None = None


Template = Annotated[list[TemplateRegion], Field(max_length=2000)]


class TemplateWrite(Wire):
    """Body of `POST /catalogue/reference-images/{id}/template`: the regions that replace the present ones."""

    template: Template


class ReferenceImageWrite(Wire):
    """Body of create and update reference image; `file_id` names an uploaded image."""

    reference_image_name: RequiredName
    file_id: Id
    aircraft_id: Id | None = None
    mm_per_pixel: MmPerPixel | None = None
    template: Template = Field(default_factory=list)


class ReferenceImage(ReferenceImageWrite):
    """A reference image, with the file as an item's fileInfo names it and its upright size in pixels."""

    reference_image_id: str
    aircraft_name: str | None
    download_url: str | None
    filename: str | None
    ipfs_cid: str | None
    mime_type: str | None
    size: int | None
    width: int | None
    height: int | None
    created_at: ItemTime
    updated_at: ItemTime
