"""Keeps deleted items for a while, so that a deletion can be undone.

An item that is deleted leaves its table: no query has to know of deleted ones. Its row and those of its
photos are kept as JSON until they are brought back, their time is over, or the record is deleted.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Collection
from typing import Any

from sqlalchemy import DateTime, Row, Table, bindparam, delete, insert, select
from sqlmodel import Session

from service.inspection.records.item_rows import ItemRow
from service.inspection.records.records import naive_now
from service.inspection.rules import cancel_running, json_text, result_values
from service.inspection.tables import DELETED, ITEM, PHOTO, RECORD_PHOTO

KEEP_FOR = dt.timedelta(days=30)
"""How long a deleted item can be brought back."""

_ITEM_ID: Any = bindparam("item_id")
# Locked, so that a photo that is being added or taken off at this moment is there, or not, for good.
_LOCKED_ITEM = select(ITEM.c.item_id).where(ITEM.c.item_id == _ITEM_ID).with_for_update()
_LOCKED_PHOTOS = (
    select(PHOTO)
    .where(PHOTO.c.item_id == _ITEM_ID)
    .order_by(PHOTO.c.created_at, PHOTO.c.photo_id)
    .with_for_update()
)
_RESTORABLE = select(DELETED).where(DELETED.c.item_id == _ITEM_ID, DELETED.c.deleted_at >= bindparam("since"))
_RECORD_PHOTOS = select(RECORD_PHOTO.c.photo_id).where(
    RECORD_PHOTO.c.inspection_id == bindparam("inspection_id")
)
_UNASSIGNED = dict.fromkeys(("record_photo_id", "assigned", "homography", "reference_file_id"))
_SAME_KEY = select(ITEM.c.item_id).where(ITEM.c.client_key == bindparam("client_key"))


def remove(session: Session, item: ItemRow, actor: str) -> None:
    """Delete `item` (of a locked record) with its photos, and keep its state. Drops expired deletions."""
    at, item_id = naive_now(), item.item_id
    session.execute(_LOCKED_ITEM, {"item_id": item_id})
    photos = [_as_json(row) for row in session.execute(_LOCKED_PHOTOS, {"item_id": item_id})]
    session.execute(delete(DELETED).where(DELETED.c.deleted_at < at - KEEP_FOR))
    session.execute(
        insert(DELETED).values(
            item_id=item_id,
            inspection_id=item.inspection_id,
            deleted_by=actor,
            deleted_at=at,
            content=json_text({"item": _as_json(item), "photos": photos}),
        )
    )
    session.execute(delete(ITEM).where(ITEM.c.item_id == item_id))


def find(session: Session, item_id: str) -> Row[*tuple[Any, ...]] | None:
    """The row of `DELETED` of an item that can be brought back; None when there is none."""
    return session.execute(_RESTORABLE, {"item_id": item_id, "since": naive_now() - KEEP_FOR}).one_or_none()


def restore(session: Session, deleted_row: Row[*tuple[Any, ...]]) -> dict[str, Any]:
    """Put a deleted item and its photos back as they were (its record is locked); gives the item's values.

    A detection that was under way is cancelled: its job may have ended without an item to write to.
    """
    content = json.loads(deleted_row.content)
    item = _values(ITEM, content["item"])
    # Columns that came to the table after the deletion follow from the entries.
    item |= result_values(cancel_running(json.loads(item["result"])))
    if item["client_key"] is not None:
        taken = session.execute(_SAME_KEY, {"client_key": item["client_key"]}).one_or_none()
        # The create was sent again after the deletion and made another item.
        item["client_key"] = None if taken is not None else item["client_key"]
    session.execute(insert(ITEM).values(item))
    photo_ids = set(session.execute(_RECORD_PHOTOS, {"inspection_id": deleted_row.inspection_id}).scalars())
    photos = [_photo(photo, photo_ids) for photo in content["photos"]]
    if photos:
        session.execute(insert(PHOTO), photos)
    session.execute(delete(DELETED).where(DELETED.c.item_id == deleted_row.item_id))
    return item


def _photo(fields: dict[str, Any], of_record: Collection[str]) -> dict[str, Any]:
    """A photo's row; it is the item's alone when the record does not have the photo any more."""
    values = {"by_phone": False, **_UNASSIGNED, **_values(PHOTO, fields)}
    return values if values["record_photo_id"] in of_record else {**values, **_UNASSIGNED}


def _as_json(row: Row[*tuple[Any, ...]]) -> dict[str, Any]:
    return {
        name: value.isoformat() if isinstance(value, dt.datetime) else value
        for name, value in row._mapping.items()
    }


def _values(table: Table, fields: dict[str, Any]) -> dict[str, Any]:
    return {
        name: dt.datetime.fromisoformat(value)
        if value is not None and isinstance(table.c[name].type, DateTime)
        else value
        for name, value in fields.items()
    }
