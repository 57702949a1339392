"""Defines the tables of memories: the settings of people, the contributions of photos and the queue of items.

Settings are stored for each region of a reference image. The photos of a memory follow from the records and
are not stored. `region_variation` and `region_memory_waiting` can be emptied at any time; they are filled
again. Ids of objects of other domains are not foreign keys.
"""

import datetime as dt

from sqlalchemy import Index, LargeBinary, Text
from sqlmodel import Field

from service.db.database import Base, UtcTime


class RegionRow(Base, table=True):
    """The settings for the memory of a region; `region` is x, y, w, h as an item stores them, as JSON.

    `required` is None if nobody set it. `disagreements` (JSON) and `proposed_place` were computed from the
    photos that `basis` is the hash of; None before.
    """

    __tablename__ = "region_memory"

    memory_id: str = Field(max_length=36, primary_key=True)
    reference_image_id: str = Field(max_length=255)
    reference_file_id: str = Field(max_length=255)
    region: str = Field(max_length=255)
    required: int | None = None
    frozen_at: dt.datetime | None = Field(default=None, sa_type=UtcTime)
    frozen_by: str | None = Field(default=None, max_length=255)
    begins_at: dt.datetime | None = Field(default=None, sa_type=UtcTime)
    disagreements: str | None = Field(default=None, sa_type=Text)
    basis: str | None = Field(default=None, max_length=64)
    proposed_place: str | None = Field(default=None, max_length=16)

    __table_args__ = (Index(None, "reference_image_id", "reference_file_id", "region", unique=True),)


class LeftOutRow(Base, table=True):
    """A photo that a person left out of a memory."""

    __tablename__ = "region_memory_left_out"

    memory_id: str = Field(
        max_length=36, primary_key=True, foreign_key="region_memory.memory_id", ondelete="CASCADE"
    )
    file_id: str = Field(max_length=255, primary_key=True)
    left_out_by: str = Field(max_length=255)
    left_out_at: dt.datetime = Field(sa_type=UtcTime)


class VariationRow(Base, table=True):
    """The contribution of an item's photo to the memory of its region.

    `kind` is a `shared.wire.memory.MemoryKind`. `basis` is the hash of all inputs: if it differs, the photo
    must be compared again. `error` is the reason for a missing content (`service.detection.failure`).
    `content` is a memory with this one photo (`variation.serial`); also None if the memory keeps other photos
    instead, while `differences` stays.
    """

    __tablename__ = "region_variation"

    item_id: str = Field(max_length=36, primary_key=True)
    file_id: str = Field(max_length=255, primary_key=True)
    kind: str = Field(max_length=16, primary_key=True)
    inspection_id: str = Field(max_length=36, index=True)
    reference_image_id: str = Field(max_length=255, index=True)
    region: str = Field(max_length=255)
    version: int
    basis: str = Field(max_length=64)
    error: str | None = Field(default=None, max_length=32)
    differences: int | None = None
    content: bytes | None = Field(default=None, sa_type=LargeBinary)


class WaitingRow(Base, table=True):
    """An item whose memory must be updated. `stamp` changes with each change of the item."""

    __tablename__ = "region_memory_waiting"

    item_id: str = Field(max_length=36, primary_key=True)
    stamp: str = Field(max_length=36)
    since: dt.datetime = Field(sa_type=UtcTime, index=True)
    taken_until: dt.datetime | None = Field(default=None, sa_type=UtcTime)


REGION = RegionRow.__table__
LEFT_OUT = LeftOutRow.__table__
VARIATION = VariationRow.__table__
WAITING = WaitingRow.__table__
