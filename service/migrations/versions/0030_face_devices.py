"""Devices that are allowed for face logins, and the policies on devices and cameras. Off at first."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table and the columns."""
    for name in ("allowed_devices_only", "refuse_virtual_cameras"):
        op.add_column("face_policy", sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_table(
        "face_device",
        sa.Column("device_id", sa.String(36), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("allowed_at", sa.DateTime(), nullable=False),
        sa.Column("last_used_at", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("device_id", name="pk_face_device"),
        sa.UniqueConstraint("token_hash", name="uq_face_device_token_hash"),
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_table("face_device")
    for name in ("refuse_virtual_cameras", "allowed_devices_only"):
        op.drop_column("face_policy", name)
