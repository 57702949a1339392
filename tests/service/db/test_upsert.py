"""Tests inserts of rows whose key may exist already, on both databases."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import Column, Integer, MetaData, String, Table, event, select, text
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from service.db.database import Database
from service.db.upsert import insert_or_ignore, insert_or_update

COUNT = Table(
    "test_count",
    MetaData(),
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("name", String(20), unique=True),
    Column("number", Integer, nullable=False),
    Column("note", String(20)),
)

pytestmark = pytest.mark.both_databases


@pytest.fixture
def database(database: Database) -> Iterator[Database]:
    database.write_now(lambda session: COUNT.create(session.connection()))
    yield database
    database.write_now(lambda session: COUNT.drop(session.connection()))


def make_row(key: int, name: str | None, number: int = 1, note: str | None = None) -> dict[str, Any]:
    return {"id": key, "name": name, "number": number, "note": note}


def read_rows(database: Database) -> list[tuple[Any, ...]]:
    stored = select(COUNT).order_by(COUNT.c.id)
    return database.read_now(lambda session: [tuple(make_row) for make_row in session.execute(stored)])


def ignore(database: Database, read_rows: list[dict[str, Any]], key: list[str]) -> int:
    return database.write_now(lambda session: insert_or_ignore(session, COUNT, read_rows, key))


def update(database: Database, read_rows: list[dict[str, Any]], key: list[str], **changes: Any) -> None:
    database.write_now(lambda session: insert_or_update(session, COUNT, read_rows, key, changes or None))


def test_duplicate_key_is_ignored(database: Database) -> None:
    assert ignore(database, [make_row(1, "a")], ["name"]) == 1
    assert ignore(database, [make_row(2, "a", 9)], ["name"]) == 0
    assert ignore(database, [make_row(1, "b", 9)], ["id"]) == 0
    assert ignore(database, [make_row(3, "a", 9), make_row(4, "d")], ["name"]) == 1
    assert read_rows(database) == [(1, "a", 1, None), (4, "d", 1, None)]


def test_row_without_a_key_is_always_inserted(database: Database) -> None:
    assert ignore(database, [make_row(1, None), make_row(2, None)], ["name"]) == 2


def test_violation_of_another_constraint_is_an_error(database: Database) -> None:
    ignore(database, [make_row(1, "a")], ["name"])
    with pytest.raises(IntegrityError):
        ignore(database, [make_row(1, "b")], ["name"])
    with pytest.raises(IntegrityError):
        ignore(database, [{**make_row(2, "b"), "number": None}], ["name"])
    with pytest.raises(IntegrityError):
        update(database, [make_row(1, "b")], ["name"])
    assert read_rows(database) == [(1, "a", 1, None)]


def test_duplicate_key_is_updated_with_the_new_row(database: Database) -> None:
    update(database, [make_row(1, "a", 1, "old")], ["name"])
    update(database, [{"name": "b", "id": 3, "number": 3}, {"name": "a", "id": 2, "number": 7}], ["name"])
    assert read_rows(database) == [(2, "a", 7, "old"), (3, "b", 3, None)]


def test_duplicate_key_is_updated_by_an_expression(database: Database) -> None:
    for note in ("first", "second", "third"):
        new_rows = [make_row(1, "a", note=note), make_row(2, "b", 5, note)]
        update(database, new_rows, ["id"], number=COUNT.c.number + 10, note=note)
    assert read_rows(database) == [(1, "a", 21, "third"), (2, "b", 25, "third")]


@pytest.mark.parametrize("statement", [insert_or_ignore, insert_or_update])
def test_many_rows_take_few_statements(database: Database, statement: Callable[..., Any]) -> None:
    sent: list[str] = []
    event.listen(database.writer, "before_cursor_execute", lambda _c, _cursor, sql, *_more: sent.append(sql))
    many = [make_row(number, str(number)) for number in range(20_000)]
    database.write_now(lambda session: statement(session, COUNT, many, ["id"]))
    assert len([sql for sql in sent if "test_count" in sql]) < 50
    assert len(read_rows(database)) == 20_000


def test_parallel_updates_all_count(database: Database) -> None:
    new_rows = [make_row(1, "a"), make_row(2, "b")]
    with ThreadPoolExecutor(8) as pool:
        changes = {"number": COUNT.c.number + 1}
        list(pool.map(lambda _: update(database, new_rows, ["id"], **changes), range(80)))
    assert [stored[2] for stored in read_rows(database)] == [80, 80]


def test_parallel_inserts_of_one_key_create_one_row(database: Database) -> None:
    with ThreadPoolExecutor(8) as pool:
        counts = list(pool.map(lambda number: ignore(database, [make_row(number, "a")], ["name"]), range(40)))
    assert sum(counts) == 1
    assert len(read_rows(database)) == 1


@pytest.mark.parametrize("database_kind", [pytest.param("postgresql", marks=pytest.mark.postgresql)])
@pytest.mark.parametrize("commits", [True, False])
def test_insert_waits_for_the_transaction_with_the_key(database: Database, commits: bool) -> None:
    inserted = threading.Event()
    blocked = text("SELECT count(*) FROM pg_locks WHERE NOT granted")

    def first(session: Session) -> None:
        insert_or_ignore(session, COUNT, [make_row(1, "a")], ["name"])
        inserted.set()
        deadline = time.monotonic() + 20
        while not session.execute(blocked).scalar_one():
            assert time.monotonic() < deadline, "the second insert does not wait"
        if not commits:
            raise RuntimeError("rolled back")

    def second(session: Session) -> tuple[int, list[int]]:
        assert inserted.wait(20)
        count = insert_or_ignore(session, COUNT, [make_row(2, "a")], ["name"])
        return count, [*session.scalars(select(COUNT.c.id))]

    with ThreadPoolExecutor(2) as pool:
        holder = pool.submit(database.write_now, first)
        assert pool.submit(database.write_now, second).result() == ((0, [1]) if commits else (1, [2]))
        assert (holder.exception() is None) is commits
