"""Stores which items wait for an update of their memory, inside the transaction that changes them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Select, delete, or_, select, update
from sqlmodel import Session

from service.changes import ObjectChange
from service.db.database import now
from service.db.upsert import insert_or_update
from service.detection.tables import ModelRow
from service.memory.facts import decided_item_ids
from service.memory.tables import REGION, VARIATION, WAITING
from shared.ids import new_id
from shared.wire.detection import ModelKind

_LEASE: Final = dt.timedelta(minutes=1)
RENEW_INTERVAL: Final = dt.timedelta(seconds=15)
"""How often a process renews the lease of an item; the lease of a killed process ends within a minute."""


class LeasedItem(NamedTuple):
    """An item leased by this process; if the stamp in the table differs, the item has changed since."""

    item_id: str
    stamp: str


def follow(session: Session, changes: Iterable[ObjectChange]) -> None:
    """Queue the items that `changes` concern, and delete the data of deleted objects."""
    items: set[str] = set()
    records: set[str] = set()
    deleted_items: set[str] = set()
    deleted_records: set[str] = set()
    for change in changes:
        if change.unaudited or change.object_id is None:
            continue
        if change.kind == "item" and change.action != "create":
            (deleted_items if change.action == "delete" else items).add(change.object_id)
        elif change.kind == "record" and change.action == "delete":
            deleted_records.add(change.object_id)
        elif change.kind == "record" and "reference_image_id" in change.details:
            records.add(change.object_id)
        elif change.kind == "model":
            items |= _items_of_backbone(session, change.object_id)
        elif change.kind == "reference_image":
            items |= _items_on_image(session, change.object_id, is_deleted=change.action == "delete")
    if deleted_items or deleted_records:
        items |= _forget(session, deleted_items, deleted_records)
    if items or records:
        compared_items = select(VARIATION.c.item_id).where(
            or_(VARIATION.c.item_id.in_(items), VARIATION.c.inspection_id.in_(records))
        )
        affected = {*decided_item_ids(session, items, records), *session.execute(compared_items).scalars()}
        add_items(session, affected)


def add_items(session: Session, item_ids: Collection[str]) -> None:
    """Queue these items."""
    if not item_ids:
        return
    moment = now()
    rows = [
        {"item_id": item_id, "stamp": new_id(), "since": moment, "taken_until": None}
        for item_id in sorted(item_ids)
    ]
    insert_or_update(session, WAITING, rows, ["item_id"])


def _items_on_image(session: Session, reference_image_id: str, *, is_deleted: bool) -> set[str]:
    """Return an item of each region of a reference image; delete all its data if the image was deleted."""
    is_on_image = VARIATION.c.reference_image_id == reference_image_id
    if is_deleted:
        session.execute(delete(VARIATION).where(is_on_image))
        session.execute(delete(REGION).where(REGION.c.reference_image_id == reference_image_id))
        return set()
    rows = session.execute(select(VARIATION.c.region, VARIATION.c.item_id).where(is_on_image))
    return set({row.region: row.item_id for row in rows}.values())


def _items_of_backbone(session: Session, model_id: str) -> set[str]:
    """Return an item of each region if the model is a backbone, because all are compared with it again."""
    model = session.get(ModelRow, model_id)
    if model is None or model.kind != ModelKind.BACKBONE:
        return set()
    columns = VARIATION.c.reference_image_id, VARIATION.c.region, VARIATION.c.item_id
    return set({row[:2]: row.item_id for row in session.execute(select(*columns))}.values())


def _forget(session: Session, items: set[str], records: set[str]) -> set[str]:
    """Delete the comparisons of deleted items and records; return an item of each region they belonged to."""
    is_deleted = or_(VARIATION.c.item_id.in_(items), VARIATION.c.inspection_id.in_(records))
    columns = VARIATION.c.reference_image_id, VARIATION.c.region
    places = session.execute(select(*columns).where(is_deleted).distinct()).all()
    session.execute(delete(VARIATION).where(is_deleted))
    session.execute(delete(WAITING).where(WAITING.c.item_id.in_(items)))
    items_to_update = set()
    for reference_image_id, region in places:
        query = select(VARIATION.c.item_id).where(columns[0] == reference_image_id, columns[1] == region)
        item_id = session.execute(query.limit(1)).scalar_one_or_none()
        items_to_update |= set() if item_id is None else {item_id}
    return items_to_update


def find_outdated(session: Session, version: int) -> Sequence[str]:
    """Return the items with comparisons of another version."""
    query = select(VARIATION.c.item_id).where(VARIATION.c.version != version).distinct()
    return session.execute(query).scalars().all()


def has_items(session: Session) -> bool:
    """Return whether any item can be taken."""
    return session.execute(_oldest()).one_or_none() is not None


def take(session: Session) -> LeasedItem | None:
    """Lease the item that has waited longest; return None if none is free."""
    row = session.execute(_oldest().with_for_update(skip_locked=True)).one_or_none()
    if row is None:
        return None
    is_item = WAITING.c.item_id == row.item_id
    session.execute(update(WAITING).where(is_item).values(taken_until=now() + _LEASE))
    return LeasedItem(row.item_id, row.stamp)


def renew(session: Session, item: LeasedItem) -> None:
    """Extend the lease of an item; does nothing if it was released or has changed."""
    is_unchanged = WAITING.c.item_id == item.item_id, WAITING.c.stamp == item.stamp
    session.execute(
        update(WAITING)
        .where(*is_unchanged, WAITING.c.taken_until.is_not(None))
        .values(taken_until=now() + _LEASE)
    )


def _oldest() -> Select[Any]:
    is_free = or_(WAITING.c.taken_until.is_(None), WAITING.c.taken_until < now())
    return select(WAITING.c.item_id, WAITING.c.stamp).where(is_free).order_by(WAITING.c.since).limit(1)


def release(session: Session, item: LeasedItem, seconds: float = 0) -> None:
    """Release an item, which can be taken again after `seconds`; does nothing if it has changed."""
    is_unchanged = WAITING.c.item_id == item.item_id, WAITING.c.stamp == item.stamp
    later = now() + dt.timedelta(seconds=seconds) if seconds else None
    session.execute(update(WAITING).where(*is_unchanged).values(taken_until=later))


def release_all(session: Session) -> None:
    """Release every item, at the start of the only process on the database."""
    session.execute(update(WAITING).values(taken_until=None))


def finish(session: Session, item: LeasedItem) -> None:
    """Remove the item from the queue, unless it has changed."""
    session.execute(delete(WAITING).where(WAITING.c.item_id == item.item_id, WAITING.c.stamp == item.stamp))
