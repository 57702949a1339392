"""Defines the tables of the audit log. The database itself refuses to change or delete a row of it (migration
0007)."""

import datetime as dt

from sqlalchemy import BigInteger, Index, Integer, Text
from sqlmodel import Field

from service.db.database import Base, UtcTime

_SEQ = BigInteger().with_variant(Integer, "sqlite")


class AuditRow(Base, table=True):
    """One event. `details` is the JSON text that the hash covers."""

    __tablename__ = "audit_event"
    __table_args__ = (
        Index(None, "kind", "object_id", "seq"),
        Index(None, "actor", "seq"),
        Index(None, "action", "seq"),
        Index(None, "at"),
    )

    seq: int = Field(sa_type=_SEQ, primary_key=True, sa_column_kwargs={"autoincrement": False})
    at: dt.datetime = Field(sa_type=UtcTime)
    action: str = Field(max_length=255)
    kind: str = Field(max_length=255)
    object_id: str | None = Field(default=None, max_length=255)
    actor: str | None = Field(default=None, max_length=255)
    address: str | None = Field(default=None, max_length=255)
    details: str = Field(sa_type=Text)
    prev_hash: str = Field(max_length=64)
    hash: str = Field(max_length=64)


class HeadRow(Base, table=True):
    """The newest row of the log, signed with a key that is not in the database. There is one such row."""

    __tablename__ = "audit_head"

    head_id: int = Field(default=1, primary_key=True, sa_column_kwargs={"autoincrement": False})
    seq: int = Field(sa_type=_SEQ)
    hash: str = Field(max_length=64)
    mac: str = Field(max_length=64)
