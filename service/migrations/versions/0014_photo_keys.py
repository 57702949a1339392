"""The Idempotency-Key that a photo was added with."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_INDEX = op.f("ix_item_photo_item_id_client_key")


def upgrade() -> None:
    """Add the column; photos that are there were added without a key that is known."""
    op.add_column("item_photo", sa.Column("client_key", sa.String(512)))
    op.create_index(_INDEX, "item_photo", ["item_id", "client_key"], unique=True)


def downgrade() -> None:
    """Drop it."""
    op.drop_index(_INDEX, "item_photo")
    op.drop_column("item_photo", "client_key")
