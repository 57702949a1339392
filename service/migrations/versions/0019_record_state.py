"""How far people have come with a record, beside the status that detections and clients write."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_INDEX = "ix_record_record_state_created_at_inspection_id"


def upgrade() -> None:
    """Add the column and its index, and fill it from the newest edition, the status and the items."""
    column = sa.Column("record_state", sa.String(32), nullable=False, server_default="not_started")
    op.add_column("record", column)
    record = sa.table("record", *map(sa.column, ("inspection_id", "inspection_status", "record_state")))
    item = sa.table("item", *map(sa.column, ("inspection_id", "outcome")))
    edition = sa.table(
        "record_edition", *map(sa.column, ("inspection_id", "edition", "outcome", "reopened_at"))
    )
    later = edition.alias("later")
    newest = ~sa.exists().where(
        later.c.inspection_id == edition.c.inspection_id, later.c.edition > edition.c.edition
    ).correlate(edition)
    of_record = edition.c.inspection_id == record.c.inspection_id
    finished = sa.exists().where(
        item.c.inspection_id == record.c.inspection_id, item.c.outcome.in_(["passed", "failed"])
    )
    op.execute(
        sa.update(record)
        .where(record.c.inspection_status == "cancelled")
        .values(record_state=sa.literal("cancelled"))
    )
    op.execute(
        sa.update(record)
        .where(
            record.c.inspection_status != "cancelled",
            sa.or_(
                record.c.inspection_status != "not_started",
                finished.correlate(record),
                sa.exists().where(of_record).correlate(record),
            ),
        )
        .values(record_state=sa.literal("in_progress"))
    )
    sealing = sa.select(edition.c.outcome).where(of_record, newest, edition.c.reopened_at.is_(None))
    op.execute(
        sa.update(record)
        .where(sa.exists().where(of_record, newest, edition.c.reopened_at.is_(None)).correlate(record))
        .values(record_state=sealing.correlate(record).scalar_subquery())
    )
    op.create_index(_INDEX, "record", ["record_state", "created_at", "inspection_id"])


def downgrade() -> None:
    """Drop them."""
    op.drop_index(_INDEX, "record")
    op.drop_column("record", "record_state")
