"""Reads the current memory of a place, and changes the settings of people for it.

A memory consists of its photos, these settings and the results of comparisons.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Row, delete, select, update
from sqlmodel import Session

from service.db.database import now
from service.db.upsert import insert_or_ignore, insert_or_update
from service.detection.dispatch.variations import VERSION
from service.memory import rules
from service.memory.facts import Place, item_facts, item_ids_at_place, share_at_place
from service.memory.rules import Member
from service.memory.tables import LEFT_OUT, REGION, VARIATION
from service.web.envelope import Problem
from shared.ids import new_id
from shared.record.codes import ErrorCode
from shared.wire.memory import MAX_MEMORY_PHOTOS, MemoryChange

StoredRow = Row[*tuple[Any, ...]]
Key = tuple[str, str, str]

_OLDEST_ITEMS = 12
"""How many of the oldest items are read in addition to the newest: a memory also keeps the oldest photos."""
_COLUMNS = [column for column in VARIATION.c if column.name != "content"]
_HAS_CONTENT = VARIATION.c.content.is_not(None).label("has_content")


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory of a place.

    `members` are all its photos, including those left out, in any order. `row` has the settings of people;
    None if nobody changed them. `left_out` is by file id, `variations` (results of comparisons) by item, file
    and kind.
    """

    place: Place
    row: StoredRow | None
    members: Sequence[Member]
    left_out: Mapping[str, StoredRow]
    variations: Mapping[Key, StoredRow]
    version: int

    @property
    def required_photos(self) -> int:
        """The number of passed photos from which on the memory counts."""
        required_photos: int | None = None if self.row is None else self.row.required
        return rules.DEFAULT_REQUIRED_PHOTOS if required_photos is None else required_photos

    @property
    def counted_members(self) -> list[Member]:
        """The members that are not left out."""
        return [member for member in self.members if member.file_id not in self.left_out]

    def variation(self, member: Member) -> StoredRow | None:
        """Return the result of a member's comparison; None if it was not compared with its current inputs."""
        row = self.variations.get(member.key)
        return row if row is not None and row.basis == member.basis(self.version) else None

    def has_content(self, member: Member) -> bool:
        """Return whether the contribution of a member is stored."""
        row = self.variation(member)
        return row is not None and bool(row.has_content)

    def combine_bases(self, members: Sequence[Member]) -> str:
        """Return a hash of all inputs of these members' comparisons."""
        return rules.combine_bases(member.basis(self.version) for member in members)


def find_settings(session: Session, place: Place) -> StoredRow | None:
    """Return the settings for the memory of a place; None if nobody changed them."""
    conditions = (
        REGION.c.reference_image_id == place.reference_image_id,
        REGION.c.reference_file_id == place.reference_file_id,
    )
    rows = session.execute(select(REGION).where(*conditions).order_by(REGION.c.memory_id)).all()
    shares = [(share_at_place(place, parse_region(row.region)), row) for row in rows]
    best = max(shares, key=lambda pair: pair[0], default=(0.0, None))
    return best[1] if best[0] > 0 else None


def read(session: Session, place: Place) -> Memory:
    """Read the memory of a place from the newest items there and some of the oldest."""
    row = find_settings(session, place)
    begins_at, frozen_at = _window(row)
    item_ids = item_ids_at_place(session, place, begins_at, frozen_at)
    if len(item_ids) > MAX_MEMORY_PHOTOS + _OLDEST_ITEMS:
        item_ids = [*item_ids[:MAX_MEMORY_PHOTOS], *item_ids[-_OLDEST_ITEMS:]]
    if frozen_at is not None:
        # Items that failed after the freeze still enter a frozen memory.
        later = item_ids_at_place(session, place, frozen_at, None)[:MAX_MEMORY_PHOTOS]
        item_ids = [*dict.fromkeys([*later, *item_ids])]
    return _build_memory(session, place, row, item_ids)


def read_compared(session: Session, place: Place) -> Memory:
    """Read the memory of a place for a detection: only from items with stored contributions."""
    is_on_image = VARIATION.c.reference_image_id == place.reference_image_id
    query = select(VARIATION.c.item_id, VARIATION.c.region).where(
        is_on_image, VARIATION.c.content.is_not(None)
    )
    shares: dict[str, float] = {}
    item_ids: dict[str, None] = {}
    for item_id, region in session.execute(query):
        if region not in shares:
            shares[region] = share_at_place(place, parse_region(region))
        if shares[region] > 0 and item_id != place.item_id:
            item_ids[item_id] = None
    return _build_memory(session, place, find_settings(session, place), list(item_ids))


def _build_memory(session: Session, place: Place, row: StoredRow | None, item_ids: Sequence[str]) -> Memory:
    begins_at, frozen_at = _window(row)
    # An item may have moved to another place since its comparison.
    items = [item for item in item_facts(session, item_ids) if share_at_place(place, item.region) > 0]
    members = [
        member
        for item in items
        for member in rules.members(item)
        if member.photo.inputs.reference_sha256 == place.reference_sha256
    ]
    left_out = {}
    if row is not None:
        query = select(LEFT_OUT).where(LEFT_OUT.c.memory_id == row.memory_id)
        left_out = {left_out_row.file_id: left_out_row for left_out_row in session.execute(query)}
    return Memory(
        place,
        row,
        rules.decided_between(members, begins_at, frozen_at),
        left_out,
        find_variations(session, item_ids),
        VERSION,
    )


