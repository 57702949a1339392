"""Defines the tables of inspection records and items.

They are written and read by prebuilt Core statements (three times the speed of mapped objects in a
search), so the times are plain columns in UTC without a zone, and `item_point` and `result` are JSON as text:
the same text on both databases, number for number, which an answer repeats without decoding it. Ids of things
of other domains are kept as given and are no foreign keys: a task may live in another system.
"""

from pydantic import NaiveDatetime
from sqlalchemy import Index, Text, text
from sqlmodel import Field

from service.db.database import Base


class Record(Base, table=True):
    """An inspection record. Every change replaces `revision`, which is its ETag.

    `record_state` is kept so that a search finds it on an index (`shared.record.results.record_state`).
    `updated_by`: who last changed it by hand; what follows from the items does not count as a user's change.
    """

    __tablename__ = "record"

    inspection_id: str = Field(max_length=36, primary_key=True)
    inspection_name: str | None = Field(default=None, max_length=255)
    task_id: str = Field(max_length=255)
    executor_id: str | None = Field(default=None, max_length=255)
    reference_image_id: str | None = Field(default=None, max_length=255)
    progress: int
    start_time: NaiveDatetime | None = None
    end_time: NaiveDatetime | None = None
    inspection_status: str = Field(max_length=32)
    record_state: str = Field(max_length=32, sa_column_kwargs={"server_default": "not_started"})
    revision: int
    created_at: NaiveDatetime
    updated_at: NaiveDatetime
    updated_by: str | None = Field(default=None, max_length=255)

    __table_args__ = (
        # The filter's column first, then the order of the search: a page is cut on the index alone.
        Index(None, "created_at", "inspection_id"),
        Index(None, "task_id", "created_at", "inspection_id"),
        Index(None, "executor_id", "created_at", "inspection_id"),
        Index(None, "reference_image_id", "created_at", "inspection_id"),
        Index(None, "inspection_status", "created_at", "inspection_id"),
        Index(None, "record_state", "created_at", "inspection_id"),
        Index(None, "start_time", "created_at", "inspection_id"),
        Index(None, "end_time", "created_at", "inspection_id"),
        Index(None, "updated_at"),
    )


class RecordKey(Base, table=True):
    """Who created a record and the Idempotency-Key that came along; `client_body`: the SHA-256 of that body.

    A table of its own: a create without a key, which is nearly every one, writes no more than before.
    """

    __tablename__ = "record_key"

    client_key: str = Field(max_length=512, primary_key=True)
    client_body: str = Field(max_length=64)
    inspection_id: str = Field(
        max_length=36, index=True, foreign_key="record.inspection_id", ondelete="CASCADE"
    )


class Item(Base, table=True):
    """An item of a record. `outcome` sums its result entries up (`rules.Outcome`).

    `verdict` and `detected` say of the same entries what a person decided, and whether a detection finished.

    `client_key`: who made it and the Idempotency-Key that came along, so that a repeated create makes no
    second one; `client_body`: the SHA-256 of that create's body. `updated_by`: who last changed a field other
    than the result, whose entries say by themselves whose they are. `place`: where a person put it in the
    walk, below 0; 0, the place of a new item, comes after all of them, by age.
    """

    __tablename__ = "item"

    item_id: str = Field(max_length=36, primary_key=True)
    inspection_id: str = Field(max_length=36, foreign_key="record.inspection_id", ondelete="CASCADE")
    item_name: str = Field(max_length=255)
    description: str | None = Field(default=None, sa_type=Text)
    model_id: str | None = Field(default=None, max_length=255)
    item_point: str | None = Field(default=None, sa_type=Text)
    result: str = Field(sa_type=Text)
    outcome: str = Field(max_length=8)
    verdict: str = Field(max_length=16, sa_column_kwargs={"server_default": "undecided"})
    detected: bool = Field(sa_column_kwargs={"server_default": text("false")})
    place: int = Field(default=0, sa_column_kwargs={"server_default": text("0")})
    client_key: str | None = Field(default=None, max_length=512, unique=True)
    client_body: str | None = Field(default=None, max_length=64)
    revision: int
    created_at: NaiveDatetime
    updated_at: NaiveDatetime
    updated_by: str | None = Field(default=None, max_length=255)

    __table_args__ = (
        Index(None, "inspection_id", "place", "created_at", "item_id"),
        Index(None, "inspection_id", "outcome"),
        Index(None, "inspection_id", "verdict", "detected"),
    )


