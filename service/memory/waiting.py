"""Keeps which items wait for their memory to be brought in line, in the transaction that changes them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Select, delete, or_, select, update
from sqlmodel import Session

from service.changes import ObjectChange
from service.db.database import now
from service.db.upsert import insert_or_update
from service.memory.ports import Ports
from service.memory.tables import REGION, VARIATION, WAITING
from shared.ids import new_id

_LEASE: Final = dt.timedelta(minutes=1)
RENEWED_AFTER: Final = dt.timedelta(seconds=15)
"""A process that works on an item renews its lease so often: one that was killed keeps it for a minute."""


class Taken(NamedTuple):
    """An item that is being worked on; another stamp in the table means that it has changed since."""

    item_id: str
    stamp: str


def follow(session: Session, ports: Ports, changes: Iterable[ObjectChange]) -> None:
    """Have what `changes` concern wait, and forget what was deleted."""
    items: set[str] = set()
    records: set[str] = set()
    deleted: set[str] = set()
    deleted_records: set[str] = set()
    for change in changes:
        if change.fleeting or change.object_id is None:
            continue
        if change.kind == "item" and change.action != "create":
            (deleted if change.action == "delete" else items).add(change.object_id)
        elif change.kind == "record" and change.action == "delete":
            deleted_records.add(change.object_id)
        elif change.kind == "record" and "reference_image_id" in change.details:
            records.add(change.object_id)
        elif change.kind == "reference_image":
            items |= _of_image(session, change.object_id, deleted=change.action == "delete")
    if deleted or deleted_records:
        items |= _forget(session, deleted, deleted_records)
    if items or records:
        compared = select(VARIATION.c.item_id).where(
            or_(VARIATION.c.item_id.in_(items), VARIATION.c.inspection_id.in_(records))
        )
        affected = {*ports.decided(session, items, records), *session.execute(compared).scalars()}
        add(session, affected)


def add(session: Session, item_ids: Collection[str]) -> None:
    """Have these items wait."""
    if not item_ids:
        return
    since = now()
    rows = [
        {"item_id": item_id, "stamp": new_id(), "since": since, "taken_until": None}
        for item_id in sorted(item_ids)
    ]
    insert_or_update(session, WAITING, rows, ["item_id"])


def _of_image(session: Session, reference_image_id: str, *, deleted: bool) -> set[str]:
    """Of each region of a reference image an item; when that is gone, all about it is forgotten."""
    on_image = VARIATION.c.reference_image_id == reference_image_id
    if deleted:
        session.execute(delete(VARIATION).where(on_image))
        session.execute(delete(REGION).where(REGION.c.reference_image_id == reference_image_id))
        return set()
    rows = session.execute(select(VARIATION.c.region, VARIATION.c.item_id).where(on_image))
    return set({row.region: row.item_id for row in rows}.values())


def _forget(session: Session, items: set[str], records: set[str]) -> set[str]:
    """Forget the comparisons of what was deleted; gives an item of each region that they belonged to."""
    concerned = or_(VARIATION.c.item_id.in_(items), VARIATION.c.inspection_id.in_(records))
    columns = VARIATION.c.reference_image_id, VARIATION.c.region
    places = session.execute(select(*columns).where(concerned).distinct()).all()
    session.execute(delete(VARIATION).where(concerned))
    session.execute(delete(WAITING).where(WAITING.c.item_id.in_(items)))
    others = set()
    for reference_image_id, region in places:
        in_region = select(VARIATION.c.item_id).where(columns[0] == reference_image_id, columns[1] == region)
        other = session.execute(in_region.limit(1)).scalar_one_or_none()
        others |= set() if other is None else {other}
    return others


def outdated(session: Session, version: int) -> Sequence[str]:
    """The items with comparisons of another version."""
    query = select(VARIATION.c.item_id).where(VARIATION.c.version != version).distinct()
    return session.execute(query).scalars().all()


def is_any(session: Session) -> bool:
    """Whether there is something to take."""
    return session.execute(_oldest()).one_or_none() is not None


def take(session: Session) -> Taken | None:
    """The item that has waited for longest and that no process works on; None when there is none."""
    row = session.execute(_oldest().with_for_update(skip_locked=True)).one_or_none()
    if row is None:
        return None
    of_item = WAITING.c.item_id == row.item_id
    session.execute(update(WAITING).where(of_item).values(taken_until=now() + _LEASE))
    return Taken(row.item_id, row.stamp)


def renew(session: Session, taken: Taken) -> None:
    """Keep an item that is being worked on for longer; nothing when it was given back or has changed."""
    unchanged = WAITING.c.item_id == taken.item_id, WAITING.c.stamp == taken.stamp
    session.execute(
        update(WAITING)
        .where(*unchanged, WAITING.c.taken_until.is_not(None))
        .values(taken_until=now() + _LEASE)
    )


def _oldest() -> Select[Any]:
    free = or_(WAITING.c.taken_until.is_(None), WAITING.c.taken_until < now())
    return select(WAITING.c.item_id, WAITING.c.stamp).where(free).order_by(WAITING.c.since).limit(1)


def give_back(session: Session, taken: Taken, seconds: float = 0) -> None:
    """Let the item be taken again, after `seconds`; one that has changed meanwhile waits anyway."""
    unchanged = WAITING.c.item_id == taken.item_id, WAITING.c.stamp == taken.stamp
    later = now() + dt.timedelta(seconds=seconds) if seconds else None
    session.execute(update(WAITING).where(*unchanged).values(taken_until=later))


def give_all_back(session: Session) -> None:
    """Let every item be taken again: for the start of the one process that owns the database."""
    session.execute(update(WAITING).values(taken_until=None))


def done(session: Session, taken: Taken) -> None:
    """The item waits no more, unless it has changed meanwhile."""
    session.execute(delete(WAITING).where(WAITING.c.item_id == taken.item_id, WAITING.c.stamp == taken.stamp))
