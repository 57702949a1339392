"""What cameras wrote into the stored files, read from their content."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; files that are there already have none until they are uploaded again."""
    op.add_column("file", sa.Column("camera", sa.Text()))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("file", "camera")
