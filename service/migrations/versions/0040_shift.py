"""Comments on photos, the handing over of records, and indexes for what is to be done."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

_INDEXES = (
    ("ix_record_comment_inspection_id_created_at_comment_id", "record_comment"),
    ("ix_record_handover_inspection_id_created_at_handover_id", "record_handover"),
)


def upgrade() -> None:
    """Make the tables and the indexes."""
    record = ("fk_record_comment_inspection_id", "fk_record_handover_inspection_id")
    op.create_table(
        "record_comment",
        sa.Column("comment_id", sa.String(36), nullable=False),
        sa.Column("inspection_id", sa.String(36), nullable=False),
        sa.Column("item_id", sa.String(36), nullable=False),
        sa.Column("file_id", sa.String(255)),
        sa.Column("x", sa.Float()),
        sa.Column("y", sa.Float()),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("written_by", sa.String(255), nullable=False),
        sa.Column("written_by_name", sa.String(255)),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("comment_id", name="pk_record_comment"),
        sa.ForeignKeyConstraint(
            ["inspection_id"], ["record.inspection_id"], ondelete="CASCADE", name=record[0]
        ),
    )
    op.create_table(
        "record_handover",
        sa.Column("handover_id", sa.String(36), nullable=False),
        sa.Column("inspection_id", sa.String(36), nullable=False),
        sa.Column("given_by", sa.String(255), nullable=False),
        sa.Column("given_by_name", sa.String(255)),
        sa.Column("given_to", sa.String(255), nullable=False),
        sa.Column("given_to_name", sa.String(255)),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("handover_id", name="pk_record_handover"),
        sa.ForeignKeyConstraint(
            ["inspection_id"], ["record.inspection_id"], ondelete="CASCADE", name=record[1]
        ),
    )
    for name, table in _INDEXES:
        key = "comment_id" if table == "record_comment" else "handover_id"
        op.create_index(name, table, ["inspection_id", "created_at", key])
    op.create_index("ix_record_updated_at", "record", ["updated_at"])


def downgrade() -> None:
    """Drop them."""
    op.drop_index("ix_record_updated_at", "record")
    for name, table in _INDEXES:
        op.drop_index(name, table)
        op.drop_table(table)
