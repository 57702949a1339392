"""The tables of the catalogue."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def _entry() -> list[sa.Column[object]]:
    return [
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("updated_at", sa.DateTime(), nullable=False),
    ]


def _index(table: str, *columns: str) -> None:
    op.create_index(op.f(f"ix_{table}_{'_'.join(columns)}"), table, list(columns))


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "aircraft",
        sa.Column("aircraft_id", sa.String(36), primary_key=True),
        sa.Column("aircraft_name", sa.String(255), nullable=False),
        sa.Column("registration", sa.String(255)),
        sa.Column("aircraft_type", sa.String(255)),
        *_entry(),
    )
    _index("aircraft", "created_at", "aircraft_id")
    op.create_table(
        "flight",
        sa.Column("flight_id", sa.String(36), primary_key=True),
        sa.Column("flight_number", sa.String(255), nullable=False),
        sa.Column("aircraft_id", sa.String(36), sa.ForeignKey("aircraft.aircraft_id")),
        sa.Column("departure", sa.String(255)),
        sa.Column("arrival", sa.String(255)),
        sa.Column("scheduled_at", sa.DateTime()),
        *_entry(),
    )
    _index("flight", "created_at", "flight_id")
    _index("flight", "aircraft_id")
    op.create_table(
        "task",
        sa.Column("task_id", sa.String(36), primary_key=True),
        sa.Column("task_name", sa.String(255), nullable=False),
        sa.Column("flight_id", sa.String(36), sa.ForeignKey("flight.flight_id")),
        sa.Column("aircraft_id", sa.String(36), sa.ForeignKey("aircraft.aircraft_id")),
        sa.Column("description", sa.Text()),
        *_entry(),
    )
    _index("task", "created_at", "task_id")
    _index("task", "flight_id")
    _index("task", "aircraft_id")
    op.create_table(
        "reference_image",
        sa.Column("reference_image_id", sa.String(36), primary_key=True),
        sa.Column("reference_image_name", sa.String(255), nullable=False),
        sa.Column("file_id", sa.String(36), nullable=False),
        sa.Column("aircraft_id", sa.String(36), sa.ForeignKey("aircraft.aircraft_id")),
        sa.Column("mm_per_pixel", sa.Double()),
        sa.Column("template", sa.JSON(), nullable=False),
        *_entry(),
    )
    _index("reference_image", "created_at", "reference_image_id")
    _index("reference_image", "aircraft_id")


def downgrade() -> None:
    """Drop the tables."""
    for table in ("reference_image", "task", "flight", "aircraft"):
        op.drop_table(table)
