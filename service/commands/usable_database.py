"""Checks that the database of an installation can be used by a command."""

from __future__ import annotations

from pathlib import Path

from service.db.database import Database
from service.db.schema import current_revision, newest_revision


def missing_database(database: Database) -> str | None:
    """Return a sentence for the terminal if the SQLite file does not exist; None if it does."""
    if database.is_sqlite and not Path(database.url.database or "").is_file():
        return f"there is no database at {database.url.database}: name the data folder with --data-dir"
    return None


def unusable_database(database: Database) -> str | None:
    """Return a sentence for the terminal if the database is missing or has another revision; else None."""
    if (sentence := missing_database(database)) is not None:
        return sentence
    if current_revision(database) != newest_revision():
        return "the database is of another version of the program: start the service once, then try again"
    return None
