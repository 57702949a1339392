"""Defines the tables of webhooks and of their deliveries."""

import datetime as dt

from sqlalchemy import Index, Text
from sqlmodel import Field

from service.db.database import Base, UtcTime


class WebhookRow(Base, table=True):
    """A webhook. `secret` is encrypted (`rules.SecretBox`), `events` are joined by spaces."""

    __tablename__ = "webhook"

    webhook_id: str = Field(max_length=36, primary_key=True)
    name: str = Field(max_length=255)
    url: str = Field(sa_type=Text)
    events: str = Field(max_length=255)
    secret: bytes
    state: str = Field(max_length=16)
    failures: int
    last_success_at: dt.datetime | None = Field(default=None, sa_type=UtcTime)
    created_at: dt.datetime = Field(sa_type=UtcTime)
    updated_at: dt.datetime = Field(sa_type=UtcTime)


class DeliveryRow(Base, table=True):
    """An event for one webhook. `payload` is the body of the request, the same in every attempt.

    `next_attempt_at` is None once the delivery has ended. `leased_until` is the end of the lease of the
    process that sends it now.
    """

    __tablename__ = "webhook_delivery"

    delivery_id: str = Field(max_length=40, primary_key=True)
    webhook_id: str = Field(max_length=36, foreign_key="webhook.webhook_id", ondelete="CASCADE")
    event: str = Field(max_length=32)
    object_id: str | None = Field(default=None, max_length=36)
    payload: str = Field(sa_type=Text)
    state: str = Field(max_length=16)
    attempts: int
    status: int | None = None
    error: str | None = Field(default=None, max_length=32)
    created_at: dt.datetime = Field(sa_type=UtcTime)
    last_attempt_at: dt.datetime | None = Field(default=None, sa_type=UtcTime)
    next_attempt_at: dt.datetime | None = Field(default=None, sa_type=UtcTime)
    leased_until: dt.datetime | None = Field(default=None, sa_type=UtcTime)

    __table_args__ = (
        Index(None, "state", "next_attempt_at"),
        Index(None, "webhook_id", "created_at", "delivery_id"),
    )
