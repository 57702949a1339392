"""Defines the table of stored files."""

import datetime as dt

from sqlalchemy import BigInteger, Text, UniqueConstraint
from sqlmodel import Field

from service.db.database import Base, UtcTime, now
from shared.ids import new_id


class FileRow(Base, table=True):
    """A content with a name. The same content with the same name is one row.

    `uploaded_at` is the time of the last further upload, to the hour; None without one. `camera` is the
    camera data in the content (`shared.wire.files.CameraData` as JSON); None for a file stored by a version
    that did not read it.
    """

    __tablename__ = "file"
    __table_args__ = (UniqueConstraint("sha256", "filename"),)

    file_id: str = Field(default_factory=new_id, max_length=36, primary_key=True)
    sha256: str = Field(max_length=64)
    filename: str = Field(max_length=255)
    mime_type: str = Field(max_length=100)
    size: int = Field(sa_type=BigInteger)
    width: int | None = None
    height: int | None = None
    added_by: str | None = Field(default=None, max_length=255)
    created_at: dt.datetime = Field(default_factory=now, sa_type=UtcTime)
    uploaded_at: dt.datetime | None = Field(default=None, sa_type=UtcTime)
    camera: str | None = Field(default=None, sa_type=Text)