def find_variations(session: Session, item_ids: Collection[str]) -> dict[Key, StoredRow]:
    """Return the results of these items' comparisons, without their contents."""
    query = select(*_COLUMNS, _HAS_CONTENT).where(VARIATION.c.item_id.in_(item_ids))
    return {(row.item_id, row.file_id, row.kind): row for row in session.execute(query)}


def contents(session: Session, members: Sequence[Member]) -> list[tuple[Member, bytes]]:
    """Return the members that have stored contents, with these contents."""
    members_by_key = {member.key: member for member in members}
    ids = {member.item.item_id for member in members}
    query = select(VARIATION.c.item_id, VARIATION.c.file_id, VARIATION.c.kind, VARIATION.c.content).where(
        VARIATION.c.item_id.in_(ids), VARIATION.c.content.is_not(None)
    )
    contents_by_key = {
        (row.item_id, row.file_id, row.kind): bytes(row.content) for row in session.execute(query)
    }
    return [
        (member, contents_by_key[key]) for key, member in members_by_key.items() if key in contents_by_key
    ]


def parse_region(text: str) -> tuple[float, float, float, float]:
    """Parse the region of a row."""
    x, y, w, h = json.loads(text)
    return float(x), float(y), float(w), float(h)


def _window(row: StoredRow | None) -> tuple[dt.datetime | None, dt.datetime | None]:
    return (None, None) if row is None else (row.begins_at, row.frozen_at)


KIND: Final = "region_memory"
"""The kind of announced changes of memories; the object is the file of the reference image."""

_KEY = ["reference_image_id", "reference_file_id", "region"]


def lock_region(session: Session, place: Place) -> StoredRow:
    """Return the row of the memory of a place, locked for this transaction; create it if missing."""
    row = find_settings(session, place)
    region = json.dumps(place.region) if row is None else row.region
    values = {
        "reference_image_id": place.reference_image_id,
        "reference_file_id": place.reference_file_id,
        "region": region,
    }
    if row is None:
        insert_or_ignore(session, REGION, [{"memory_id": new_id(), **values}], _KEY)
    conditions = (REGION.c[name] == value for name, value in values.items())
    return session.execute(select(REGION).where(*conditions).with_for_update()).one()


def change(session: Session, memory: Memory, changes: MemoryChange, user_id: str) -> dict[str, Any]:
    """Apply `changes`; return the details for the audit log. Raises Problem 404 for an unknown photo.

    Starting a memory over unfreezes it, unless `changes` freezes it as well.
    """
    unknown = (
        set(changes.left_out or ()) - {member.file_id for member in memory.members} - set(memory.left_out)
    )
    if unknown:
        raise Problem(404, ErrorCode.NOT_FOUND, "照片不在此区域的记忆中，请刷新后重试")
    row = lock_region(session, memory.place)
    moment = now()
    values: dict[str, Any] = {}
    if changes.required is not None:
        values["required"] = changes.required
    if changes.start_over:
        values |= {"begins_at": moment, "frozen_at": None, "frozen_by": None}
    if changes.frozen is False:
        values |= {"frozen_at": None, "frozen_by": None}
    elif changes.frozen and (changes.start_over or row.frozen_at is None):
        values |= {"frozen_at": moment, "frozen_by": user_id}
    new_values = {name: value for name, value in values.items() if row._mapping[name] != value}
    if new_values:
        session.execute(update(REGION).where(REGION.c.memory_id == row.memory_id).values(new_values))
    details: dict[str, Any] = {
        name: {"old": row._mapping[name], "new": value}
        for name, value in new_values.items()
        if name != "frozen_by"
    }
    left_out = _leave_out(session, row.memory_id, memory, changes.left_out or {}, user_id)
    return details | ({"left_out": left_out} if left_out else {})


def _leave_out(
    session: Session, memory_id: str, memory: Memory, choices: dict[str, bool], user_id: str
) -> dict[str, bool]:
    changes = {
        file_id: is_left_out
        for file_id, is_left_out in choices.items()
        if is_left_out is not (file_id in memory.left_out)
    }
    is_in_memory = LEFT_OUT.c.memory_id == memory_id
    restored_ids = [file_id for file_id, is_left_out in changes.items() if not is_left_out]
    session.execute(delete(LEFT_OUT).where(is_in_memory, LEFT_OUT.c.file_id.in_(restored_ids)))
    rows = [
        {"memory_id": memory_id, "file_id": file_id, "left_out_by": user_id, "left_out_at": now()}
        for file_id, is_left_out in sorted(changes.items())
        if is_left_out
    ]
    if rows:
        insert_or_update(session, LEFT_OUT, rows, ["memory_id", "file_id"])
    return changes
