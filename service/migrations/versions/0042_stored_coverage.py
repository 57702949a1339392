"""The share that has to be inspected, stored in its row.

SQLite 3.45.1 (Ubuntu 24.04, Python for Windows) calls a database damaged in which a row is older than a
column whose default has decimals ("NULL value in inspection_policy.required_coverage"), so every backup
failed. A row that is written again has all its values.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Write the row again."""
    policy = sa.table("inspection_policy", sa.column("required_coverage"))
    op.execute(policy.update().values(required_coverage=policy.c.required_coverage))


def downgrade() -> None:
    """Nothing to undo."""
