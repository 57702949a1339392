"""Tables of detection: the models, the jobs that a dispatcher takes, and the batches they are made for."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.database import Base, now


def _new_id() -> str:
    return str(uuid.uuid4())


class ModelRow(Base):
    """A detection model. Its file is named by `sha256` and never changes: a new version is a new row."""

    __tablename__ = "detection_model"

    model_id: Mapped[str] = mapped_column(String(36), primary_key=True, default=_new_id)
    name: Mapped[str] = mapped_column(String(255))
    description: Mapped[str | None] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(String(32))
    version: Mapped[int]
    sha256: Mapped[str | None] = mapped_column(String(64))
    size: Mapped[int | None]
    labels: Mapped[list[str]] = mapped_column(JSON)
    settings: Mapped[dict[str, Any]] = mapped_column(JSON)
    enabled: Mapped[bool]
    added_by: Mapped[str | None] = mapped_column(String(36))
    created_at: Mapped[dt.datetime] = mapped_column(default=now)
    updated_at: Mapped[dt.datetime] = mapped_column(default=now)

    __table_args__ = (Index(None, "name", "version", unique=True),)


class JobRow(Base):
    """A detection job. `attempt` counts how often it was taken; only the taker of the newest may end it.

    `batch_id` is shared by the jobs that one request made.
    """

    __tablename__ = "detection_job"

    job_id: Mapped[str] = mapped_column(String(36), primary_key=True, default=_new_id)
    item_id: Mapped[str] = mapped_column(String(36))
    inspection_id: Mapped[str] = mapped_column(String(36))
    model_id: Mapped[str] = mapped_column(String(255))
    batch_id: Mapped[str | None] = mapped_column(String(36))
    state: Mapped[str] = mapped_column(String(16))
    progress: Mapped[int] = mapped_column(default=0)
    attempt: Mapped[int] = mapped_column(default=0)
    lease_until: Mapped[dt.datetime | None]
    error: Mapped[str | None] = mapped_column(String(64))
    version: Mapped[int | None]
    actor: Mapped[str | None] = mapped_column(String(36))
    created_at: Mapped[dt.datetime] = mapped_column(default=now)
    updated_at: Mapped[dt.datetime] = mapped_column(default=now)

    __table_args__ = (
        Index(None, "state", "created_at", "job_id"),
        Index(None, "inspection_id", "created_at", "job_id"),
        Index(None, "item_id", "state"),
        Index(None, "batch_id", "created_at", "job_id"),
    )


class BatchRow(Base):
    """Detections that one request asked for. Its jobs are known by `batch_id`, once they are made."""

    __tablename__ = "detection_batch"

    batch_id: Mapped[str] = mapped_column(String(36), primary_key=True, default=_new_id)
    actor: Mapped[str | None] = mapped_column(String(36))
    address: Mapped[str | None] = mapped_column(String(255))
    created_at: Mapped[dt.datetime] = mapped_column(default=now)
    canceled_at: Mapped[dt.datetime | None]
    canceled_by: Mapped[str | None] = mapped_column(String(36))
    canceled_from: Mapped[str | None] = mapped_column(String(255))


class PortionRow(Base):
    """Items of one record that a batch has no jobs for yet; gone with the transaction that makes them."""

    __tablename__ = "detection_portion"

    batch_id: Mapped[str] = mapped_column(
        ForeignKey("detection_batch.batch_id", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(primary_key=True)
    inspection_id: Mapped[str] = mapped_column(String(36))
    item_ids: Mapped[list[str]] = mapped_column(JSON)
    size: Mapped[int]
