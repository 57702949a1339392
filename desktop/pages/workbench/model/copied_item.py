"""Defines the data of a copied item: name, model and detection settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from desktop.pages.workbench.model.detection_settings import (
    DETECTION,
    item_detection_settings,
    move_with_region,
    with_settings,
)
from desktop.pages.workbench.model.document import ItemView
from shared.record.geometry import Rect, pixels_to_point


class CopiedItem(BaseModel):
    """A copied item. `place` is its region x, y, w, h in fractions of its reference image."""

    description: str | None = Field(default=None, max_length=20_000)
    model_id: str | None = Field(default=None, max_length=255)
    place: tuple[float, float, float, float]
    detection: dict[str, Any] | None = None


def copy_of(item: ItemView, size: tuple[int, int]) -> CopiedItem | None:
    """The copied data of `item`; None if it has no region.

    `size` is the size of its reference image in px.
    """
    rect = item.region(*size)
    if rect is None or rect.is_empty:
        return None
    place = pixels_to_point(rect, *size)
    detection = (item.item_point or {}).get(DETECTION)
    return CopiedItem.model_construct(
        description=item.description,
        model_id=item.model_id,
        place=(place.x, place.y, place.w, place.h),
        detection=detection,
    )


def fields_of(copy: CopiedItem, item_point: Mapping[str, Any], place: Rect) -> dict[str, Any]:
    """The fields of the item that a copy becomes at `place` (fractions), whose `item_point` is given."""
    point = dict(item_point)
    settings = item_detection_settings({DETECTION: copy.detection})
    if settings.readable:
        point = with_settings(point, move_with_region(settings, Rect(*copy.place), place))
    elif copy.detection is not None:
        point[DETECTION] = copy.detection
    return {"item_point": point, "description": copy.description, "model_id": copy.model_id}
