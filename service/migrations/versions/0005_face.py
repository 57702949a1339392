"""The tables of face."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables, and the one row of the policy."""
    op.create_table(
        "face_enrolment",
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("model_id", sa.String(255), nullable=False),
        sa.Column("enrolled_at", sa.DateTime(), nullable=False),
        sa.Column("consent_version", sa.String(64), nullable=False),
        sa.Column("consented_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", name="pk_face_enrolment"),
    )
    op.create_table(
        "face_template",
        sa.Column("template_id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["face_enrolment.user_id"],
            name="fk_face_template_user_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("template_id", name="pk_face_template"),
    )
    op.create_index("ix_face_template_user_id", "face_template", ["user_id"])
    op.create_table(
        "face_station",
        sa.Column("address", sa.String(255), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("last_at", sa.DateTime(), nullable=False),
        sa.Column("paused_until", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("address", name="pk_face_station"),
    )
    op.create_index("ix_face_station_last_at", "face_station", ["last_at"])
    policy = op.create_table(
        "face_policy",
        sa.Column("policy_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("login_enabled", sa.Boolean(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("policy_id", name="pk_face_policy"),
    )
    op.bulk_insert(policy, [{"policy_id": 1, "login_enabled": True, "revision": 0}])


def downgrade() -> None:
    """Drop the tables."""
    for table in ("face_policy", "face_station", "face_template", "face_enrolment"):
        op.drop_table(table)
