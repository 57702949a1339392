"""When a file was last uploaded again, which keeps it from being collected as unused."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; the time of the first upload counts for what is there."""
    op.add_column("file", sa.Column("uploaded_at", sa.DateTime()))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("file", "uploaded_at")
