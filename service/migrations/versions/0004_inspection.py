"""The tables of inspection."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "record",
        sa.Column("inspection_id", sa.String(36), nullable=False),
        sa.Column("inspection_name", sa.String(255)),
        sa.Column("task_id", sa.String(255), nullable=False),
        sa.Column("executor_id", sa.String(255)),
        sa.Column("reference_image_id", sa.String(255)),
        sa.Column("progress", sa.Integer, nullable=False),
        sa.Column("start_time", sa.DateTime),
        sa.Column("end_time", sa.DateTime),
        sa.Column("inspection_status", sa.String(32), nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("updated_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("inspection_id", name="pk_record"),
    )
    _index("record", "created_at", "inspection_id")
    for column in (
        "task_id",
        "executor_id",
        "reference_image_id",
        "inspection_status",
        "start_time",
        "end_time",
    ):
        _index("record", column, "created_at", "inspection_id")

    op.create_table(
        "item",
        sa.Column("item_id", sa.String(36), nullable=False),
        sa.Column("inspection_id", sa.String(36), nullable=False),
        sa.Column("item_name", sa.String(255), nullable=False),
        sa.Column("description", sa.Text),
        sa.Column("model_id", sa.String(255)),
        sa.Column("item_point", sa.Text),
        sa.Column("result", sa.Text, nullable=False),
        sa.Column("outcome", sa.String(8), nullable=False),
        sa.Column("client_key", sa.String(512)),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("updated_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("item_id", name="pk_item"),
        sa.ForeignKeyConstraint(
            ["inspection_id"], ["record.inspection_id"], name="fk_item_inspection_id", ondelete="CASCADE"
        ),
        sa.UniqueConstraint("client_key", name="uq_item_client_key"),
    )
    _index("item", "inspection_id", "created_at", "item_id")
    _index("item", "inspection_id", "outcome")

    op.create_table(
        "item_photo",
        sa.Column("photo_id", sa.String(36), nullable=False),
        sa.Column("item_id", sa.String(36), nullable=False),
        sa.Column("file_id", sa.String(255), nullable=False),
        sa.Column("added_by", sa.String(255)),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("photo_id", name="pk_item_photo"),
        sa.ForeignKeyConstraint(
            ["item_id"], ["item.item_id"], name="fk_item_photo_item_id", ondelete="CASCADE"
        ),
    )
    _index("item_photo", "item_id", "created_at", "photo_id")


def downgrade() -> None:
    """Drop the tables."""
    for table in ("item_photo", "item", "record"):
        op.drop_table(table)


def _index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_{'_'.join(columns)}", table, list(columns))
