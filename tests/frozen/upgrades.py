"""Data as an earlier version left it, and whether all of it is there after an upgrade."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa

from service.db.database import Database
from service.db.schema import current_revision, newest_revision
from tests.service.db.test_migrations import fill_tables, list_tables, migrate_to

EARLIER = "0014"
"""The revision of the database in version 0.1.0."""

Rows = dict[str, list[dict[str, Any]]]


def earlier_data(folder: Path) -> Rows:
    """Make the data folder of an earlier version, with a row in every table: what is in them."""
    folder.mkdir(parents=True)
    database = Database(f"sqlite:///{folder / 'walkaround.db'}")
    try:
        migrate_to(database, EARLIER)
        rows = fill_tables(database)
        for model in rows["detection_model"]:
            if model["model_id"] == "reference-difference":
                # Migration 0045 gives the built-in model other words.
                del model["name"], model["description"]
        return rows
    finally:
        database.close()


def check_kept(folder: Path, before: Rows) -> None:
    """Every row is still there, in a database of the newest revision."""
    database = Database(f"sqlite:///{folder / 'walkaround.db'}")
    try:
        assert current_revision(database) == newest_revision()
        with database.reader.connect() as connection:
            for table in list_tables(connection):
                now = [dict(each) for each in connection.execute(sa.select(table)).mappings()]
                for row in before.get(table.name, []):
                    assert any(row.items() <= each.items() for each in now), (table.name, row, now)
    finally:
        database.close()
