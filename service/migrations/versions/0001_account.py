"""The tables of account."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "user",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("username", sa.String(255), nullable=False),
        sa.Column("username_key", sa.String(1024), nullable=False),
        sa.Column("name", sa.String(255)),
        sa.Column("email", sa.String(255)),
        sa.Column("phone", sa.String(255)),
        sa.Column("gender", sa.String(255)),
        sa.Column("work_years", sa.Integer),
        sa.Column("department", sa.String(255)),
        sa.Column("password_hash", sa.String(128), nullable=False),
        sa.Column("enabled", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("updated_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_user"),
        sa.UniqueConstraint("username_key", name="uq_user_username_key"),
    )
    op.create_table(
        "user_role",
        sa.Column("user_id", sa.String(36), nullable=False),
        sa.Column("role", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "role", name="pk_user_role"),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name="fk_user_role_user_id_user", ondelete="CASCADE"
        ),
    )
    op.create_table(
        "session",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("user_id", sa.String(36), nullable=False),
        sa.Column("methods", sa.String(64), nullable=False),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("password_at", sa.DateTime),
        sa.Column("refresh_hash", sa.String(64), nullable=False),
        sa.Column("expires_at", sa.DateTime, nullable=False),
        sa.Column("ended_at", sa.DateTime),
        sa.PrimaryKeyConstraint("id", name="pk_session"),
        sa.UniqueConstraint("refresh_hash", name="uq_session_refresh_hash"),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_session_user_id_user", ondelete="CASCADE"),
    )
    op.create_index("ix_session_user_id_address", "session", ["user_id", "address"])
    op.create_table(
        "spent_refresh",
        sa.Column("refresh_hash", sa.String(64), nullable=False),
        sa.Column("session_id", sa.String(36), nullable=False),
        sa.Column("spent_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("refresh_hash", name="pk_spent_refresh"),
        sa.ForeignKeyConstraint(
            ["session_id"], ["session.id"], name="fk_spent_refresh_session_id_session", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_spent_refresh_session_id_spent_at", "spent_refresh", ["session_id", "spent_at"])
    op.create_table(
        "login_failures",
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("last_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_login_failures"),
    )
    op.create_index("ix_login_failures_last_at", "login_failures", ["last_at"])
    op.create_table(
        "account_version",
        sa.Column("id", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_account_version"),
    )


def downgrade() -> None:
    """Drop the tables."""
    for name in ("account_version", "login_failures", "spent_refresh", "session", "user_role", "user"):
        op.drop_table(name)
