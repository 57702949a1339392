"""Configures Alembic: the connection is handed over by `service.db.schema`."""

from __future__ import annotations

from alembic import context

from service.db.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata(),
    # Additive migrations only on SQLite; batch mode would rebuild whole tables.
    render_as_batch=False,
)

with context.begin_transaction():
    context.run_migrations()
