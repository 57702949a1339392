"""Reads of a few rows on SQLite are done on the thread that asks, unless the file is locked."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from service.db.database import Database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    made = Database(f"sqlite:///{path}")
    made.write_now(lambda session: session.execute(text("CREATE TABLE numbers (number INTEGER)")))
    yield made
    made.close()


def add(database: Database, number: int) -> None:
    database.write_now(lambda session: session.execute(text(f"INSERT INTO numbers VALUES ({number})")))


def numbers(threads: list[str]) -> Callable[[Connection], list[int]]:
    def work(connection: Connection) -> list[int]:
        threads.append(threading.current_thread().name)
        return [row.number for row in connection.execute(text("SELECT number FROM numbers ORDER BY 1"))]

    return work


@pytest.mark.parametrize(("few_rows", "thread"), [(True, "MainThread"), (False, "db-read_0")])
def test_every_commit_is_seen(database: Database, few_rows: bool, thread: str) -> None:
    threads: list[str] = []
    for number in range(3):
        add(database, number)
        found = asyncio.run(database.fetch(numbers(threads), few_rows=few_rows))
        assert found == list(range(number + 1))
    assert set(threads) == {thread}


def test_a_fault_of_the_work_leaves_no_transaction_open(database: Database) -> None:
    def fails(connection: Connection) -> None:
        connection.execute(text("SELECT 1"))
        raise LookupError

    with pytest.raises(LookupError):
        asyncio.run(database.fetch(fails, few_rows=True))
    add(database, 1)
    assert asyncio.run(database.fetch(numbers([]), few_rows=True)) == [1]


def test_what_sqlite_refuses_is_asked_again_on_another_thread(database: Database) -> None:
    add(database, 1)
    threads: list[str] = []
    asyncio.run(database.fetch(numbers(threads), few_rows=True))
    refused: list[Connection] = []

    def refuse_once(connection: Connection) -> list[int]:
        if not refused:
            refused.append(connection)
            # An OperationalError, as of a locked file.
            connection.exec_driver_sql("SELECT * FROM missing")
        return numbers(threads)(connection)

    assert asyncio.run(database.fetch(refuse_once, few_rows=True)) == [1]
    assert threads[-1] == "db-read_0"


def test_the_file_is_let_go_at_the_end(path: Path) -> None:
    database = Database(f"sqlite:///{path}")
    database.write_now(lambda session: session.execute(text("CREATE TABLE numbers (number INTEGER)")))
    asyncio.run(database.fetch(numbers([]), few_rows=True))
    database.close()
    with sqlite3.connect(path, timeout=0) as alone:
        alone.execute("PRAGMA locking_mode = EXCLUSIVE")
        alone.execute("INSERT INTO numbers VALUES (1)")
    alone.close()
