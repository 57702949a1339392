"""The rules for items that were not inspected completely, and the index to find the uses of a photo.

An entry that a client wrote is not a detection: items that have no others no longer count as detected.
"""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0031"
branch_labels = None
depends_on = None

_UNFINISHED = {"pending", "detecting", "canceled", "error"}
_AT_ONCE = 500
_INDEXES = (("ix_item_photo_file_id", "item_photo"), ("ix_record_photo_file_id", "record_photo"))


def upgrade() -> None:
    """Make the columns and the indexes."""
    false, share = sa.text("false"), sa.text("0.95")
    op.add_column(
        "inspection_policy",
        sa.Column("requires_inspection", sa.Boolean(), nullable=False, server_default=false),
    )
    op.add_column(
        "inspection_policy", sa.Column("required_coverage", sa.Float(), nullable=False, server_default=share)
    )
    for name, table in _INDEXES:
        op.create_index(name, table, ["file_id"])
    _count_detections()


def _count_detections() -> None:
    names = ("item_id", "result")
    item = sa.table("item", *map(sa.column, names), sa.column("detected", sa.Boolean()))
    connection = op.get_bind()
    last = ""
    while rows := connection.execute(
        sa.select(item.c.item_id, item.c.result)
        .where(item.c.item_id > last, item.c.detected)
        .order_by(item.c.item_id)
        .limit(_AT_ONCE)
    ).all():
        last = rows[-1].item_id
        wrong = [row.item_id for row in rows if not _is_detected(row.result)]
        connection.execute(sa.update(item).where(item.c.item_id.in_(wrong)).values(detected=False))


def _is_detected(result: str) -> bool:
    try:
        entries: list[dict[str, Any]] = json.loads(result)
        return any(
            any(entry.get(key) is not None for key in ("correction", "job_id", "provenance"))
            and entry.get("verdict") is None
            and isinstance(entry.get("isPassed"), bool)
            and entry.get("progress") not in _UNFINISHED
            for entry in entries
        )
    except (ValueError, TypeError, AttributeError):
        # What cannot be read stays as it is.
        return True


def downgrade() -> None:
    """Drop them."""
    for name, table in _INDEXES:
        op.drop_index(name, table)
    op.drop_column("inspection_policy", "required_coverage")
    op.drop_column("inspection_policy", "requires_inspection")
