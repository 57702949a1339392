"""Fills a record without items from its template or the last inspection. Not for the GUI thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from desktop.client import RecordFilter, Session
from shared.wire.inspection import Item, Record

_MAX_RECORDS = 20
"""How many of the newest records of a reference image are looked at for items."""


@dataclass(frozen=True, slots=True)
class ItemSources:
    """What a new record of a reference image can start with: `template` regions, the items of `last`."""

    template: int = 0
    last: Record | None = None


def read_sources(session: Session, reference_image_id: str) -> ItemSources:
    """What there is for a reference image. Raises ClientError, NotFound when it is gone."""
    image = session.catalogue.reference_images.get(reference_image_id)
    return ItemSources(len(image.template), find_last_record(session, reference_image_id))


def find_last_record(
    session: Session, reference_image_id: str | None, excluded_id: str = ""
) -> Record | None:
    """The newest record of a reference image that has items; None for none. Raises ClientError."""
    if reference_image_id is None:
        return None
    record_filter = RecordFilter(reference_image_id=reference_image_id)
    for record in session.records.search(record_filter, 1, _MAX_RECORDS).data:
        if record.inspection_id == excluded_id:
            continue
        if session.items.list(record.inspection_id, 1, 1).pagination.total:
            return record
    return None


def copy_last_items(session: Session, record: Record) -> Sequence[Item] | None:
    """Give a record the items of the last other record of its reference image; None when there is none.

    Raises ClientError, Conflict when the record has items.
    """
    last = find_last_record(session, record.reference_image_id, record.inspection_id)
    return session.items.from_record(record.inspection_id, last.inspection_id) if last is not None else None
