"""Drops the column for an answer in doubt: a challenge is judged once."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Drop the column."""
    op.drop_column("face_challenge", "doubt")


def downgrade() -> None:
    """Make it again, as 0031 did."""
    op.add_column("face_challenge", sa.Column("doubt", sa.String(1000), nullable=True))
