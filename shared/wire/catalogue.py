"""Bodies of the catalogue: aircraft, flights, tasks, reference images."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from shared.wire.common import (
    CheckedJson,
    FilledText,
    Id,
    ItemTime,
    Name,
    OptionalId,
    OptionalText,
    RequiredName,
    WireModel,
)
from shared.wire.inspection import Point

MmPerPixel = Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)]


class AircraftWrite(WireModel):
    """Body of create and update aircraft."""

    aircraft_name: RequiredName
    registration: Name | None = None
    aircraft_type: Name | None = None


class Aircraft(AircraftWrite):
    """An aircraft."""

    aircraft_id: str
    aircraft_name: str
    created_at: ItemTime
    updated_at: ItemTime


class FlightWrite(WireModel):
    """Body of create and update flight."""

    flight_number: RequiredName
    aircraft_id: OptionalId = None
    departure: Name | None = None
    arrival: Name | None = None
    scheduled_at: ItemTime | None = None


class Flight(FlightWrite):
    """A flight; `aircraft_name` is joined."""

    flight_id: str
    flight_number: str
    aircraft_name: str | None
    created_at: ItemTime
    updated_at: ItemTime


class TaskWrite(WireModel):
    """Body of create and update task. Without `aircraft_id`, it is taken from the flight."""

    task_name: RequiredName
    flight_id: OptionalId = None
    aircraft_id: OptionalId = None
    description: OptionalText = None


class Task(TaskWrite):
    """A task, to which records belong; names are joined."""

    task_id: str
    task_name: str
    flight_number: str | None
    aircraft_name: str | None
    created_at: ItemTime
    updated_at: ItemTime


class TemplateRegion(WireModel):
    """One region of a reference image's template: a new record starts with an item for each.

    `detection` is `item_point.detection` of that item, kept as given.
    """

    item_name: FilledText
    description: OptionalText = None
    model_id: OptionalId = None
    point: Annotated[Point, CheckedJson]
    detection: Annotated[dict[str, Any], CheckedJson] | None = None


def _require_names(template: list[TemplateRegion]) -> list[TemplateRegion]:
    if any(region.item_name.isspace() for region in template):
        raise ValueError("区域名称不能为空白")
    return template


# Stored templates can be older than this rule, so `TemplateRegion` does not check it.
Template = Annotated[list[TemplateRegion], Field(max_length=2000), AfterValidator(_require_names)]


class TemplateWrite(WireModel):
    """Body of `POST /catalogue/reference-images/{id}/template`: the regions that replace the current ones."""

    template: Template


class ReferenceImageWrite(WireModel):
    """Body of create and update reference image; `file_id` names an uploaded image."""

    reference_image_name: RequiredName
    file_id: Id
    aircraft_id: OptionalId = None
    mm_per_pixel: MmPerPixel | None = None
    template: Template = Field(default_factory=list)


class ReferenceImage(ReferenceImageWrite):
    """A reference image, with its file as in an item's fileInfo, and its upright size in pixels."""

    reference_image_id: str
    reference_image_name: str
    template: list[TemplateRegion] = Field(default_factory=list)
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
