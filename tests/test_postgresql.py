"""The database that the tests of a module use one after another."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tests.postgresql import SCHEMA, ReusableDatabase, Server, find_binaries
from tests.service_app import *  # noqa: F403 - fixtures

pytestmark = pytest.mark.postgresql


def read_database(url: str) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of every table, what the sequences give next, and the schema; all without the table `more`."""
    with psycopg.connect(url) as connection:
        schema = sorted(row for row in connection.execute(SCHEMA).fetchall() if row[1] != "more")
        tables = {row[1] for row in schema if row[0] == "table"}
        rows = {name: connection.execute(f'TABLE "{name}"').fetchall() for name in tables}
        numbers = "SELECT sequencename, last_value FROM pg_sequences WHERE sequencename !~ 'more'"
        return rows | {"": schema, "sequences": sorted(connection.execute(numbers).fetchall())}


@pytest.mark.parametrize(
    "changes",
    [
        ["DELETE FROM alembic_version", "CREATE TABLE more (id serial)", "INSERT INTO more DEFAULT VALUES"],
        [
            "DROP TRIGGER audit_event_append_only ON audit_event",
            "UPDATE alembic_version SET version_num = '0'",
        ],
        ["CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1'"],
        ["ALTER TABLE audit_event ADD CHECK (1 = 0) NOT VALID"],
        ["DROP TABLE audit_event"],
    ],
)
def test_it_is_as_at_first_for_the_next_test(postgresql_server: Server, changes: list[str]) -> None:
    copy = ReusableDatabase(postgresql_server, "migrated", "copied")
    try:
        before = read_database(copy.url)
        assert before["alembic_version"]
        left_open = psycopg.connect(copy.url, autocommit=True)
        for change in changes:
            left_open.execute(change)
        left_open.execute("BEGIN; LOCK TABLE audit_head")
        copy.renew()
        with pytest.raises(psycopg.OperationalError):
            left_open.execute("SELECT 1")
        left_open.close()
        assert read_database(copy.url) == before
        with psycopg.connect(copy.url) as connection:
            more = connection.execute("SELECT to_regclass('more')").fetchone()
            assert more == (None,) or connection.execute("TABLE more").fetchall() == []
    finally:
        copy.drop()


def test_an_empty_variable_switches_postgresql_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WALKAROUND_TEST_POSTGRESQL", "")
    assert find_binaries() is None
