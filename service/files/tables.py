"""The table of stored files."""

from __future__ import annotations

import datetime as dt
import uuid

from sqlalchemy import BigInteger, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from service.database import Base, now


class FileRow(Base):
    """A name given to a content. The same content under the same name is one row, the content one blob."""

    __tablename__ = "file"
    __table_args__ = (UniqueConstraint("sha256", "filename"),)

    file_id: Mapped[str] = mapped_column(String(36), primary_key=True, default=lambda: str(uuid.uuid4()))
    sha256: Mapped[str] = mapped_column(String(64))
    filename: Mapped[str] = mapped_column(String(255))
    mime_type: Mapped[str] = mapped_column(String(100))
    size: Mapped[int] = mapped_column(BigInteger)
    width: Mapped[int | None]
    height: Mapped[int | None]
    added_by: Mapped[str | None] = mapped_column(String(255))
    created_at: Mapped[dt.datetime] = mapped_column(default=now)
