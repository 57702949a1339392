"""The memories of regions. The items that people decided until now wait to be compared."""

from __future__ import annotations

import datetime as dt

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "region_memory",
        sa.Column("memory_id", sa.String(36), nullable=False),
        sa.Column("reference_image_id", sa.String(255), nullable=False),
        sa.Column("reference_file_id", sa.String(255), nullable=False),
        sa.Column("region", sa.String(255), nullable=False),
        sa.Column("required", sa.Integer(), nullable=True),
        sa.Column("frozen_at", sa.DateTime(), nullable=True),
        sa.Column("frozen_by", sa.String(255), nullable=True),
        sa.Column("begins_at", sa.DateTime(), nullable=True),
        sa.Column("disagreements", sa.Text(), nullable=True),
        sa.Column("basis", sa.String(64), nullable=True),
        sa.PrimaryKeyConstraint("memory_id", name="pk_region_memory"),
    )
    key = ["reference_image_id", "reference_file_id", "region"]
    op.create_index(op.f("ix_region_memory_" + "_".join(key)), "region_memory", key, unique=True)
    op.create_table(
        "region_memory_left_out",
        sa.Column("memory_id", sa.String(36), nullable=False),
        sa.Column("file_id", sa.String(255), nullable=False),
        sa.Column("left_out_by", sa.String(255), nullable=False),
        sa.Column("left_out_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["memory_id"],
            ["region_memory.memory_id"],
            name="fk_region_memory_left_out_memory_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("memory_id", "file_id", name="pk_region_memory_left_out"),
    )
    op.create_table(
        "region_variation",
        sa.Column("item_id", sa.String(36), nullable=False),
        sa.Column("file_id", sa.String(255), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("inspection_id", sa.String(36), nullable=False),
        sa.Column("reference_image_id", sa.String(255), nullable=False),
        sa.Column("region", sa.String(255), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("basis", sa.String(64), nullable=False),
        sa.Column("error", sa.String(32), nullable=True),
        sa.Column("differences", sa.Integer(), nullable=True),
        sa.Column("content", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("item_id", "file_id", "kind", name="pk_region_variation"),
    )
    for name in ("inspection_id", "reference_image_id"):
        op.create_index(op.f(f"ix_region_variation_{name}"), "region_variation", [name])
    op.create_table(
        "region_memory_waiting",
        sa.Column("item_id", sa.String(36), nullable=False),
        sa.Column("stamp", sa.String(36), nullable=False),
        sa.Column("since", sa.DateTime(), nullable=False),
        sa.Column("taken_until", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("item_id", name="pk_region_memory_waiting"),
    )
    op.create_index(op.f("ix_region_memory_waiting_since"), "region_memory_waiting", ["since"])
    decided = sa.text(
        "INSERT INTO region_memory_waiting (item_id, stamp, since)"
        " SELECT item_id, '', :since FROM item WHERE verdict <> 'undecided' AND model_id = :model"
    )
    since = sa.bindparam("since", dt.datetime.now(dt.UTC).replace(tzinfo=None), sa.DateTime())
    op.get_bind().execute(decided.bindparams(since, model="reference-difference"))


def downgrade() -> None:
    """Drop them."""
    for table in ("region_memory_waiting", "region_variation", "region_memory_left_out", "region_memory"):
        op.drop_table(table)
