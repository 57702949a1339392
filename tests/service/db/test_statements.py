"""Prebuilt statements run in a transaction as SQLAlchemy would run them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import pytest
from sqlalchemy import Column, DateTime, Integer, MetaData, String, Table, bindparam, func, select
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from service.db import statements
from service.db.database import Database, UtcTime
from service.db.returned_subquery import ReturnedSubquery, changed_column

both = pytest.mark.parametrize(
    "database_kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)]
)
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
OF_NUMBER = select(NUMBERS).where(NUMBERS.c.number == bindparam("number")).with_for_update()


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    new = Database(database_url)
    new.write_now(lambda session: NUMBERS.create(session.connection(), checkfirst=True))
    yield new
    new.close()


def row(number: int) -> dict[str, object]:
    return {"number": number, "at": AT, "seen_at": AT.replace(tzinfo=dt.UTC), "name": f"编号 {number}"}


def names(database: Database) -> list[str]:
    return database.read_now(
        lambda session: [name for (name,) in session.execute(select(NUMBERS.c.name).order_by("number"))]
    )


@both
def test_a_change_is_made_and_read_back_with_the_types_of_its_columns(database: Database) -> None:
    def work(session: Session) -> list[statements.ResultRow]:
        assert statements.run(session.connection(), INSERT, row(7)) == []
        return statements.run(session.connection(), OF_NUMBER, {"number": 7})

    (found,) = database.write_now(work)
    assert found._mapping == row(7)
    assert tuple(found) == tuple(row(7).values())


@both
def test_an_insert_returns_columns_and_what_a_subquery_finds_for_the_row(database: Database) -> None:
    others = NUMBERS.alias("others")
    same_name = select(func.max(others.c.number)).where(others.c.name == changed_column(NUMBERS.c.name))
    statement = NUMBERS.insert().returning(
        NUMBERS.c.number, NUMBERS.c.seen_at, ReturnedSubquery(same_name).label("newest")
    )

    def work(session: Session) -> list[statements.ResultRow]:
        statements.run(session.connection(), INSERT, row(7))
        return statements.run(session.connection(), statement, {**row(3), "name": row(7)["name"]})

    (found,) = database.write_now(work)
    assert tuple(found[:2]) == (3, AT.replace(tzinfo=dt.UTC))
    assert found.newest == 7


@both
def test_many_rows_are_inserted_at_once(database: Database) -> None:
    rows = [row(number) for number in range(5)]
    database.write_now(lambda session: statements.run_many(session.connection(), INSERT, rows))
    assert names(database) == [f"编号 {number}" for number in range(5)]
    changes = [{"which": number, "new_name": f"{number}!"} for number in range(5)]
    database.write_now(lambda session: statements.run_many(session.connection(), RENAME, changes))
    assert names(database) == [f"{number}!" for number in range(5)]


@both
def test_what_a_transaction_did_before_it_failed_is_undone(database: Database) -> None:
    def work(session: Session) -> None:
        statements.run(session.connection(), INSERT, row(1))
        raise KeyError("stop")

    with pytest.raises(KeyError):
        database.write_now(work)
    with database.writer.connect() as connection:
        statements.run(connection, INSERT, row(2))
    assert names(database) == []


@both
@pytest.mark.parametrize("many", [False, True])
def test_a_key_that_is_taken_is_an_integrity_error_without_the_values(
    database: Database, *, many: bool
) -> None:
    database.write_now(lambda session: statements.run(session.connection(), INSERT, row(1)))

    def again(session: Session) -> None:
        if many:
            statements.run_many(session.connection(), INSERT, [row(2), row(1)])
        else:
            statements.run(session.connection(), INSERT, row(1))

    with pytest.raises(IntegrityError) as failed:
        database.write_now(again)
    assert "编号" not in str(failed.value)
    assert names(database) == ["编号 1"]
