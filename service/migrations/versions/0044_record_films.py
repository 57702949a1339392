"""The films that are kept with a record."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

_TABLE = "record_film"


def upgrade() -> None:
    """Make the table with its indexes."""
    op.create_table(
        _TABLE,
        sa.Column("film_id", sa.String(36), nullable=False),
        sa.Column("inspection_id", sa.String(36), nullable=False),
        sa.Column("file_id", sa.String(255), nullable=False),
        sa.Column("added_by", sa.String(255)),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("film_id", name="pk_record_film"),
        sa.ForeignKeyConstraint(
            ["inspection_id"],
            ["record.inspection_id"],
            ondelete="CASCADE",
            name="fk_record_film_inspection_id",
        ),
    )
    op.create_index(
        "ix_record_film_inspection_id_created_at_film_id",
        _TABLE,
        ["inspection_id", "created_at", "film_id"],
    )
    op.create_index("ix_record_film_inspection_id_file_id", _TABLE, ["inspection_id", "file_id"], unique=True)
    op.create_index("ix_record_film_file_id", _TABLE, ["file_id"])


def downgrade() -> None:
    """Drop the table."""
    op.drop_table(_TABLE)
