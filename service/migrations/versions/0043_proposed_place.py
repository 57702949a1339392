"""How the photos of a region are best compared, which its passed photos say."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; it is filled when the memory of a region changes."""
    op.add_column("region_memory", sa.Column("proposed_place", sa.String(16), nullable=True))


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("region_memory", "proposed_place")
