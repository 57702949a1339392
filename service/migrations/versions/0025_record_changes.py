"""Counts the changes of records on PostgreSQL; 0036 stops it."""

from __future__ import annotations

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Count from now on."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("CREATE SEQUENCE record_changes")
        op.execute(
            "CREATE FUNCTION record_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "PERFORM pg_advisory_xact_lock_shared(7105050, TG_RELID::int); "
            "PERFORM nextval('record_changes'); RETURN NULL; END $$"
        )
        op.execute(
            "CREATE TRIGGER record_changed BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON record "
            "FOR EACH STATEMENT EXECUTE FUNCTION record_changed()"
        )


def downgrade() -> None:
    """Count no longer."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP TRIGGER record_changed ON record")
        op.execute("DROP FUNCTION record_changed()")
        op.execute("DROP SEQUENCE record_changes")
