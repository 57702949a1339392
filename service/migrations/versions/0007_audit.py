"""The tables of the audit log, and the triggers that keep it append-only."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_INDEXES = (("kind", "object_id", "seq"), ("actor", "seq"), ("action", "seq"), ("at",))


def upgrade() -> None:
    """Make the tables and the triggers."""
    seq = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "audit_event",
        sa.Column("seq", seq, primary_key=True, autoincrement=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("action", sa.String(255), nullable=False),
        sa.Column("kind", sa.String(255), nullable=False),
        sa.Column("object_id", sa.String(255)),
        sa.Column("actor", sa.String(255)),
        sa.Column("address", sa.String(255)),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("prev_hash", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
    )
    for columns in _INDEXES:
        op.create_index(op.f(f"ix_audit_event_{'_'.join(columns)}"), "audit_event", list(columns))
    op.create_table(
        "audit_head",
        sa.Column("head_id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("seq", seq, nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("mac", sa.String(64), nullable=False),
    )
    if op.get_bind().dialect.name == "sqlite":
        for action in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER audit_event_no_{action.lower()} BEFORE {action} ON audit_event "
                "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
            )
    else:
        op.execute(
            "CREATE FUNCTION audit_event_refuse() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$"
        )
        op.execute(
            "CREATE TRIGGER audit_event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_event "
            "FOR EACH STATEMENT EXECUTE FUNCTION audit_event_refuse()"
        )


def downgrade() -> None:
    """Drop them."""
    op.drop_table("audit_head")
    op.drop_table("audit_event")
    if op.get_bind().dialect.name != "sqlite":
        op.execute("DROP FUNCTION audit_event_refuse()")
