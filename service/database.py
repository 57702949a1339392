"""The database: one way to read, one way to write, on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
import datetime as dt
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar, TypeVar

from sqlalchemy import (
    DateTime,
    Dialect,
    Engine,
    MetaData,
    Table,
    create_engine,
    event,
    make_url,
)
from sqlalchemy.orm import registry
from sqlalchemy.types import TypeDecorator
from sqlmodel import Session, SQLModel

from service.changes import AfterCommit, BeforeCommit, announced

T = TypeVar("T")

# Fewer threads win on SQLite, more on PostgreSQL (measured with 16 connections).
SQLITE_READERS = 2
POSTGRESQL_THREADS = 16
IDLE_BOUND = "SET idle_in_transaction_session_timeout = '20s'"
"""Ends a connection to PostgreSQL whose transaction stands still: a machine that is suspended or cut off in
the middle of one keeps no locks from the others."""
BUSY_MILLISECONDS = 10_000


class UtcTime(TypeDecorator[dt.datetime]):
    """A time in UTC: aware in Python, without a zone in the database, so both databases sort it alike."""

    impl = DateTime(timezone=False)
    cache_ok = True

    def process_bind_param(self, value: dt.datetime | None, dialect: Dialect) -> dt.datetime | None:
        """Store UTC; a value without a zone is UTC already."""
        if value is None or value.tzinfo is None:
            return value
        return value.astimezone(dt.UTC).replace(tzinfo=None)

    def process_result_value(self, value: dt.datetime | None, dialect: Dialect) -> dt.datetime | None:
        """Give UTC with its zone."""
        return None if value is None else value.replace(tzinfo=dt.UTC)


# Constraint names are fixed so that migrations can name them.
_TABLES = registry(
    metadata=MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
)


class Base(SQLModel, registry=_TABLES):
    """Base of every table model, declared as `class Record(Base, table=True)`.

    A model with a table does not validate what it is made of: bodies are validated by `shared.wire` before.
    A field for a time says `sa_type=UtcTime`, or is a pydantic `NaiveDatetime`: SQLModel's own column for
    `datetime` keeps a zone, which no migration makes.
    """

    __table__: ClassVar[Table]


def now() -> dt.datetime:
    """The present time in UTC, with its zone."""
    return dt.datetime.now(dt.UTC)


def _bounded(connection: Any, _record: Any) -> None:
    connection.execute(IDLE_BOUND)
    connection.commit()


class Database:
    """Runs pieces of work in transactions on a small thread pool.

    On SQLite one thread writes, with BEGIN IMMEDIATE (a deferred transaction that reads and then writes
    fails under load, whatever the busy time-out), and the readers' connections can not write. On PostgreSQL
    reads and writes share one pool. `before_commit` listeners run in the writing transaction, `after_commit`
    listeners after it, on the writing thread.
    """

    def __init__(self, url: str) -> None:
        self.url = make_url(url)
        if self.url.drivername == "postgresql":
            self.url = self.url.set(drivername="postgresql+psycopg")
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.before_commit: list[BeforeCommit] = []
        self.after_commit: list[AfterCommit] = []
        if self.is_sqlite:
            self.writer = self._sqlite_engine(writes=True)
            self.reader = self._sqlite_engine(writes=False)
            self._writers = ThreadPoolExecutor(1, thread_name_prefix="db-write")
            self._readers = ThreadPoolExecutor(SQLITE_READERS, thread_name_prefix="db-read")
        else:
            self.writer = self.reader = create_engine(
                self.url, pool_size=POSTGRESQL_THREADS, max_overflow=4, pool_pre_ping=True
            )
            event.listen(self.writer, "connect", _bounded)
            self._writers = self._readers = ThreadPoolExecutor(POSTGRESQL_THREADS, thread_name_prefix="db")

    def _sqlite_engine(self, *, writes: bool) -> Engine:
        engine = create_engine(
            self.url,
            pool_size=1 if writes else SQLITE_READERS,
            max_overflow=2,
            connect_args={"check_same_thread": False},
        )

        @event.listens_for(engine, "connect")
        def _connected(connection: sqlite3.Connection, _record: Any) -> None:
            # sqlite3 would begin transactions by itself, deferred ones; "begin" below does it instead.
            connection.isolation_level = None
            cursor = connection.cursor()
            cursor.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
            cursor.execute("PRAGMA foreign_keys = ON")
            if writes:
                cursor.execute("PRAGMA journal_mode = WAL")
                # FULL: what was answered as saved is on the disk, also after a power cut.
                cursor.execute("PRAGMA synchronous = FULL")
            else:
                cursor.execute("PRAGMA query_only = ON")
            cursor.close()

        @event.listens_for(engine, "begin")
        def _begin(connection: Any) -> None:
            connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

        return engine

    def read_now(self, work: Callable[[Session], T]) -> T:
        """Run `work` in a read transaction on this thread and give what it gives."""
        with Session(self.reader, expire_on_commit=False) as session:
            return work(session)

    def write_now(self, work: Callable[[Session], T]) -> T:
        """Run `work` in a write transaction on this thread; it commits unless `work` raises."""
        with Session(self.writer, expire_on_commit=False) as session:
            result = work(session)
            changes = announced(session)
            if changes:
                for before in self.before_commit:
                    before(session, changes)
            session.commit()
        if changes:
            for after in self.after_commit:
                after(changes)
        return result

    async def read(self, work: Callable[[Session], T]) -> T:
        """`read_now` on the pool of readers."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, self.read_now, work)

    async def write(self, work: Callable[[Session], T]) -> T:
        """`write_now` on the writing thread. Once begun it is finished, also when the client has left."""
        return await asyncio.get_running_loop().run_in_executor(self._writers, self.write_now, work)

    def close(self) -> None:
        """Finish what runs and let go of every connection, the writer last: it folds the WAL in."""
        self._readers.shutdown(wait=True)
        self._writers.shutdown(wait=True)
        self.reader.dispose()
        self.writer.dispose()
