"""Hands jobs to the dispatcher: one port with a SQLite and a PostgreSQL implementation."""
