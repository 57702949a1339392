"""Finds the items that a new record can start with: the template's or the last inspection's.

Everything here calls the service and must not run on the GUI thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from desktop.client import RecordFilter, Session
from shared.wire.inspection import Item, Record

_MAX_RECORDS = 20
"""How many of the newest records of a reference image are searched for items."""


@dataclass(frozen=True, slots=True)
class ItemSources:
    """What a new record of a reference image can start with.

    `template` is the number of regions of its template, `last` the newest record that has items.
    """

    template: int = 0
    last: Record | None = None


def read_sources(session: Session, reference_image_id: str) -> ItemSources:
    """Read the sources for a reference image. Raises ClientError, NotFound if the image no longer exists."""
    image = session.catalogue.reference_images.get(reference_image_id)
    return ItemSources(len(image.template), find_last_record(session, reference_image_id))


def find_last_record(
    session: Session, reference_image_id: str | None, excluded_id: str = ""
) -> Record | None:
    """Find the newest record of a reference image that has items, except `excluded_id`.

    Raises ClientError.
    """
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
    """Copy the items of the newest other record of the same reference image into `record`.

    Returns the new items, or None if there is no such record. Raises ClientError, Conflict if `record`
    already has items.
    """
    last = find_last_record(session, record.reference_image_id, record.inspection_id)
    return session.items.from_record(record.inspection_id, last.inspection_id) if last is not None else None
