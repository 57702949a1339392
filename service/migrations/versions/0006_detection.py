"""The tables of detection, with the built-in model."""

from __future__ import annotations

import datetime as dt

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    model = op.create_table(
        "detection_model",
        sa.Column("model_id", sa.String(36), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("description", sa.Text),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("sha256", sa.String(64)),
        sa.Column("size", sa.Integer),
        sa.Column("labels", sa.JSON, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("enabled", sa.Boolean, nullable=False),
        sa.Column("added_by", sa.String(36)),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("updated_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("model_id", name="pk_detection_model"),
    )
    op.create_index("ix_detection_model_name_version", "detection_model", ["name", "version"], unique=True)
    made = dt.datetime.now(dt.UTC).replace(tzinfo=None)
    op.bulk_insert(
        model,
        [
            {
                "model_id": "reference-difference",
                "name": "参考差分",
                "description": "把照片与参考图上的标记区域对齐后比较，无需训练",
                "kind": "reference_difference",
                "version": 1,
                "labels": ["missing", "added", "crack", "scratch", "dent", "stain", "difference"],
                "settings": {},
                "enabled": True,
                "created_at": made,
                "updated_at": made,
            }
        ],
    )
    op.create_table(
        "detection_job",
        sa.Column("job_id", sa.String(36), nullable=False),
        sa.Column("item_id", sa.String(36), nullable=False),
        sa.Column("inspection_id", sa.String(36), nullable=False),
        sa.Column("model_id", sa.String(255), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("progress", sa.Integer, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("lease_until", sa.DateTime),
        sa.Column("error", sa.String(64)),
        sa.Column("version", sa.Integer),
        sa.Column("actor", sa.String(36)),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("updated_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("job_id", name="pk_detection_job"),
    )
    for columns in (
        ("state", "created_at", "job_id"),
        ("inspection_id", "created_at", "job_id"),
        ("item_id", "state"),
    ):
        op.create_index(f"ix_detection_job_{'_'.join(columns)}", "detection_job", list(columns))


def downgrade() -> None:
    """Drop the tables."""
    for table in ("detection_job", "detection_model"):
        op.drop_table(table)
