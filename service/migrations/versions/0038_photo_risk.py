"""Whether an administrator accepts face logins that a photo passes. Yes where people have enrolled before."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the column."""
    op.add_column(
        "face_policy",
        sa.Column("photo_risk_accepted", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.execute("UPDATE face_policy SET photo_risk_accepted = (SELECT count(*) > 0 FROM face_enrolment)")


def downgrade() -> None:
    """Drop it."""
    op.drop_column("face_policy", "photo_risk_accepted")
