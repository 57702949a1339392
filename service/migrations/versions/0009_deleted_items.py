"""The table of deleted items that can be brought back."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "deleted_item",
        sa.Column("item_id", sa.String(36), nullable=False),
        sa.Column("inspection_id", sa.String(36), nullable=False),
        sa.Column("deleted_by", sa.String(255), nullable=False),
        sa.Column("deleted_at", sa.DateTime, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("item_id", name="pk_deleted_item"),
        sa.ForeignKeyConstraint(
            ["inspection_id"],
            ["record.inspection_id"],
            name="fk_deleted_item_inspection_id",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_deleted_item_inspection_id", "deleted_item", ["inspection_id"])
    op.create_index("ix_deleted_item_deleted_at", "deleted_item", ["deleted_at"])


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("deleted_item")
