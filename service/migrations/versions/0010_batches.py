"""Which jobs were made together."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_INDEX = "ix_detection_job_batch_id_created_at_job_id"


def upgrade() -> None:
    """Add the column."""
    op.add_column("detection_job", sa.Column("batch_id", sa.String(36)))
    op.create_index(_INDEX, "detection_job", ["batch_id", "created_at", "job_id"])


def downgrade() -> None:
    """Drop it."""
    op.drop_index(_INDEX, "detection_job")
    op.drop_column("detection_job", "batch_id")
