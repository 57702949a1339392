"""Tests that prebuilt statements in a transaction behave as with SQLAlchemy."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import pytest
from sqlalchemy import Column, DateTime, Integer, MetaData, String, Table, bindparam, select
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from service.db import statements
from service.db.database import Database, UtcTime

AT = dt.datetime(2026, 5, 1, 12, 30, 15, 250_000)
NUMBERS = Table(
    "statement_numbers",
    MetaData(),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at", DateTime),
    Column("seen_at", UtcTime),
    Column("name", String(20)),
)
INSERT = NUMBERS.insert()
RENAME = NUMBERS.update().where(NUMBERS.c.number == bindparam("which")).values(name=bindparam("new_name"))
SELECT_NUMBER = select(NUMBERS).where(NUMBERS.c.number == bindparam("number")).with_for_update()


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    new = Database(database_url)
    new.write_now(lambda session: NUMBERS.create(session.connection(), checkfirst=True))
    yield new
    new.close()


def make_row(number: int) -> dict[str, object]:
    return {"number": number, "at": AT, "seen_at": AT.replace(tzinfo=dt.UTC), "name": f"编号 {number}"}


def read_names(database: Database) -> list[str]:
    return database.read_now(
        lambda session: [name for (name,) in session.execute(select(NUMBERS.c.name).order_by("number"))]
    )


@pytest.mark.both_databases
def test_row_is_changed_and_read_with_the_types_of_its_columns(database: Database) -> None:
    def work(session: Session) -> list[statements.ResultRow]:
        assert statements.run(session.connection(), INSERT, make_row(7)) == []
        return statements.run(session.connection(), SELECT_NUMBER, {"number": 7})

    (found,) = database.write_now(work)
    assert found._mapping == make_row(7)
    assert tuple(found) == tuple(make_row(7).values())


@pytest.mark.both_databases
def test_insert_returns_columns(database: Database) -> None:
    statement = NUMBERS.insert().returning(NUMBERS.c.number, NUMBERS.c.seen_at)
    (found,) = database.write_now(
        lambda session: statements.run(session.connection(), statement, make_row(3))
    )
    assert tuple(found) == (3, AT.replace(tzinfo=dt.UTC))


@pytest.mark.both_databases
def test_several_rows_are_inserted_together(database: Database) -> None:
    rows = [make_row(number) for number in range(5)]
    database.write_now(lambda session: statements.run_many(session.connection(), INSERT, rows))
    assert read_names(database) == [f"编号 {number}" for number in range(5)]
    changes = [{"which": number, "new_name": f"{number}!"} for number in range(5)]
    database.write_now(lambda session: statements.run_many(session.connection(), RENAME, changes))
    assert read_names(database) == [f"{number}!" for number in range(5)]


@pytest.mark.both_databases
def test_failed_transaction_is_rolled_back(database: Database) -> None:
    def work(session: Session) -> None:
        statements.run(session.connection(), INSERT, make_row(1))
        raise KeyError("stop")

    with pytest.raises(KeyError):
        database.write_now(work)
    with database.writer.connect() as connection:
        statements.run(connection, INSERT, make_row(2))
    assert read_names(database) == []


@pytest.mark.both_databases
@pytest.mark.parametrize("many", [False, True])
def test_duplicate_key_is_an_integrity_error_without_the_values(database: Database, *, many: bool) -> None:
    database.write_now(lambda session: statements.run(session.connection(), INSERT, make_row(1)))

    def again(session: Session) -> None:
        if many:
            statements.run_many(session.connection(), INSERT, [make_row(2), make_row(1)])
        else:
            statements.run(session.connection(), INSERT, make_row(1))

    with pytest.raises(IntegrityError) as failed:
        database.write_now(again)
    assert "编号" not in str(failed.value)
    assert read_names(database) == ["编号 1"]
