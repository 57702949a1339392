"""Challenges of face logins, and when one is asked for. Off at first: an older desktop cannot answer one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table and the columns."""
    for name in ("challenge_admins", "challenge_others"):
        op.add_column("face_policy", sa.Column(name, sa.String(16), nullable=False, server_default="off"))
    op.create_table(
        "face_challenge",
        sa.Column("challenge_hash", sa.String(64), nullable=False),
        sa.Column("station", sa.String(255), nullable=False),
        sa.Column("steps", sa.String(1000), nullable=False),
        sa.Column("drawn_at", sa.DateTime(), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("challenge_hash", name="pk_face_challenge"),
    )
    for name in ("station", "expires_at"):
        op.create_index(op.f(f"ix_face_challenge_{name}"), "face_challenge", [name])


def downgrade() -> None:
    """Drop them."""
    op.drop_table("face_challenge")
    for name in ("challenge_others", "challenge_admins"):
        op.drop_column("face_policy", name)
