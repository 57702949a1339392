"""Sealed editions of records, and the rules of the installation for finishing."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables, and the one row of the rules."""
    op.create_table(
        "record_edition",
        sa.Column("inspection_id", sa.String(36), nullable=False),
        sa.Column("edition", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seal", sa.String(64), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("outcome", sa.String(32), nullable=False),
        sa.Column("accepted_opinions", sa.Integer(), nullable=False),
        sa.Column("finished_by", sa.String(255), nullable=False),
        sa.Column("finished_by_name", sa.String(255)),
        sa.Column("finished_at", sa.DateTime(), nullable=False),
        sa.Column("needs_release", sa.Boolean(), nullable=False),
        sa.Column("released_by", sa.String(255)),
        sa.Column("released_by_name", sa.String(255)),
        sa.Column("released_at", sa.DateTime()),
        sa.Column("reopened_by", sa.String(255)),
        sa.Column("reopened_by_name", sa.String(255)),
        sa.Column("reopened_at", sa.DateTime()),
        sa.Column("reopen_reason", sa.Text()),
        sa.PrimaryKeyConstraint("inspection_id", "edition", name="pk_record_edition"),
    )
    policy = op.create_table(
        "inspection_policy",
        sa.Column("policy_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("four_eyes", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("policy_id", name="pk_inspection_policy"),
    )
    op.bulk_insert(policy, [{"policy_id": 1, "four_eyes": False}])


def downgrade() -> None:
    """Drop them."""
    op.drop_table("inspection_policy")
    op.drop_table("record_edition")
