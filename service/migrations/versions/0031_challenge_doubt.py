"""What an answer to a challenge showed that was in doubt, until one more movement is answered."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the column."""
    op.add_column("face_challenge", sa.Column("doubt", sa.String(1000), nullable=True))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("face_challenge", "doubt")