class ItemPhoto(Base, table=True):
    """A file that is a photo of an item; the newest is the one that detection looks at.

    `client_key`: who added it and the Idempotency-Key that came along, so that an addition that is sent again
    adds no second photo. `record_photo_id`: the photo of the record that it is; None for a photo of this item
    alone. `assigned` (`shared.wire.photos.Assigned`) says who found that it shows the item, `homography`
    (JSON) where the reference image, the file `reference_file_id`, lies in it. `by_phone`: a phone
    sent it for the person who added it.
    `record_photo_id` is not a foreign key: SQLite adds none to a table that is there.
    """

    __tablename__ = "item_photo"

    photo_id: str = Field(max_length=36, primary_key=True)
    item_id: str = Field(max_length=36, foreign_key="item.item_id", ondelete="CASCADE")
    file_id: str = Field(max_length=255)
    added_by: str | None = Field(default=None, max_length=255)
    created_at: NaiveDatetime
    client_key: str | None = Field(default=None, max_length=512)
    record_photo_id: str | None = Field(default=None, max_length=36, index=True)
    assigned: str | None = Field(default=None, max_length=16)
    homography: str | None = Field(default=None, sa_type=Text)
    reference_file_id: str | None = Field(default=None, max_length=255)
    by_phone: bool = Field(sa_column_kwargs={"server_default": text("false")})

    __table_args__ = (
        Index(None, "item_id", "created_at", "photo_id"),
        Index(None, "item_id", "client_key", unique=True),
        Index(None, "file_id"),
    )


class RecordPhoto(Base, table=True):
    """A file that is a photo of a record, once; its rows in `item_photo` say of which items.

    `state` (`shared.wire.photos.PhotoState`) says how far its matching is, `error` why that failed, `matches`
    (JSON, `service.inspection.records.matches`) what it found; None before the first one. `by_phone` as in
    `ItemPhoto`.
    """

    __tablename__ = "record_photo"

    photo_id: str = Field(max_length=36, primary_key=True)
    inspection_id: str = Field(max_length=36, foreign_key="record.inspection_id", ondelete="CASCADE")
    file_id: str = Field(max_length=255)
    added_by: str | None = Field(default=None, max_length=255)
    created_at: NaiveDatetime
    state: str = Field(max_length=16)
    error: str | None = Field(default=None, max_length=32)
    matches: str | None = Field(default=None, sa_type=Text)
    by_phone: bool = Field(sa_column_kwargs={"server_default": text("false")})

    __table_args__ = (
        Index(None, "inspection_id", "created_at", "photo_id"),
        Index(None, "inspection_id", "file_id", unique=True),
        Index(None, "file_id"),
    )


class RecordFilm(Base, table=True):
    """A film that is kept with a record, once for each file."""

    __tablename__ = "record_film"

    film_id: str = Field(max_length=36, primary_key=True)
    inspection_id: str = Field(max_length=36, foreign_key="record.inspection_id", ondelete="CASCADE")
    file_id: str = Field(max_length=255)
    added_by: str | None = Field(default=None, max_length=255)
    created_at: NaiveDatetime

    __table_args__ = (
        Index(None, "inspection_id", "created_at", "film_id"),
        Index(None, "inspection_id", "file_id", unique=True),
        Index(None, "file_id"),
    )


