"""Owns the connection to SQLite and PostgreSQL: transactions, upserts, time limits, migrations, storage
faults."""
