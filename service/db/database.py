"""Runs reads and writes in transactions, on SQLite and on PostgreSQL."""

import asyncio
import contextlib
import contextvars
import datetime as dt
import sqlite3
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, ClassVar, TypeVar

from sqlalchemy import (
    URL,
    Connection,
    DateTime,
    Dialect,
    Engine,
    MetaData,
    Select,
    Table,
    create_engine,
    event,
)
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.orm import registry
from sqlalchemy.types import TypeDecorator
from sqlmodel import Session, SQLModel

from service.changes import AfterCommit, BeforeCommit
from service.db.cancel_statement import NoAnswerError, RunningStatement
from service.db.postgresql import STATEMENT_SECONDS, arguments, read_url
from service.db.statements import LockedError, PostgresqlReads, ResultRow, SqliteReads
from service.db.write_queue import Kind, Watch, Write, WriteQueue

T = TypeVar("T")

# Fewer threads win on SQLite, more on PostgreSQL (measured with 16 connections).
SQLITE_READERS = 2
POSTGRESQL_THREADS = 16
BUSY_MILLISECONDS = 10_000
POSTGRESQL_WRITERS = 8
"""How many groups of changes are made at once on PostgreSQL at most."""
_WRITING_THREAD = "db-write"
GRACE_SECONDS = 5
"""How much longer than one statement a request waits for the database: for its turn, and for others."""


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

    # A model is built at its first use, and few tables ever need theirs: the service starts sooner.
    model_config = {"defer_build": True}

    __table__: ClassVar[Table]


def now() -> dt.datetime:
    """The present time in UTC, with its zone."""
    return dt.datetime.now(dt.UTC)


