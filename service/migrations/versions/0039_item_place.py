"""The place of an item in the walk, which people can set."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

_OLD = "ix_item_inspection_id_created_at_item_id"
_NEW = "ix_item_inspection_id_place_created_at_item_id"


def upgrade() -> None:
    """Add the column, and order the index of a record's items by it."""
    op.add_column("item", sa.Column("place", sa.Integer(), nullable=False, server_default=sa.text("0")))
    op.create_index(_NEW, "item", ["inspection_id", "place", "created_at", "item_id"])
    op.drop_index(_OLD, "item")


def downgrade() -> None:
    """Drop it."""
    op.create_index(_OLD, "item", ["inspection_id", "created_at", "item_id"])
    op.drop_index(_NEW, "item")
    op.drop_column("item", "place")
