"""Owns the connection to SQLite and PostgreSQL: transactions, time limits, migrations, storage faults."""
