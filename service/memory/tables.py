"""Defines the tables of memories: what people set, and what photos add.

What people set is kept for a region of a reference image. Which photos belong to it follows from the records
and is kept nowhere; `region_variation` and `region_memory_waiting` can be emptied at any time, and are filled
again. Ids of things of other domains are no foreign keys.
"""

from __future__ import annotations

import datetime as dt

from sqlalchemy import Index, LargeBinary, Text
from sqlmodel import Field

from service.db.database import Base, UtcTime


class RegionRow(Base, table=True):
    """What people set for the memory of a region; `region` is x, y, w, h as an item keeps them, JSON.

    `required` is None while nobody set it. `disagreements` (JSON) is what was found with the photos that
    `basis` stands for; None before.
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
    """What the photo of an item adds to the memory of its region.

    `kind` is of `shared.wire.memory.MemoryKind`. `basis` stands for all that it was made from: another one
    means that it has to be made again. `error` says why there is nothing (`service.detection.failure`).
    `content` is a memory with this one photo (`variation.serial`), None as well where the memory keeps
    others and needs it no more; `differences` stays.
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
    """An item whose memory is to be brought in line. `stamp` changes with each change of the item."""

    __tablename__ = "region_memory_waiting"

    item_id: str = Field(max_length=36, primary_key=True)
    stamp: str = Field(max_length=36)
    since: dt.datetime = Field(sa_type=UtcTime, index=True)
    taken_until: dt.datetime | None = Field(default=None, sa_type=UtcTime)


REGION = RegionRow.__table__
LEFT_OUT = LeftOutRow.__table__
VARIATION = VariationRow.__table__
WAITING = WaitingRow.__table__