class Database:
    """Runs pieces of work in transactions on a small thread pool.

    On SQLite one thread writes, with BEGIN IMMEDIATE (a deferred transaction that reads and then writes
    fails under load, whatever the busy time-out), and the readers' connections cannot write. On PostgreSQL
    reads and writes share one pool. `before_commit` listeners run in the writing transaction, `after_commit`
    listeners after it, on the writing thread.

    PostgreSQL ends a statement after `statement_seconds`. `GRACE_SECONDS` later `read` and `write` raise
    NoAnswerError and cut the connection that does not answer.
    """

    def __init__(self, url: str | URL, statement_seconds: int = STATEMENT_SECONDS) -> None:
        self.url = read_url(url) if isinstance(url, str) else url
        if self.url.drivername == "postgresql":
            self.url = self.url.set(drivername="postgresql+psycopg")
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.before_commit: list[BeforeCommit] = []
        self.after_commit: list[AfterCommit] = []
        self.watch: Watch | None = None
        self._patience = statement_seconds + GRACE_SECONDS
        self._thread_state = threading.local()
        self._closed = False
        if self.is_sqlite:
            self.writer = self._sqlite_engine(writes=True)
            self.reader = self._sqlite_engine(writes=False)
            self._writers = ThreadPoolExecutor(1, thread_name_prefix=_WRITING_THREAD)
            self._readers = ThreadPoolExecutor(SQLITE_READERS, thread_name_prefix="db-read")
        else:
            self.writer = self.reader = create_engine(
                self.url,
                pool_size=POSTGRESQL_THREADS,
                max_overflow=4,
                connect_args=arguments(self.url, statement_seconds),
            )
            self._writers = self._readers = ThreadPoolExecutor(POSTGRESQL_THREADS, thread_name_prefix="db")
        self._queue = WriteQueue(
            self.writer,
            self._writers,
            1 if self.is_sqlite else POSTGRESQL_WRITERS,
            self._run_cancellable,
            self.before_commit,
            self.after_commit,
        )
        self._loop_reads = self._make_loop_reads(statement_seconds)
        for engine in {self.reader, self.writer}:
            event.listen(engine, "checkout", partial(self._on_checkout, engine.dialect))
            event.listen(engine, "checkin", self._on_checkin)

    def _make_loop_reads(self, statement_seconds: int) -> SqliteReads | PostgresqlReads | None:
        if self.is_sqlite:
            return SqliteReads(self.reader)
        if sys.platform == "win32":
            # The loop that Windows has by default cannot wait for libpq's sockets.
            return None
        return PostgresqlReads(self.reader, statement_seconds, self._patience)

    def _sqlite_engine(self, *, writes: bool) -> Engine:
        engine = create_engine(
            self.url,
            pool_size=1 if writes else SQLITE_READERS,
            max_overflow=2,
            connect_args={"check_same_thread": False},
        )

        @event.listens_for(engine, "connect")
        def _configure_connection(connection: sqlite3.Connection, _record: Any) -> None:
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
        def _begin_transaction(connection: Any) -> None:
            connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

        return engine

    def _on_checkout(self, dialect: Dialect, connection: Any, _record: Any, _proxy: Any) -> None:
        running: RunningStatement | None = getattr(self._thread_state, "running", None)
        if running is not None:
            running.attach(connection)
        if not self.is_sqlite:
            # As `pool_pre_ping` does, but where `abandon` reaches the connection.
            try:
                dialect.do_ping(connection)
            except dialect.loaded_dbapi.Error as problem:
                if running is not None:
                    running.check()
                raise InvalidatePoolError from problem

    def _on_checkin(self, _connection: Any, record: Any) -> None:
        running: RunningStatement | None = getattr(self._thread_state, "running", None)
        if running is not None:
            running.detach()
        if self._closed:
            # The pool was disposed of while another thread used this connection. Nothing would close it.
            record.close()

    def lift_statement_limit(self, session: Session) -> None:
        """Let the statements of this transaction run as long as they need."""
        if not self.is_sqlite:
            session.connection().exec_driver_sql("SET LOCAL statement_timeout = 0")

    def read_now(self, work: Callable[[Session], T]) -> T:
        """Run `work` in a read transaction on this thread and give what it gives."""
        with Session(self.reader, expire_on_commit=False) as session:
            return work(session)

    def _fetch_now(self, work: Callable[[Connection], T]) -> T:
        with self.reader.connect() as connection:
            return work(connection)

    def write_now(self, work: Callable[[Session], T]) -> T:
        """Run `work` in a write transaction and wait for it; it commits unless `work` raises.

        On PostgreSQL on this thread, on SQLite on the one that writes.
        """
        if not self.is_sqlite or threading.current_thread().name.startswith(_WRITING_THREAD):
            return self._write(work)
        return self._writers.submit(self._write, work).result()

    def _write(self, work: Callable[[Session], T]) -> T:
        write = Write(work)
        self._queue.make_alone(write)
        return write.result()

    async def read(self, work: Callable[[Session], T]) -> T:
        """`read_now` on the pool of readers; cancelled, it ends its query. Raises NoAnswerError."""
        return await self._read(partial(self.read_now, work))

    async def fetch(self, work: Callable[[Connection], T]) -> T:
        """`read` for Core statements only, without a session."""
        return await self._read(partial(self._fetch_now, work))

    async def select(self, statement: Select[Any], values: Mapping[str, Any]) -> list[ResultRow]:
        """The rows of a statement that is made once and finds a few rows by an index.

        It takes less time than to hand it to another thread, so it is run on the loop's own. Raises
        DBAPIError, NoAnswerError.
        """
        if self._loop_reads is not None:
            with contextlib.suppress(LockedError):
                return await self._await_on_loop(self._loop_reads.rows(statement, values))
        return await self.fetch(lambda connection: list(connection.execute(statement, dict(values))))

    async def _await_on_loop(self, reading: Awaitable[T]) -> T:
        try:
            result = await reading
        except LockedError:
            raise
        except Exception as problem:
            self._report(problem)
            raise
        if self.watch is not None:
            self.watch.record_immediate_read()
        return result

    async def _read(self, do: Callable[[], T]) -> T:
        running = RunningStatement()
        try:
            return await self._await_thread(do, running)
        except asyncio.CancelledError:
            # Notifying the database may take long.
            asyncio.get_running_loop().run_in_executor(None, running.cancel)
            raise

    async def write(self, work: Callable[[Session], T]) -> T:
        """`write_now`, together with other waiting changes. A change that has begun is finished, also if the
        client has left.

        Raises NoAnswerError; whether the change was made is not known then.
        """
        try:
            return await self._queue.write(work, self._patience, self._report_waiting)
        except Exception as problem:
            self._report(problem)
            raise

    def _report(self, problem: Exception) -> None:
        if self.watch is not None:
            self.watch.record_failure(problem)

    def _report_waiting(self, kind: Kind, requested_at: float, running: RunningStatement | None) -> None:
        if self.watch is not None:
            started_at = None if running is None else running.started_at
            # Work that has not begun waits still.
            self.watch.record_wait(kind, (started_at or time.perf_counter()) - requested_at)

    async def _await_thread(self, do: Callable[[], T], running: RunningStatement) -> T:
        loop = asyncio.get_running_loop()
        requested_at = time.perf_counter()
        try:
            async with asyncio.timeout(self._patience) as patience:
                # A view translates its texts for the request.
                run = contextvars.copy_context().run
                return await loop.run_in_executor(self._readers, run, self._run_cancellable, do, running)
        except TimeoutError:
            if not patience.expired():
                raise
            loop.run_in_executor(None, running.abandon)
            unanswered = NoAnswerError("the database does not answer")
            self._report(unanswered)
            raise unanswered from None
        except Exception as problem:
            self._report(problem)
            raise
        finally:
            self._report_waiting("read", requested_at, running)

    def _run_cancellable(self, do: Callable[[], T], running: RunningStatement) -> T:
        self._thread_state.running = running
        running.started_at = time.perf_counter()
        try:
            return do()
        finally:
            self._thread_state.running = None
            running.detach()

    def close(self) -> None:
        """Finish what runs and release every connection, the writer last: it folds the WAL in."""
        self._readers.shutdown(wait=True)
        self._writers.shutdown(wait=True)
        if self._loop_reads is not None:
            self._loop_reads.close()
        self._closed = True
        self.reader.dispose()
        self.writer.dispose()
