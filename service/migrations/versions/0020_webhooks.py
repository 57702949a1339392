"""Webhooks with their outbox, and the Idempotency-Keys that records were created with."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_DELIVERIES = {
    op.f("ix_webhook_delivery_state_next_attempt_at"): ["state", "next_attempt_at"],
    op.f("ix_webhook_delivery_webhook_id_created_at_delivery_id"): [
        "webhook_id",
        "created_at",
        "delivery_id",
    ],
}


def upgrade() -> None:
    """Add the tables; there is no webhook at first."""
    op.create_table(
        "webhook",
        sa.Column("webhook_id", sa.String(36), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("events", sa.String(255), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("last_success_at", sa.DateTime(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("updated_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("webhook_id", name="pk_webhook"),
    )
    op.create_table(
        "webhook_delivery",
        sa.Column("delivery_id", sa.String(40), nullable=False),
        sa.Column("webhook_id", sa.String(36), nullable=False),
        sa.Column("event", sa.String(32), nullable=False),
        sa.Column("object_id", sa.String(36), nullable=True),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("error", sa.String(32), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("last_attempt_at", sa.DateTime(), nullable=True),
        sa.Column("next_attempt_at", sa.DateTime(), nullable=True),
        sa.Column("leased_until", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("delivery_id", name="pk_webhook_delivery"),
        sa.ForeignKeyConstraint(
            ["webhook_id"], ["webhook.webhook_id"], name="fk_webhook_delivery_webhook_id", ondelete="CASCADE"
        ),
    )
    for name, columns in _DELIVERIES.items():
        op.create_index(name, "webhook_delivery", columns)
    op.create_table(
        "record_key",
        sa.Column("client_key", sa.String(512), nullable=False),
        sa.Column("client_body", sa.String(64), nullable=False),
        sa.Column("inspection_id", sa.String(36), nullable=False),
        sa.PrimaryKeyConstraint("client_key", name="pk_record_key"),
        sa.ForeignKeyConstraint(
            ["inspection_id"],
            ["record.inspection_id"],
            name="fk_record_key_inspection_id",
            ondelete="CASCADE",
        ),
    )
    op.create_index(op.f("ix_record_key_inspection_id"), "record_key", ["inspection_id"])


def downgrade() -> None:
    """Drop them."""
    op.drop_table("record_key")
    op.drop_table("webhook_delivery")
    op.drop_table("webhook")
