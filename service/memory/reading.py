"""Reads a memory as the records make it at this moment, with what people set and what is compared."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, select
from sqlmodel import Session

from service.memory import rules
from service.memory.ports import Place, Ports
from service.memory.rules import Member
from service.memory.tables import LEFT_OUT, REGION, VARIATION
from shared.wire.memory import MOST_MEMORY_PHOTOS

StoredRow = Row[*tuple[Any, ...]]
Key = tuple[str, str, str]

_OLDEST_ITEMS = 12
"""So many of the oldest items are read besides the newest: a memory keeps the oldest photos too."""
_COLUMNS = [column for column in VARIATION.c if column.name != "content"]
_HAS_CONTENT = VARIATION.c.content.is_not(None).label("has_content")


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory of a place. members: all photos that belong to it, left out or not, in no order.

    row: what people set; None while nobody did. left_out: by file. variations: what is compared, by item,
    file and kind.
    """

    place: Place
    row: StoredRow | None
    members: Sequence[Member]
    left_out: Mapping[str, StoredRow]
    variations: Mapping[Key, StoredRow]
    version: int

    @property
    def required(self) -> int:
        """Passed photos before it counts."""
        required: int | None = None if self.row is None else self.row.required
        return rules.REQUIRED if required is None else required

    @property
    def counted(self) -> list[Member]:
        """The members that nobody left out."""
        return [member for member in self.members if member.file_id not in self.left_out]

    def variation(self, member: Member) -> StoredRow | None:
        """What is known of a member's comparison; None while it was not compared as it is now."""
        row = self.variations.get(member.key)
        return row if row is not None and row.basis == member.basis(self.version) else None

    def has_content(self, member: Member) -> bool:
        """Whether what the member adds is kept."""
        row = self.variation(member)
        return row is not None and bool(row.has_content)

    def basis_of(self, members: Sequence[Member]) -> str:
        """What stands for these members."""
        return rules.together(member.basis(self.version) for member in members)


def settings_of(session: Session, ports: Ports, place: Place) -> StoredRow | None:
    """What people set for the memory of a place; None while nobody did."""
    conditions = (
        REGION.c.reference_image_id == place.reference_image_id,
        REGION.c.reference_file_id == place.reference_file_id,
    )
    rows = session.execute(select(REGION).where(*conditions).order_by(REGION.c.memory_id)).all()
    shares = [(ports.overlap(place, region_of(row.region)), row) for row in rows]
    best = max(shares, key=lambda pair: pair[0], default=(0.0, None))
    return best[1] if best[0] > 0 else None


def read(session: Session, ports: Ports, place: Place) -> Memory:
    """The memory of a place, from the newest items there and some of the oldest."""
    row = settings_of(session, ports, place)
    begins_at, frozen_at = _window(row)
    item_ids = ports.at_place(session, place, begins_at, frozen_at)
    if len(item_ids) > MOST_MEMORY_PHOTOS + _OLDEST_ITEMS:
        item_ids = [*item_ids[:MOST_MEMORY_PHOTOS], *item_ids[-_OLDEST_ITEMS:]]
    if frozen_at is not None:
        # What failed since enters a frozen memory too.
        later = ports.at_place(session, place, frozen_at, None)[:MOST_MEMORY_PHOTOS]
        item_ids = [*dict.fromkeys([*later, *item_ids])]
    return _memory(session, ports, place, row, item_ids)


def read_kept(session: Session, ports: Ports, place: Place) -> Memory:
    """The memory of a place, from the items alone of which something is kept: all that a detection needs."""
    on_image = VARIATION.c.reference_image_id == place.reference_image_id
    of_image = select(VARIATION.c.item_id, VARIATION.c.region).where(
        on_image, VARIATION.c.content.is_not(None)
    )
    shares: dict[str, float] = {}
    item_ids: dict[str, None] = {}
    for item_id, region in session.execute(of_image):
        if region not in shares:
            shares[region] = ports.overlap(place, region_of(region))
        if shares[region] > 0 and item_id != place.item_id:
            item_ids[item_id] = None
    return _memory(session, ports, place, settings_of(session, ports, place), list(item_ids))


def _memory(
    session: Session, ports: Ports, place: Place, row: StoredRow | None, item_ids: Sequence[str]
) -> Memory:
    begins_at, frozen_at = _window(row)
    # An item may have come to another place since its id was found.
    items = [item for item in ports.items(session, item_ids) if ports.overlap(place, item.region) > 0]
    members = [
        member
        for item in items
        for member in rules.members(item)
        if member.photo.question.reference_sha256 == place.reference_sha256
    ]
    left_out = {}
    if row is not None:
        of_memory = select(LEFT_OUT).where(LEFT_OUT.c.memory_id == row.memory_id)
        left_out = {stored.file_id: stored for stored in session.execute(of_memory)}
    return Memory(
        place,
        row,
        rules.within(members, begins_at, frozen_at),
        left_out,
        variations_of(session, item_ids),
        ports.version,
    )


def variations_of(session: Session, item_ids: Collection[str]) -> dict[Key, StoredRow]:
    """What is known of the comparisons of these items' photos, without their contents."""
    query = select(*_COLUMNS, _HAS_CONTENT).where(VARIATION.c.item_id.in_(item_ids))
    return {(row.item_id, row.file_id, row.kind): row for row in session.execute(query)}


def contents(session: Session, members: Sequence[Member]) -> list[tuple[Member, bytes]]:
    """What these members add, as the compute process made it; without those of which nothing is kept."""
    of_key = {member.key: member for member in members}
    ids = {member.item.item_id for member in members}
    query = select(VARIATION.c.item_id, VARIATION.c.file_id, VARIATION.c.kind, VARIATION.c.content).where(
        VARIATION.c.item_id.in_(ids), VARIATION.c.content.is_not(None)
    )
    stored = {(row.item_id, row.file_id, row.kind): bytes(row.content) for row in session.execute(query)}
    return [(member, stored[key]) for key, member in of_key.items() if key in stored]


def region_of(text: str) -> tuple[float, float, float, float]:
    """A region as a row keeps it."""
    x, y, w, h = json.loads(text)
    return float(x), float(y), float(w), float(h)


def _window(row: StoredRow | None) -> tuple[dt.datetime | None, dt.datetime | None]:
    return (None, None) if row is None else (row.begins_at, row.frozen_at)
