"""Migrates the database to the newest revision at start, and tells commands whether it can be used."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

from sqlalchemy import Connection, MetaData, inspect, text

from service.db.database import Base, Database

DOMAINS = (
    *("account", "catalogue", "files", "inspection", "face", "detection", "audit", "backups"),
    "webhooks",
    "phone",
)


_MIGRATION_LOCK = 7_105_048
"""The number of PostgreSQL's advisory lock; the charts have the next one (`service.statistics.counting`)."""


class NewerDatabaseError(RuntimeError):
    """The database was written by a newer version of the program."""


def metadata() -> MetaData:
    """The metadata of every domain's tables."""
    for domain in DOMAINS:
        importlib.import_module(f"service.{domain}.tables")
    return Base.metadata


def _folder() -> Path:
    return Path(__file__).resolve().parent.parent / "migrations"


def newest_revision() -> str:
    """The revision that this program writes, read from the names of the migration files."""
    names = (path.stem for path in (_folder() / "versions").glob("[0-9]*.py"))
    return max(match.group() for name in names if (match := re.match(r"\d{4}", name)))


def current_revision(database: Database) -> str | None:
    """The revision the database is at; None when it is empty."""
    with database.reader.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        revision: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        return revision


def migrate(database: Database) -> None:
    """Run the migrations that the database lacks, in one transaction.

    Raises NewerDatabaseError when it is ahead of this program.
    """
    current, newest = current_revision(database), newest_revision()
    if current == newest:
        return
    if current is not None and current > newest:
        raise NewerDatabaseError(f"the database is at revision {current}, this program knows up to {newest}")
    with database.writer.begin() as connection:
        if not database.is_sqlite:
            connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
            # Two services that start together: the second waits, and finds nothing left to do.
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})")
        upgrade(connection)


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Run the migrations up to `revision` in the transaction of `connection`."""
    # Importing alembic takes 0.35 s: only when there is something to do.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_folder()).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


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
