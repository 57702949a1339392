"""Tables of inspection records and items.

They are written and read by prebuilt Core statements (three times the speed of mapped objects in a
search), so the times are plain columns in UTC without a zone, and `item_point` and `result` are JSON as text:
the same text on both databases, number for number, which an answer repeats without decoding it. Ids of things
of other domains are kept as given and are no foreign keys: a task may live in another system.
"""

from __future__ import annotations

import datetime as dt
from typing import cast

from sqlalchemy import DateTime, ForeignKey, Index, String, Table, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.database import Base


class Record(Base):
    """An inspection record. `revision` counts its changes and is its ETag.

    `updated_by`: who last changed it by hand; what follows from the items is nobody's change.
    """

    __tablename__ = "record"

    inspection_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    inspection_name: Mapped[str | None] = mapped_column(String(255))
    task_id: Mapped[str] = mapped_column(String(255))
    executor_id: Mapped[str | None] = mapped_column(String(255))
    reference_image_id: Mapped[str | None] = mapped_column(String(255))
    progress: Mapped[int]
    start_time: Mapped[dt.datetime | None] = mapped_column(DateTime())
    end_time: Mapped[dt.datetime | None] = mapped_column(DateTime())
    inspection_status: Mapped[str] = mapped_column(String(32))
    revision: Mapped[int]
    created_at: Mapped[dt.datetime] = mapped_column(DateTime())
    updated_at: Mapped[dt.datetime] = mapped_column(DateTime())
    updated_by: Mapped[str | None] = mapped_column(String(255))

    __table_args__ = (
        # The filter's column first, then the order of the search: a page is cut on the index alone.
        Index(None, "created_at", "inspection_id"),
        Index(None, "task_id", "created_at", "inspection_id"),
        Index(None, "executor_id", "created_at", "inspection_id"),
        Index(None, "reference_image_id", "created_at", "inspection_id"),
        Index(None, "inspection_status", "created_at", "inspection_id"),
        Index(None, "start_time", "created_at", "inspection_id"),
        Index(None, "end_time", "created_at", "inspection_id"),
    )


class Item(Base):
    """An item of a record. `outcome` sums its result entries up (`rules.Outcome`).

    `client_key`: who made it and the Idempotency-Key that came along, so that a repeated create makes no
    second one. `updated_by`: who last changed a field other than the result, whose entries say by themselves
    whose they are.
    """

    __tablename__ = "item"

    item_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    inspection_id: Mapped[str] = mapped_column(ForeignKey("record.inspection_id", ondelete="CASCADE"))
    item_name: Mapped[str] = mapped_column(String(255))
    description: Mapped[str | None] = mapped_column(Text)
    model_id: Mapped[str | None] = mapped_column(String(255))
    item_point: Mapped[str | None] = mapped_column(Text)
    result: Mapped[str] = mapped_column(Text)
    outcome: Mapped[str] = mapped_column(String(8))
    client_key: Mapped[str | None] = mapped_column(String(512), unique=True)
    revision: Mapped[int]
    created_at: Mapped[dt.datetime] = mapped_column(DateTime())
    updated_at: Mapped[dt.datetime] = mapped_column(DateTime())
    updated_by: Mapped[str | None] = mapped_column(String(255))

    __table_args__ = (
        Index(None, "inspection_id", "created_at", "item_id"),
        Index(None, "inspection_id", "outcome"),
    )


class ItemPhoto(Base):
    """A file that is a photo of an item; the newest is the one that detection looks at."""

    __tablename__ = "item_photo"

    photo_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    item_id: Mapped[str] = mapped_column(ForeignKey("item.item_id", ondelete="CASCADE"))
    file_id: Mapped[str] = mapped_column(String(255))
    added_by: Mapped[str | None] = mapped_column(String(255))
    created_at: Mapped[dt.datetime] = mapped_column(DateTime())

    __table_args__ = (Index(None, "item_id", "created_at", "photo_id"),)


class DeletedItem(Base):
    """An item that was deleted and can be brought back: `content` is its row and its photos' as JSON."""

    __tablename__ = "deleted_item"

    item_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    inspection_id: Mapped[str] = mapped_column(
        ForeignKey("record.inspection_id", ondelete="CASCADE"), index=True
    )
    deleted_by: Mapped[str] = mapped_column(String(255))
    deleted_at: Mapped[dt.datetime] = mapped_column(DateTime(), index=True)
    content: Mapped[str] = mapped_column(Text)


RECORD = cast(Table, Record.__table__)
ITEM = cast(Table, Item.__table__)
PHOTO = cast(Table, ItemPhoto.__table__)
DELETED = cast(Table, DeletedItem.__table__)
