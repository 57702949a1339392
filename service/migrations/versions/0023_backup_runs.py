"""The runs of backups on the schedule."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "backup_run",
        sa.Column("run_id", sa.String(36), nullable=False),
        sa.Column("started_at", sa.DateTime(), nullable=False),
        sa.Column("finished_at", sa.DateTime(), nullable=True),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("name", sa.String(32), nullable=True),
        sa.Column("files", sa.Integer(), nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=True),
        sa.Column("added", sa.BigInteger(), nullable=True),
        sa.Column("problem", sa.String(32), nullable=True),
        sa.PrimaryKeyConstraint("run_id", name="pk_backup_run"),
    )
    op.create_index(op.f("ix_backup_run_started_at"), "backup_run", ["started_at"])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("backup_run")
