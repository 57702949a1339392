"""What charts show, counted: the contributions of records and items, and their sums.

The service counts what is there already, in slices and beside the requests, when it starts: so an upgrade of
a large installation does not keep it from starting, and there is one way to count.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_INDEXES = {
    op.f("ix_statistic_record_day_inspection_id"): ("statistic_record", ["day", "inspection_id"]),
    op.f("ix_statistic_item_inspection_id"): ("statistic_item", ["inspection_id"]),
    op.f("ix_statistic_item_measure_name_inspection_id"): (
        "statistic_item",
        ["measure", "name", "inspection_id"],
    ),
}


def upgrade() -> None:
    """Add the tables; where there is no record, everything is counted."""
    op.create_table(
        "statistic_record",
        sa.Column("inspection_id", sa.String(36), nullable=False),
        sa.Column("day", sa.Integer(), nullable=False),
        sa.Column("aircraft_id", sa.String(255), nullable=False),
        sa.Column("executor_id", sa.String(255), nullable=False),
        sa.Column("state", sa.String(32), nullable=False),
        sa.Column("seconds", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("inspection_id", name="pk_statistic_record"),
    )
    op.create_table(
        "statistic_item",
        sa.Column("item_id", sa.String(36), nullable=False),
        sa.Column("measure", sa.String(16), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("inspection_id", sa.String(36), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("item_id", "measure", "name", name="pk_statistic_item"),
    )
    for name, (table, columns) in _INDEXES.items():
        op.create_index(name, table, columns)
    op.create_table(
        "statistic_sum",
        sa.Column("measure", sa.String(16), nullable=False),
        sa.Column("scope", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("aircraft_id", sa.String(255), nullable=False),
        sa.Column("executor_id", sa.String(255), nullable=False),
        sa.Column("day", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint(
            "measure", "scope", "aircraft_id", "executor_id", "day", "name", name="pk_statistic_sum"
        ),
        sqlite_with_rowid=False,
    )
    record = sa.table("record", sa.column("inspection_id"))
    connection = op.get_bind()
    if connection.execute(sa.select(record.c.inspection_id).limit(1)).first() is None:
        names = ("measure", "scope", "aircraft_id", "executor_id", "day", "name", "amount")
        sums = sa.table("statistic_sum", *map(sa.column, names))
        connection.execute(
            sa.insert(sums).values(dict(zip(names, ("complete", 0, "", "", 0, "", 1), strict=True)))
        )


def downgrade() -> None:
    """Drop them."""
    for table in ("statistic_sum", "statistic_item", "statistic_record"):
        op.drop_table(table)
