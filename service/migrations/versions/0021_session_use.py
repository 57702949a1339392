"""What logged in, and when the session was last used."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    op.add_column("session", sa.Column("program", sa.String(64), nullable=True))
    op.add_column("session", sa.Column("used_at", sa.DateTime(), nullable=True))


def downgrade() -> None:
    """Drop them."""
    op.drop_column("session", "used_at")
    op.drop_column("session", "program")
