"""Scales regions read from a file and turns them into items; defines the errors of an import.

Numbers of a file become rectangles: boxes, and the boxes around other shapes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, TypeVar

from desktop.exchange.data.content import ExportedPicture
from shared.record.geometry import Rect, pixels_to_point
from shared.wire.inspection import FileInfo, ItemCreate, ItemPoint, Point


class Reason(StrEnum):
    """Why a file cannot be imported; the page explains it in the language of the program."""

    UNREADABLE = "unreadable"
    """The file has none of the formats, or it is damaged."""
    NO_REGIONS = "no_regions"
    """The file contains no rectangle inside the picture."""
    WHICH_PICTURE = "which_picture"
    """The file names several pictures, and none of them is this reference image."""
    OTHER_PROPORTIONS = "other_proportions"
    """The file is for a picture of other proportions, such as one that is turned."""
    TOO_LARGE = "too_large"
    """The file contains more than an inspection can."""


class ExchangeError(Exception):
    """A file cannot be imported. `reason` says why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason


MAX_REGIONS = 10_000
"""The most regions that are read from one file, which is also the most items that a record is designed for.
"""
_PROPORTIONS = 0.01
"""The relative difference of proportions that is a rounding and no other picture."""
_Found = TypeVar("_Found")
_MAX_NAME_LENGTH = 255
_MAX_TEXT_LENGTH = 20_000


@dataclass(frozen=True, slots=True)
class ImportedRegion:
    """A region to create: its name (may be empty) and its rectangle in px of the reference image.

    `is_bounding_box`: whether the file has another shape there and the rectangle is its bounding box.
    """

    name: str
    rect: Rect
    description: str | None = None
    model_id: str | None = None
    is_bounding_box: bool = False


class ImportedRegions(list[ImportedRegion]):
    """The regions of a file inside the picture.

    `outside` is the number of regions outside it, `without_area` the number of points, empty shapes and masks
    of which no rectangle is known.
    """

    outside: int = 0
    without_area: int = 0

    @property
    def left_out(self) -> int:
        """How many shapes of the file are not regions."""
        return self.outside + self.without_area

    @property
    def bounding_box_count(self) -> int:
        """How many regions are the bounding box of a polygon, a circle or another shape."""
        return sum(draft.is_bounding_box for draft in self)


def choose(
    matches: Sequence[_Found], everything: Sequence[_Found], empty: Reason = Reason.UNREADABLE
) -> _Found:
    """The document or picture to read: the only one of the reference image, else the only one of the file.

    Several that say the same of the reference image, such as in splits, are one. Raises ExchangeError
    (WHICH_PICTURE; `empty` if the file has none).
    """
    if matches and all(match == matches[0] for match in matches):
        return matches[0]
    if len(everything) == 1:
        return everything[0]
    raise ExchangeError(Reason.WHICH_PICTURE if everything else empty)


def scale_rect(rect: Rect, source: tuple[float, float] | None, target: ExportedPicture) -> Rect:
    """Scale `rect` from a picture of the size `source` (px) to `target`; unchanged if `source` is unknown.

    Raises ExchangeError (OTHER_PROPORTIONS) for a picture that is turned or cropped: a region would be in
    another place.
    """
    if source is None or source[0] <= 0 or source[1] <= 0:
        return rect
    ratio = source[0] * target.height / (source[1] * target.width)
    # A smaller copy of a picture has its sides rounded to whole pixels.
    if abs(ratio - 1) > max(_PROPORTIONS, 1.5 / min(source)):
        raise ExchangeError(Reason.OTHER_PROPORTIONS)
    scale_x, scale_y = target.width / source[0], target.height / source[1]
    return Rect(rect.x * scale_x, rect.y * scale_y, rect.w * scale_x, rect.h * scale_y)


