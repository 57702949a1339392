"""Who last changed a record or an item."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; who it was is not known of what is there."""
    for table in ("record", "item"):
        op.add_column(table, sa.Column("updated_by", sa.String(255)))


def downgrade() -> None:
    """Drop them."""
    for table in ("record", "item"):
        op.drop_column(table, "updated_by")
