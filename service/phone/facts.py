"""Reads the records and items that a phone shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlmodel import Session

from service.inspection.records.matches import ItemRegion
from service.inspection.seal_state import newest_edition, state_of
from service.inspection.tables import ITEM, PHOTO, RECORD
from shared.record.codes import SEALED_STATES
from shared.record.geometry import Rect, point_to_pixels
from shared.wire.files import StoredFile


@dataclass(frozen=True, slots=True)
class RecordFacts:
    """The facts of a record. `has_item`: the requested item exists, or no item was requested."""

    name: str | None
    is_sealed: bool
    has_item: bool


@dataclass(frozen=True, slots=True)
class ItemFacts:
    """The facts of an item: the number of its photos, and its region (upright px) on a reference image."""

    item_id: str
    item_name: str
    photos: int
    reference: StoredFile | None
    region: Rect | None


def record_facts(session: Session, inspection_id: str, item_id: str | None) -> RecordFacts | None:
    """The record, and whether it contains the item; None if there is no such record."""
    record = session.execute(
        select(RECORD.c.inspection_name).where(RECORD.c.inspection_id == inspection_id)
    ).one_or_none()
    if record is None:
        return None
    edition = newest_edition(session, inspection_id)
    is_sealed = edition is not None and state_of(edition) in SEALED_STATES
    query = select(ITEM.c.item_id).where(ITEM.c.item_id == item_id, ITEM.c.inspection_id == inspection_id)
    has_item = item_id is None or session.execute(query).one_or_none() is not None
    return RecordFacts(record.inspection_name, is_sealed, has_item)


def item_facts(session: Session, inspection_id: str, regions: Iterable[ItemRegion]) -> list[ItemFacts]:
    """The items of these regions of a record, with the numbers of their photos."""
    photo_counts = session.execute(
        select(PHOTO.c.item_id, func.count().label("photos"))
        .join(ITEM, ITEM.c.item_id == PHOTO.c.item_id)
        .where(ITEM.c.inspection_id == inspection_id)
        .group_by(PHOTO.c.item_id)
    )
    photos: dict[str, int] = {row.item_id: row.photos for row in photo_counts}
    return [
        ItemFacts(item.item_id, item.item_name, photos.get(item.item_id, 0), item.reference, _region(item))
        for item in regions
    ]


def _region(item: ItemRegion) -> Rect | None:
    if item.region is None or item.reference is None or not item.reference.width:
        return None
    return point_to_pixels(*item.region.point, item.reference.width, item.reference.height or 0)
