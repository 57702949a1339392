"""How severe a finding with a label is."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; no label has a severity at first."""
    op.create_table(
        "detection_label",
        sa.Column("label", sa.String(255), nullable=False),
        sa.Column("severity", sa.String(16), nullable=False),
        sa.Column("changed_by", sa.String(36), nullable=True),
        sa.Column("updated_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("label", name="pk_detection_label"),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("detection_label")
