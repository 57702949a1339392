"""What a person decided about an item, and whether a detection finished, beside its result entries."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_INDEX = "ix_item_inspection_id_verdict_detected"
_UNFINISHED = {"pending", "detecting", "canceled", "error"}
_AT_ONCE = 500


def upgrade() -> None:
    """Add the columns and fill them from the entries."""
    op.add_column("item", sa.Column("verdict", sa.String(16), nullable=False, server_default="undecided"))
    op.add_column("item", sa.Column("detected", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_index(_INDEX, "item", ["inspection_id", "verdict", "detected"])
    names = ("item_id", "result", "outcome", "verdict")
    item = sa.table("item", *map(sa.column, names), sa.column("detected", sa.Boolean()))
    change = (
        sa.update(item)
        .where(item.c.item_id == sa.bindparam("the_item"))
        .values(verdict=sa.bindparam("said"), detected=sa.bindparam("found"))
    )
    connection = op.get_bind()
    last = ""
    while rows := connection.execute(
        sa.select(item.c.item_id, item.c.result)
        .where(item.c.item_id > last, item.c.outcome != "empty")
        .order_by(item.c.item_id)
        .limit(_AT_ONCE)
    ).all():
        last = rows[-1].item_id
        connection.execute(change, [_summed_up(row.item_id, row.result) for row in rows])


def _summed_up(item_id: str, result: str) -> dict[str, Any]:
    try:
        entries = json.loads(result)
        ordered = sorted(enumerate(entries), key=_version)
    except (ValueError, TypeError, AttributeError):
        entries, ordered = [], []
    said, found = "undecided", False
    for _, entry in ordered:
        verdict = entry.get("verdict")
        finished = isinstance(entry.get("isPassed"), bool) and entry.get("progress") not in _UNFINISHED
        if isinstance(verdict, dict):
            value = verdict.get("value")
            said = value if value in ("passed", "failed") else "undecided"
        elif finished:
            # What was found after a decision makes the item undecided again.
            said, found = "undecided", True
    return {"the_item": item_id, "said": said, "found": found}


def _version(numbered: tuple[int, dict[str, Any]]) -> int:
    index, entry = numbered
    given = entry.get("version")
    return given if isinstance(given, int) and not isinstance(given, bool) else index + 1


def downgrade() -> None:
    """Drop them."""
    op.drop_index(_INDEX, "item")
    op.drop_column("item", "detected")
    op.drop_column("item", "verdict")
