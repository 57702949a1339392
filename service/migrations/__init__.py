"""Alembic's environment and the chain of migrations."""
