"""Reads, changes and copies an item's detection settings (`item_point.detection`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from shared.record.geometry import Rect
from shared.wire.detection import DetectionModel, ModelKind
from shared.wire.inspection import DetectionSettings, Place

DETECTION = "detection"
"""The key inside `item_point`."""
_SAME_PX = 0.01
DEFAULT_SENSITIVITY = 0.5
"""The sensitivity of the built-in model if neither it nor the item sets one."""


@dataclass(frozen=True, slots=True)
class ItemDetectionSettings:
    """The detection settings of an item; None stands for the default of the model.

    `sensitivity` is 0..1. `smallest` is in mm if the reference image has a scale, else in px of it. `ignored`
    is in fractions (0..1) of the upright reference image. `alignment` is the user's alignment of one photo (a
    `SetAlignment` as JSON). `place` says where the region lies in photos. `readable` is False for invalid
    settings, which are kept until the user sets new ones.
    """

    sensitivity: float | None = None
    smallest: float | None = None
    ignored: tuple[Rect, ...] = ()
    alignment: Mapping[str, Any] | None = None
    place: Place = Place.ALIGN
    readable: bool = True

    @property
    def default(self) -> bool:
        """Whether all settings are the model's defaults. An alignment does not count."""
        return self == ItemDetectionSettings(alignment=self.alignment)

    def without_area(self, place: int) -> ItemDetectionSettings:
        """The settings without the ignored area at an index."""
        return replace(self, ignored=self.ignored[:place] + self.ignored[place + 1 :])


def item_detection_settings(item_point: Mapping[str, Any] | None) -> ItemDetectionSettings:
    """Read the settings of an item's `item_point`."""
    stored = (item_point or {}).get(DETECTION)
    if stored is None:
        return ItemDetectionSettings()
    try:
        settings = DetectionSettings.model_validate(stored)
    except ValidationError:
        return ItemDetectionSettings(readable=False)
    areas = tuple(Rect(float(a.x), float(a.y), float(a.w), float(a.h)) for a in settings.ignored)
    alignment = None if settings.alignment is None else settings.alignment.model_dump(mode="json")
    return ItemDetectionSettings(
        _number(settings.sensitivity),
        _number(settings.smallest),
        areas,
        alignment,
        settings.place or Place.ALIGN,
    )


def with_settings(item_point: Mapping[str, Any] | None, settings: ItemDetectionSettings) -> dict[str, Any]:
    """Replace the settings in `item_point`. Default settings are left out."""
    point = {name: value for name, value in (item_point or {}).items() if name != DETECTION}
    if not settings.default or settings.alignment is not None:
        point[DETECTION] = {
            "sensitivity": settings.sensitivity,
            "smallest": settings.smallest,
            "ignored": [{"x": a.x, "y": a.y, "w": a.w, "h": a.h} for a in settings.ignored],
        }
        if settings.alignment is not None:
            point[DETECTION]["alignment"] = dict(settings.alignment)
        if settings.place is not Place.ALIGN:
            point[DETECTION]["place"] = settings.place.value
    return point


def with_areas(item_point: Mapping[str, Any], areas: Sequence[Rect], size: tuple[int, int]) -> dict[str, Any]:
    """Replace the ignored areas of `item_point` by these, in px of a picture of this size."""
    width, height = size
    fractions = [{"x": a.x / width, "y": a.y / height, "w": a.w / width, "h": a.h / height} for a in areas]
    return {**item_point, DETECTION: {**item_point[DETECTION], "ignored": fractions}}


def move_with_region(settings: ItemDetectionSettings, origin: Rect, place: Rect) -> ItemDetectionSettings:
    """The settings for a copy, with ignored areas moved from the region `origin` to `place` (fractions).

    The copy has no photo, so the alignment is left out.
    """
    settings = replace(settings, alignment=None)
    if not settings.ignored or origin.is_empty:
        return settings
    scale_x, scale_y = place.w / origin.w, place.h / origin.h
    moved = []
    for area in settings.ignored:
        x = place.x + (area.x - origin.x) * scale_x
        y = place.y + (area.y - origin.y) * scale_y
        moved.append(Rect(x, y, area.w * scale_x, area.h * scale_y).clamp(1, 1))
    return replace(settings, ignored=tuple(area for area in moved if not area.is_empty))


def move_areas(areas: Sequence[Rect], origin: Rect, place: Rect) -> tuple[Rect, ...]:
    """Move the ignored areas of a region from `origin` to `place`, all in px of its picture.

    They move with a region that is moved as a whole. If its edges are dragged, they stay in place and are
    clipped to it.
    """
    if max(abs(place.w - origin.w), abs(place.h - origin.h)) < _SAME_PX:
        dx, dy = place.x - origin.x, place.y - origin.y
        areas = [Rect(area.x + dx, area.y + dy, area.w, area.h) for area in areas]
    remaining = (area.intersection(place) for area in areas)
    return tuple(area for area in remaining if not area.is_empty)


def area_of(rect: Rect, region: Rect, size: tuple[int, int]) -> Rect | None:
    """The part of a drawn rectangle inside a region, in fractions; None if there is none.

    `rect` and `region` are px of the upright reference image, whose size is `size`.
    """
    inside = rect.intersection(region)
    if inside.is_empty:
        return None
    width, height = size
    return Rect(inside.x / width, inside.y / height, inside.w / width, inside.h / height)


def pixels(areas: Sequence[Rect], size: tuple[int, int]) -> tuple[Rect, ...]:
    """Fractions as px of an image of this size."""
    width, height = size
    return tuple(Rect(a.x * width, a.y * height, a.w * width, a.h * height) for a in areas)


def takes_thresholds(model: DetectionModel | None) -> bool:
    """Whether a model has a sensitivity and a smallest defect."""
    return model is not None and model.kind is ModelKind.REFERENCE_DIFFERENCE


def sensitivity_of(model: DetectionModel | None) -> float:
    """The default sensitivity of a model."""
    value = (model.settings if model is not None else {}).get("sensitivity")
    return float(value) if isinstance(value, int | float) else DEFAULT_SENSITIVITY


def _number(value: Any) -> float | None:
    return None if value is None else float(value)
