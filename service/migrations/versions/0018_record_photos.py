"""Photos of a record, and which of them a photo of an item is."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_OF_RECORD = op.f("ix_item_photo_record_photo_id")
_INDEXES = {
    op.f("ix_record_photo_inspection_id_created_at_photo_id"): ["inspection_id", "created_at", "photo_id"],
    op.f("ix_record_photo_inspection_id_file_id"): ["inspection_id", "file_id"],
}


def upgrade() -> None:
    """Add the table and the columns; photos that are there belong to their item alone."""
    op.create_table(
        "record_photo",
        sa.Column("photo_id", sa.String(36), nullable=False),
        sa.Column("inspection_id", sa.String(36), nullable=False),
        sa.Column("file_id", sa.String(255), nullable=False),
        sa.Column("added_by", sa.String(255), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("error", sa.String(32), nullable=True),
        sa.Column("matches", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("photo_id", name="pk_record_photo"),
        sa.ForeignKeyConstraint(
            ["inspection_id"],
            ["record.inspection_id"],
            name="fk_record_photo_inspection_id",
            ondelete="CASCADE",
        ),
    )
    for name, columns in _INDEXES.items():
        op.create_index(name, "record_photo", columns, unique="file_id" in columns)
    for column in (
        sa.Column("record_photo_id", sa.String(36)),
        sa.Column("assigned", sa.String(16)),
        sa.Column("homography", sa.Text()),
        sa.Column("reference_file_id", sa.String(255)),
    ):
        op.add_column("item_photo", column)
    op.create_index(_OF_RECORD, "item_photo", ["record_photo_id"])


def downgrade() -> None:
    """Drop them."""
    op.drop_index(_OF_RECORD, "item_photo")
    for column in ("record_photo_id", "assigned", "homography", "reference_file_id"):
        op.drop_column("item_photo", column)
    op.drop_table("record_photo")
