"""Defines the detection tables: models, labels, jobs, batches and their chunks."""

import datetime as dt
from typing import Any

from sqlalchemy import JSON, Index, Text
from sqlmodel import Field

from service.db.database import Base, UtcTime, now
from shared.ids import new_id


class ModelRow(Base, table=True):
    """A detection model. `sha256` names its file, which never changes: a new version is a new row."""

    __tablename__ = "detection_model"

    model_id: str = Field(default_factory=new_id, max_length=36, primary_key=True)
    name: str = Field(max_length=255)
    description: str | None = Field(default=None, sa_type=Text)
    kind: str = Field(max_length=32)
    version: int
    sha256: str | None = Field(default=None, max_length=64)
    size: int | None = None
    labels: list[str] = Field(sa_type=JSON)
    settings: dict[str, Any] = Field(sa_type=JSON)
    enabled: bool
    added_by: str | None = Field(default=None, max_length=36)
    created_at: dt.datetime = Field(default_factory=now, sa_type=UtcTime)
    updated_at: dt.datetime = Field(default_factory=now, sa_type=UtcTime)

    __table_args__ = (Index(None, "name", "version", unique=True),)


class LabelRow(Base, table=True):
    """The severity of findings with this label, of any model."""

    __tablename__ = "detection_label"

    label: str = Field(max_length=255, primary_key=True)
    severity: str = Field(max_length=16)
    changed_by: str | None = Field(default=None, max_length=36)
    updated_at: dt.datetime = Field(default_factory=now, sa_type=UtcTime)


class JobRow(Base, table=True):
    """A detection job.

    attempt: how often it was taken; only the worker with the newest attempt may end it. batch_id: shared by
    the jobs of one request.
    """

    __tablename__ = "detection_job"

    job_id: str = Field(default_factory=new_id, max_length=36, primary_key=True)
    item_id: str = Field(max_length=36)
    inspection_id: str = Field(max_length=36)
    model_id: str = Field(max_length=255)
    batch_id: str | None = Field(default=None, max_length=36)
    state: str = Field(max_length=16)
    progress: int = 0
    attempt: int = 0
    lease_until: dt.datetime | None = Field(default=None, sa_type=UtcTime)
    error: str | None = Field(default=None, max_length=64)
    version: int | None = None
    actor: str | None = Field(default=None, max_length=36)
    created_at: dt.datetime = Field(default_factory=now, sa_type=UtcTime)
    updated_at: dt.datetime = Field(default_factory=now, sa_type=UtcTime)

    __table_args__ = (
        Index(None, "state", "created_at", "job_id"),
        Index(None, "inspection_id", "created_at", "job_id"),
        Index(None, "item_id", "state"),
        Index(None, "batch_id", "created_at", "job_id"),
    )


class BatchRow(Base, table=True):
    """The detections of one request. Its jobs have its `batch_id`."""

    __tablename__ = "detection_batch"

    batch_id: str = Field(default_factory=new_id, max_length=36, primary_key=True)
    actor: str | None = Field(default=None, max_length=36)
    address: str | None = Field(default=None, max_length=255)
    created_at: dt.datetime = Field(default_factory=now, sa_type=UtcTime)
    canceled_at: dt.datetime | None = Field(default=None, sa_type=UtcTime)
    canceled_by: str | None = Field(default=None, max_length=36)
    canceled_from: str | None = Field(default=None, max_length=255)


class ChunkRow(Base, table=True):
    """Items of one record for which a batch has no jobs yet. It is deleted when the jobs are created."""

    __tablename__ = "detection_portion"

    batch_id: str = Field(
        max_length=36, primary_key=True, foreign_key="detection_batch.batch_id", ondelete="CASCADE"
    )
    number: int = Field(primary_key=True)
    inspection_id: str = Field(max_length=36)
    item_ids: list[str] = Field(sa_type=JSON)
    size: int
