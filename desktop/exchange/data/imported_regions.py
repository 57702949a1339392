"""Scales regions read from a file and turns them into items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from desktop.exchange.data.content import ExportedPicture
from desktop.exchange.data.errors import ExchangeError, Reason
from shared.geometry import Rect, pixels_to_point
from shared.wire.inspection import FileInfo, ItemCreate, ItemPoint, Point

MOST = 10_000
"""The most regions that are taken from one file: as many as a record is made for."""
_NAME = 255
_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class ImportedRegion:
    """A region to be made: its name (may be empty), its rectangle in px of the reference image it is for.

    `boxed`: the file has another shape there, and the rectangle is the one around it.
    """

    name: str
    rect: Rect
    description: str | None = None
    model_id: str | None = None
    boxed: bool = False


class ImportedRegions(list[ImportedRegion]):
    """The regions of a file that lie on the picture; `left_out` more lie outside of it."""

    left_out: int = 0

    @property
    def boxed(self) -> int:
        """How many are the rectangle around a polygon, a circle or another shape."""
        return sum(draft.boxed for draft in self)


def scaled(rect: Rect, source: tuple[float, float] | None, target: ExportedPicture) -> Rect:
    """`rect` of a picture of `source` px as it lies on `target`; unchanged when `source` is unknown."""
    if source is None or source[0] <= 0 or source[1] <= 0:
        return rect
    across, down = target.width / source[0], target.height / source[1]
    return Rect(rect.x * across, rect.y * down, rect.w * across, rect.h * down)


def fitted(drafts: Sequence[ImportedRegion], target: ExportedPicture) -> ImportedRegions:
    """The drafts inside `target`; what lies outside is left out, what reaches outside is cut.

    Raises ExchangeError (NO_REGIONS, TOO_LARGE).
    """
    if len(drafts) > MOST:
        raise ExchangeError(Reason.TOO_LARGE)
    inside = [replace(draft, rect=draft.rect.clamped(target.width, target.height)) for draft in drafts]
    fitting = ImportedRegions(draft for draft in inside if draft.rect.w > 0 and draft.rect.h > 0)
    if not fitting:
        raise ExchangeError(Reason.NO_REGIONS)
    fitting.left_out = len(drafts) - len(fitting)
    return fitting


def item_creates(
    drafts: Sequence[ImportedRegion],
    inspection_id: str,
    target: ExportedPicture,
    info: Mapping[str, Any] | None,
    unnamed: Callable[[int], str],
) -> list[ItemCreate]:
    """The items that drafts become in a record. `info` is the fileInfo of the reference image.

    `unnamed` names the n-th draft (from 1) when it has no name of its own.
    """
    creates = []
    for number, draft in enumerate(drafts, 1):
        part = pixels_to_point(draft.rect, target.width, target.height)
        point = Point(x=part.x, y=part.y, w=part.w, h=part.h)
        place = ItemPoint(point=point) if info is None else ItemPoint(point=point, fileInfo=FileInfo(**info))
        creates.append(
            ItemCreate(
                item_name=_text(draft.name, _NAME).strip() or unnamed(number),
                inspection_id=inspection_id,
                description=None if draft.description is None else _text(draft.description, _TEXT),
                model_id=_text(draft.model_id or "", _NAME) or None,
                item_point=place,
            )
        )
    return creates


def _text(text: str, longest: int) -> str:
    # A lone surrogate can stand in JSON but in no message to the service.
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")[:longest]
