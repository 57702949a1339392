"""What a repeated request is recognised by: the body of a create, and how a refresh token was spent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; what is there already has none of it."""
    op.add_column("item", sa.Column("client_body", sa.String(64)))
    op.add_column("spent_refresh", sa.Column("client", sa.String(64)))
    op.add_column("spent_refresh", sa.Column("seed", sa.String(64)))


def downgrade() -> None:
    """Drop them."""
    op.drop_column("spent_refresh", "seed")
    op.drop_column("spent_refresh", "client")
    op.drop_column("item", "client_body")
