"""Scales regions read from a file and turns them into items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from desktop.exchange.data.content import ExportedPicture
from desktop.exchange.data.errors import ExchangeError, Reason
from shared.record.geometry import Rect, pixels_to_point
from shared.wire.inspection import FileInfo, ItemCreate, ItemPoint, Point

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
