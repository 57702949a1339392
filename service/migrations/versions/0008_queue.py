"""The objects of procrastinate, the queue of detection jobs on PostgreSQL. Nothing on SQLite."""

from __future__ import annotations

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make them as the installed version, held at one minor version by pyproject.toml, wants them.

    Its own migrations can not run here: they use enum values that they add, which needs a commit between.
    """
    if op.get_bind().dialect.name == "sqlite":
        return
    from procrastinate.schema import SchemaManager

    # The driver's cursor: the text holds many statements, with per cent signs that are no parameters.
    op.get_bind().connection.cursor().execute(SchemaManager.get_schema())


def downgrade() -> None:
    """Drop them."""
    if op.get_bind().dialect.name == "sqlite":
        return
    for table in ("periodic_defers", "events", "jobs", "workers"):
        op.execute(f"DROP TABLE procrastinate_{table} CASCADE")
    for kind, catalogue, name, space in (
        ("FUNCTION", "pg_proc", "proname", "pronamespace"),
        ("TYPE", "pg_type", "typname", "typnamespace"),
    ):
        shown = "oid::regprocedure" if kind == "FUNCTION" else "oid::regtype"
        # The array that PostgreSQL makes for each type goes with it.
        op.execute(
            f"DO $$ DECLARE found text; BEGIN FOR found IN SELECT {shown}::text FROM {catalogue} "  # noqa: S608
            f"WHERE starts_with({name}, 'procrastinate_') AND {space} = current_schema()::regnamespace "
            f"LOOP EXECUTE 'DROP {kind} ' || found || ' CASCADE'; END LOOP; END $$"
        )
