"""Counts the changes of records, so that totals of searches are kept until one changes. PostgreSQL only:
SQLite knows by itself whether anyone has committed.
"""

from __future__ import annotations

from alembic import op

from service.db.table_changes import count_changes, stop_counting_changes

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Count from now on."""
    if op.get_bind().dialect.name == "postgresql":
        for statement in count_changes("record"):
            op.execute(statement)


def downgrade() -> None:
    """Count no longer."""
    if op.get_bind().dialect.name == "postgresql":
        for statement in stop_counting_changes("record"):
            op.execute(statement)
