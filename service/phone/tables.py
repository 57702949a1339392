"""Defines the tables of phone codes, of the photos that phones send, and of their parts."""

import datetime as dt

from sqlalchemy import Index, LargeBinary
from sqlmodel import Field

from service.db.database import Base, UtcTime


class PhoneCodeRow(Base, table=True):
    """A code. `token_hash` and `key_hash` are SHA-256 of the token and of the claiming phone's key.

    The code ends with `session_id`, the login session of the user who made it. `ended` is the reason for the
    end (`shared.wire.phone.CodeEnd`); it may still be None for an expired code.
    """

    __tablename__ = "phone_code"

    code_id: str = Field(max_length=36, primary_key=True)
    token_hash: str = Field(max_length=64, unique=True)
    key_hash: str | None = Field(default=None, max_length=64)
    inspection_id: str = Field(max_length=36, index=True)
    item_id: str | None = Field(default=None, max_length=36)
    made_by: str = Field(max_length=36)
    session_id: str = Field(max_length=36)
    created_at: dt.datetime = Field(sa_type=UtcTime)
    expires_at: dt.datetime = Field(sa_type=UtcTime)
    ended: str | None = Field(default=None, max_length=16)
    claimed_at: dt.datetime | None = Field(default=None, sa_type=UtcTime)
    seen_at: dt.datetime | None = Field(default=None, sa_type=UtcTime)
    phone: str | None = Field(default=None, max_length=32)

    __table_args__ = (Index(None, "made_by", "expires_at"), Index(None, "expires_at"))


class PhoneUploadRow(Base, table=True):
    """A photo that a phone sends. `phone_part` contains `received` of its `size` bytes until it is stored."""

    __tablename__ = "phone_upload"

    upload_id: str = Field(max_length=36, primary_key=True)
    code_id: str = Field(max_length=36, index=True, foreign_key="phone_code.code_id", ondelete="CASCADE")
    name: str = Field(max_length=255)
    item_id: str | None = Field(default=None, max_length=36)
    size: int
    received: int
    state: str = Field(max_length=16)
    error: str | None = Field(default=None, max_length=32)
    reason: str | None = Field(default=None, max_length=255)
    created_at: dt.datetime = Field(sa_type=UtcTime)


class PhonePartRow(Base, table=True):
    """The bytes of a photo from `start` on. They are in the database, so any service process can add more."""

    __tablename__ = "phone_part"

    upload_id: str = Field(
        max_length=36, primary_key=True, foreign_key="phone_upload.upload_id", ondelete="CASCADE"
    )
    start: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    content: bytes = Field(sa_type=LargeBinary)


CODE = PhoneCodeRow.__table__
UPLOAD = PhoneUploadRow.__table__
PART = PhonePartRow.__table__
