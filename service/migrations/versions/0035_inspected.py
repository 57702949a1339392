"""The rules for items that were not inspected completely, and the index to find the uses of a photo."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0031"
branch_labels = None
depends_on = None

_INDEXES = (("ix_item_photo_file_id", "item_photo"), ("ix_record_photo_file_id", "record_photo"))


def upgrade() -> None:
    """Make the columns and the indexes."""
    false, share = sa.text("false"), sa.text("0.95")
    op.add_column(
        "inspection_policy",
        sa.Column("requires_inspection", sa.Boolean(), nullable=False, server_default=false),
    )
    op.add_column(
        "inspection_policy", sa.Column("required_coverage", sa.Float(), nullable=False, server_default=share)
    )
    for name, table in _INDEXES:
        op.create_index(name, table, ["file_id"])


def downgrade() -> None:
    """Drop them."""
    for name, table in _INDEXES:
        op.drop_index(name, table)
    op.drop_column("inspection_policy", "required_coverage")
    op.drop_column("inspection_policy", "requires_inspection")
