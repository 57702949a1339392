"""Defines the table of backup runs."""

import datetime as dt

from sqlalchemy import BigInteger, Index
from sqlmodel import Field

from service.db.database import Base, UtcTime, now
from shared.ids import new_id


class BackupRow(Base, table=True):
    """One run of a scheduled backup: running, done or failed.

    `name` is the name of the backup in its place, `size` the size of its contents, and `added` that of the
    new ones, both in bytes. `problem` is a code of `service.backups.outcome`.
    """

    __tablename__ = "backup_run"
    __table_args__ = (Index(None, "started_at"),)

    run_id: str = Field(default_factory=new_id, max_length=36, primary_key=True)
    started_at: dt.datetime = Field(default_factory=now, sa_type=UtcTime)
    finished_at: dt.datetime | None = Field(default=None, sa_type=UtcTime)
    state: str = Field(max_length=16)
    name: str | None = Field(default=None, max_length=32)
    files: int | None = None
    size: int | None = Field(default=None, sa_type=BigInteger)
    added: int | None = Field(default=None, sa_type=BigInteger)
    problem: str | None = Field(default=None, max_length=32)
