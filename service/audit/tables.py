"""Tables of the audit log. The database itself refuses to change or delete a row of it (migration 0007)."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import BigInteger, Index, Integer, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.database import Base

_SEQ = BigInteger().with_variant(Integer, "sqlite")


class AuditRow(Base):
    """One thing that happened. `details` is the JSON text that was hashed."""

    __tablename__ = "audit_event"
    __table_args__ = (
        Index(None, "kind", "object_id", "seq"),
        Index(None, "actor", "seq"),
        Index(None, "action", "seq"),
        Index(None, "at"),
    )

    seq: Mapped[int] = mapped_column(_SEQ, primary_key=True, autoincrement=False)
    at: Mapped[dt.datetime]
    action: Mapped[str] = mapped_column(String(255))
    kind: Mapped[str] = mapped_column(String(255))
    object_id: Mapped[str | None] = mapped_column(String(255))
    actor: Mapped[str | None] = mapped_column(String(255))
    address: Mapped[str | None] = mapped_column(String(255))
    details: Mapped[str] = mapped_column(Text)
    prev_hash: Mapped[str] = mapped_column(String(64))
    hash: Mapped[str] = mapped_column(String(64))


class HeadRow(Base):
    """The newest row of the log, signed with a key that is not in the database. There is one such row."""

    __tablename__ = "audit_head"

    head_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, default=1)
    seq: Mapped[int] = mapped_column(_SEQ)
    hash: Mapped[str] = mapped_column(String(64))
    mac: Mapped[str] = mapped_column(String(64))