class DeletedItem(Base, table=True):
    """An item that was deleted and can be brought back: `content` is its row and its photos' as JSON."""

    __tablename__ = "deleted_item"

    item_id: str = Field(max_length=36, primary_key=True)
    inspection_id: str = Field(
        max_length=36, index=True, foreign_key="record.inspection_id", ondelete="CASCADE"
    )
    deleted_by: str = Field(max_length=255)
    deleted_at: NaiveDatetime = Field(index=True)
    content: str = Field(sa_type=Text)


class RecordEdition(Base, table=True):
    """A sealed edition of a record, kept also when the record is deleted later.

    `content` is the canonical text whose SHA-256 is `seal` (`service.inspection.sealing.seal`). The record is
    sealed while its newest edition has not been reopened.
    """

    __tablename__ = "record_edition"

    inspection_id: str = Field(max_length=36, primary_key=True)
    edition: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    seal: str = Field(max_length=64)
    content: str = Field(sa_type=Text)
    outcome: str = Field(max_length=32)
    accepted_opinions: int
    finished_by: str = Field(max_length=255)
    finished_by_name: str | None = Field(default=None, max_length=255)
    finished_at: NaiveDatetime
    needs_release: bool
    released_by: str | None = Field(default=None, max_length=255)
    released_by_name: str | None = Field(default=None, max_length=255)
    released_at: NaiveDatetime | None = None
    reopened_by: str | None = Field(default=None, max_length=255)
    reopened_by_name: str | None = Field(default=None, max_length=255)
    reopened_at: NaiveDatetime | None = None
    reopen_reason: str | None = Field(default=None, sa_type=Text)


class Comment(Base, table=True):
    """What a person wrote about an item, at a place on a photo if there are `file_id`, `x` and `y`.

    The place is a fraction (0..1) of the upright photo. `item_id` is no foreign key: an item that is deleted
    and brought back has its comments again.
    """

    __tablename__ = "record_comment"

    comment_id: str = Field(max_length=36, primary_key=True)
    inspection_id: str = Field(max_length=36, foreign_key="record.inspection_id", ondelete="CASCADE")
    item_id: str = Field(max_length=36)
    file_id: str | None = Field(default=None, max_length=255)
    x: float | None = None
    y: float | None = None
    text: str = Field(sa_type=Text)
    written_by: str = Field(max_length=255)
    written_by_name: str | None = Field(default=None, max_length=255)
    created_at: NaiveDatetime

    __table_args__ = (Index(None, "inspection_id", "created_at", "comment_id"),)


class Handover(Base, table=True):
    """A record that one person handed over to another, with a note for that person."""

    __tablename__ = "record_handover"

    handover_id: str = Field(max_length=36, primary_key=True)
    inspection_id: str = Field(max_length=36, foreign_key="record.inspection_id", ondelete="CASCADE")
    given_by: str = Field(max_length=255)
    given_by_name: str | None = Field(default=None, max_length=255)
    given_to: str = Field(max_length=255)
    given_to_name: str | None = Field(default=None, max_length=255)
    note: str = Field(sa_type=Text)
    created_at: NaiveDatetime

    __table_args__ = (Index(None, "inspection_id", "created_at", "handover_id"),)


class InspectionPolicy(Base, table=True):
    """The one row (policy_id 1) with the rules of this installation."""

    __tablename__ = "inspection_policy"

    policy_id: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    four_eyes: bool
    requires_inspection: bool = Field(sa_column_kwargs={"server_default": text("false")})
    required_coverage: float = Field(sa_column_kwargs={"server_default": text("0.95")})


RECORD = Record.__table__
RECORD_KEY = RecordKey.__table__
ITEM = Item.__table__
PHOTO = ItemPhoto.__table__
RECORD_PHOTO = RecordPhoto.__table__
FILM = RecordFilm.__table__
DELETED = DeletedItem.__table__
EDITION = RecordEdition.__table__
COMMENT = Comment.__table__
HANDOVER = Handover.__table__
POLICY = InspectionPolicy.__table__

ITEM_ORDER = (ITEM.c.place, ITEM.c.created_at, ITEM.c.item_id)
"""The order of the items of a record: as they are walked, then by age."""
