"""Tests that prebuilt statements are read on the event loop and see every commit."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import (
    Column,
    DateTime,
    Integer,
    MetaData,
    String,
    Table,
    bindparam,
    event,
    func,
    select,
    text,
)
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlmodel import Session

from service.db.cancel_statement import NoAnswerError
from service.db.database import Database, UtcTime
from service.db.statements import PostgresqlReads, SharedRead

_POSTGRESQL = pytest.param("postgresql", marks=pytest.mark.postgresql)
on_postgresql = pytest.mark.parametrize("database_kind", [_POSTGRESQL])
AT = dt.datetime(2026, 5, 1, 12, 30, 15, 250_000)

NUMBERS = Table(
    "loop_numbers",
    MetaData(),
    Column("number", Integer),
    Column("at", DateTime),
    Column("seen_at", UtcTime),
    Column("name", String),
)
SELECT_NUMBER = select(NUMBERS).where(NUMBERS.c.number == bindparam("number"))
SELECT_ALL = select(NUMBERS.c.number).order_by(NUMBERS.c.number)
SELECT_SINCE = (
    select(NUMBERS.c.number.label("value")).where(NUMBERS.c.at >= bindparam("at")).limit(bindparam("size"))
)
SELECT_SLEEP = select(func.pg_sleep(20))


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    new = Database(database_url)
    new.write_now(create_table)
    yield new
    new.close()


def create_table(session: Session) -> None:
    NUMBERS.create(session.connection(), checkfirst=True)


def add(database: Database, number: int) -> None:
    row = {"number": number, "at": AT, "seen_at": AT.replace(tzinfo=dt.UTC), "name": f"编号 {number}"}
    database.write_now(lambda session: session.execute(NUMBERS.insert(), row))


def numbers_of(rows: list[Any]) -> list[int]:
    return [row.number for row in rows]


@pytest.mark.both_databases
def test_rows_have_the_types_of_their_columns(database: Database) -> None:
    add(database, 7)
    (row,) = asyncio.run(database.select(SELECT_NUMBER, {"number": 7}))
    assert tuple(row) == (7, AT, AT.replace(tzinfo=dt.UTC), "编号 7")
    assert row._mapping["name"] == row.name
    assert asyncio.run(database.select(SELECT_NUMBER, {"number": 8})) == []
    rows = asyncio.run(database.select(SELECT_SINCE, {"at": AT, "size": 5}))
    assert [row.value for row in rows] == [7]
    assert asyncio.run(database.select(SELECT_SINCE, {"at": AT + dt.timedelta(seconds=1), "size": 5})) == []


@pytest.mark.both_databases
async def test_read_sees_every_commit(database: Database) -> None:
    for number in range(3):
        await asyncio.to_thread(add, database, number)
        assert numbers_of(await database.select(SELECT_ALL, {})) == list(range(number + 1))


@pytest.mark.both_databases
async def test_uncommitted_change_is_not_seen(database: Database) -> None:
    add(database, 1)
    started, go_on = threading.Event(), threading.Event()

    def change() -> None:
        def work(session: Any) -> None:
            session.execute(NUMBERS.insert(), {"number": 2, "at": AT})
            started.set()
            assert go_on.wait(30)

        database.write_now(work)

    writing = asyncio.create_task(asyncio.to_thread(change))
    await asyncio.to_thread(started.wait, 30)
    assert numbers_of(await database.select(SELECT_ALL, {})) == [1]
    go_on.set()
    await writing
    assert numbers_of(await database.select(SELECT_ALL, {})) == [1, 2]


@pytest.mark.both_databases
async def test_error_is_raised_and_the_next_read_works(database: Database) -> None:
    missing = select(Table("loop_missing", MetaData(), Column("number", Integer)))
    add(database, 1)
    with pytest.raises(DBAPIError):
        await database.select(missing, {})
    assert numbers_of(await database.select(SELECT_ALL, {})) == [1]


def test_locked_file_is_read_on_another_thread(tmp_path: Path) -> None:
    # A reader can find the file locked only without a write-ahead log.
    path = tmp_path / "locked.db"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("CREATE TABLE loop_numbers (number INTEGER)")
        other.execute("BEGIN EXCLUSIVE")
        other.execute("INSERT INTO loop_numbers VALUES (1)")
        database = Database(f"sqlite:///{path}")
        threads: list[str] = []
        event.listen(
            database.reader,
            "before_cursor_execute",
            lambda *_: threads.append(threading.current_thread().name),
        )
        released = threading.Timer(0.2, other.execute, ["COMMIT"])
        released.start()
        assert numbers_of(asyncio.run(database.select(SELECT_ALL, {}))) == [1]
        released.join()
    assert "db-read_0" in threads
    database.close()


@pytest.mark.parametrize("database_kind", ["sqlite"])
async def test_file_is_closed_at_the_end(database: Database) -> None:
    await database.select(SELECT_ALL, {})
    path = database.url.database
    database.close()
    assert path is not None
    with contextlib.closing(sqlite3.connect(path, timeout=0)) as alone:
        alone.execute("PRAGMA locking_mode = EXCLUSIVE")
        alone.execute("INSERT INTO loop_numbers (number) VALUES (1)")


@on_postgresql
async def test_connections_ended_by_the_server_are_replaced(database: Database, database_url: str) -> None:
    add(database, 1)
    await asyncio.gather(*(database.select(SELECT_ALL, {}) for _ in range(4)))
    with psycopg.connect(database_url, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    answers = await asyncio.gather(*(database.select(SELECT_ALL, {}) for _ in range(4)))
    assert [numbers_of(rows) for rows in answers] == [[1]] * 4


@on_postgresql
async def test_slow_statement_is_ended_once(database_url: str) -> None:
    database = Database(database_url, statement_seconds=1)
    await database.select(select(func.now()), {})
    with pytest.raises(OperationalError) as caught:
        await database.select(SELECT_SLEEP, {})
    assert getattr(caught.value.orig, "sqlstate", None) == "57014"
    database.close()


@on_postgresql
async def test_silent_server_does_not_block_the_loop(database: Database) -> None:
    reads = PostgresqlReads(database.reader, 30, patience=0.3)
    with pytest.raises(NoAnswerError):
        await reads.rows(SELECT_SLEEP, {})
    assert numbers_of(await reads.rows(SELECT_ALL, {})) == []
    reads.close()


@on_postgresql
async def test_reads_wait_for_a_free_connection(database: Database) -> None:
    add(database, 1)
    answers = await asyncio.gather(*(database.select(SELECT_ALL, {}) for _ in range(50)))
    assert [numbers_of(rows) for rows in answers] == [[1]] * 50


@on_postgresql
async def test_reader_cannot_write(database: Database) -> None:
    reads = PostgresqlReads(database.reader, 30, patience=30)
    writes = select(func.nextval("loop_sequence"))
    database.write_now(lambda session: session.execute(text("CREATE SEQUENCE IF NOT EXISTS loop_sequence")))
    with pytest.raises(DBAPIError) as caught:
        await reads.rows(writes, {})
    assert getattr(caught.value.orig, "sqlstate", None) == "25006"
    reads.close()


class CountedReads:
    """Counts reads. Each ends when the test allows it, and returns the number of reads begun until then."""

    def __init__(self) -> None:
        self.count = 0
        self.ends: list[asyncio.Event] = []

    async def __call__(self) -> int:
        self.count += 1
        number = self.count
        self.ends.append(asyncio.Event())
        await self.ends[-1].wait()
        return number


async def _settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_requests_during_a_read_share_the_next_one() -> None:
    reads = CountedReads()
    shared = SharedRead(reads)
    first = asyncio.create_task(shared.get())
    await _settle()
    later = [asyncio.create_task(shared.get()) for _ in range(5)]
    await _settle()
    assert reads.count == 1
    reads.ends[0].set()
    await _settle()
    assert await first == 1
    assert reads.count == 2
    reads.ends[1].set()
    assert await asyncio.gather(*later) == [2] * 5


async def test_cancelled_request_does_not_end_a_shared_read() -> None:
    reads = CountedReads()
    shared = SharedRead(reads)
    leaving, staying = asyncio.create_task(shared.get()), asyncio.create_task(shared.get())
    await _settle()
    leaving.cancel()
    await _settle()
    reads.ends[0].set()
    assert await staying == 1
    assert leaving.cancelled()


async def test_failed_shared_read_fails_for_all_and_the_next_one_works() -> None:
    answers: list[Exception | int] = [LookupError(), 5]

    async def read() -> int:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    shared = SharedRead(read)
    outcomes = await asyncio.gather(shared.get(), shared.get(), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [LookupError] * 2
    assert await shared.get() == 5


async def test_request_after_a_read_without_an_answer_starts_a_new_read() -> None:
    started: list[asyncio.Event] = []

    async def read() -> int:
        started.append(asyncio.Event())
        await started[-1].wait()
        raise NoAnswerError("no answer")

    shared = SharedRead(read)
    first = asyncio.create_task(shared.get())
    await _settle()
    later = asyncio.create_task(shared.get())
    await _settle()
    started[0].set()
    for waiting in (first, later):
        with pytest.raises(NoAnswerError):
            await waiting
    assert len(started) == 1
    # A later request starts a new read.
    again = asyncio.create_task(shared.get())
    await _settle()
    assert len(started) == 2
    started[1].set()
    with pytest.raises(NoAnswerError):
        await again
