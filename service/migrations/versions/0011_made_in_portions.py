"""Batches as facts of their own, with what is still to be made of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables, and a row for each batch that is known by its jobs."""
    op.create_table(
        "detection_batch",
        sa.Column("batch_id", sa.String(36), nullable=False),
        sa.Column("actor", sa.String(36)),
        sa.Column("address", sa.String(255)),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("canceled_at", sa.DateTime),
        sa.Column("canceled_by", sa.String(36)),
        sa.Column("canceled_from", sa.String(255)),
        sa.PrimaryKeyConstraint("batch_id", name="pk_detection_batch"),
    )
    op.create_table(
        "detection_portion",
        sa.Column("batch_id", sa.String(36), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("inspection_id", sa.String(36), nullable=False),
        sa.Column("item_ids", sa.JSON, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("batch_id", "number", name="pk_detection_portion"),
        sa.ForeignKeyConstraint(
            ["batch_id"],
            ["detection_batch.batch_id"],
            name="fk_detection_portion_batch_id",
            ondelete="CASCADE",
        ),
    )
    op.execute(
        "INSERT INTO detection_batch (batch_id, actor, created_at)"
        " SELECT batch_id, MIN(actor), MIN(created_at) FROM detection_job"
        " WHERE batch_id IS NOT NULL GROUP BY batch_id"
    )


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("detection_portion")
    op.drop_table("detection_batch")
