"""The time of a user's last login, which sessions keep only until they are forgotten."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column, with the login of the newest session that is still known."""
    op.add_column("user", sa.Column("last_login", sa.DateTime(), nullable=True))
    user = sa.table("user", sa.column("id"), sa.column("last_login"))
    session = sa.table("session", sa.column("user_id"), sa.column("created_at"))
    newest = sa.select(sa.func.max(session.c.created_at)).where(session.c.user_id == user.c.id)
    op.execute(user.update().values(last_login=newest.scalar_subquery()))


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("user", "last_login")