def fit_regions(
    drafts: Sequence[ImportedRegion], target: ExportedPicture, without_area: int = 0
) -> ImportedRegions:
    """Clamp the drafts to `target` and leave out those that are outside it or have no area.

    without_area: the number of shapes that are left out already.
    Raises ExchangeError (NO_REGIONS, TOO_LARGE).
    """
    if len(drafts) > MAX_REGIONS:
        raise ExchangeError(Reason.TOO_LARGE)
    flat = [draft for draft in drafts if draft.rect.w <= 0 or draft.rect.h <= 0]
    clamped = [replace(draft, rect=draft.rect.clamp(target.width, target.height)) for draft in drafts]
    regions = ImportedRegions(draft for draft in clamped if draft.rect.w > 0 and draft.rect.h > 0)
    if not regions:
        raise ExchangeError(Reason.NO_REGIONS)
    regions.without_area = without_area + len(flat)
    regions.outside = len(drafts) - len(flat) - len(regions)
    return regions


def item_creates(
    drafts: Sequence[ImportedRegion],
    inspection_id: str,
    target: ExportedPicture,
    info: Mapping[str, Any] | None,
    default_names: Iterator[str],
) -> list[ItemCreate]:
    """The requests that create an item for each draft. `info` is the fileInfo of the reference image.

    `default_names` gives the names of drafts without one.
    """
    creates = []
    for draft in drafts:
        fractions = pixels_to_point(draft.rect, target.width, target.height)
        point = Point(x=fractions.x, y=fractions.y, w=fractions.w, h=fractions.h)
        item_point = (
            ItemPoint(point=point) if info is None else ItemPoint(point=point, fileInfo=FileInfo(**info))
        )
        creates.append(
            ItemCreate(
                item_name=_clean_text(draft.name, _MAX_NAME_LENGTH).strip() or next(default_names),
                inspection_id=inspection_id,
                description=None
                if draft.description is None
                else _clean_text(draft.description, _MAX_TEXT_LENGTH),
                model_id=_clean_text(draft.model_id or "", _MAX_NAME_LENGTH) or None,
                item_point=item_point,
            )
        )
    return creates


def _clean_text(text: str, longest: int) -> str:
    # JSON may contain a lone surrogate, but a request to the service may not.
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")[:longest]


def parse_rect(values: Any) -> Rect | None:
    """Make a rectangle of the numbers or texts x, y, w, h; None if they are not four numbers."""
    if not isinstance(values, list | tuple) or len(values) != 4:
        return None
    try:
        x, y, w, h = (float(value) for value in values)
    except (TypeError, ValueError, OverflowError):
        return None
    # Every comparison with NaN is false, so it is refused too.
    return Rect(x, y, w, h) if all(abs(value) < 1e9 for value in (x, y, w, h)) else None


def bounding_rect(numbers: Sequence[Any]) -> Rect | None:
    """The bounding box of two or more points given as x, y, x, y, ...; None for other values."""
    if len(numbers) < 4 or len(numbers) % 2:
        return None
    try:
        xs = [float(number) for number in numbers[::2]]
        ys = [float(number) for number in numbers[1::2]]
    except (TypeError, ValueError, OverflowError):
        return None
    return parse_rect([min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)])


def rotated_bounds(box: Rect, angle: float, pivot: tuple[float, float] | None = None) -> Rect | None:
    """The bounding box of `box` turned clockwise by `angle` in radians about `pivot`, else its middle."""
    if not angle:
        return box
    cos, sin = math.cos(angle), math.sin(angle)
    left, top = pivot or (box.x + box.w / 2, box.y + box.h / 2)
    offsets = [(x - left, y - top) for x in (box.x, box.right) for y in (box.y, box.bottom)]
    return bounding_rect([n for x, y in offsets for n in (left + x * cos - y * sin, top + x * sin + y * cos)])


def ellipse_bounds(ellipse: Rect, angle: float) -> Rect | None:
    """The bounding box of an ellipse of the centre (x, y) and the semi-axes (w, h), turned by `angle`."""
    cos, sin = math.cos(angle), math.sin(angle)
    half_w, half_h = (
        math.hypot(ellipse.w * cos, ellipse.h * sin),
        math.hypot(ellipse.w * sin, ellipse.h * cos),
    )
    return parse_rect([ellipse.x - half_w, ellipse.y - half_h, 2 * half_w, 2 * half_h])
