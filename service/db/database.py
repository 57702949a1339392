"""Runs reads and writes in transactions, on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
import datetime as dt
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

from sqlalchemy import (
    Connection,
    DateTime,
    Dialect,
    Engine,
    MetaData,
    Table,
    create_engine,
    event,
    make_url,
)
from sqlalchemy.exc import InvalidatePoolError, OperationalError
from sqlalchemy.orm import registry
from sqlalchemy.types import TypeDecorator
from sqlmodel import Session, SQLModel

from service.changes import AfterCommit, BeforeCommit, ObjectChange, announced
from service.db.cancel_statement import NoAnswerError, RunningStatement
from service.db.postgresql import STATEMENT_SECONDS, arguments

T = TypeVar("T")

# Fewer threads win on SQLite, more on PostgreSQL (measured with 16 connections).
SQLITE_READERS = 2
POSTGRESQL_THREADS = 16
BUSY_MILLISECONDS = 10_000
MOST_TOGETHER = 32
"""So many changes at most are committed together on SQLite."""
_WRITING_THREAD = "db-write"
GRACE_SECONDS = 5
"""What a request gives the database beyond the time of one statement, for its turn and for others."""


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


class Write(Generic[T]):
    """A change that waits to be made, and afterwards what came of it."""

    def __init__(self, work: Callable[[Session], T]) -> None:
        self._work = work
        self._done: Future[T] = Future()
        self.changes: list[ObjectChange] = []
        """What it announced, once it is made."""

    def run(self, do: Callable[[Callable[[Session], T]], T]) -> None:
        """Make the change by `do`, unless it was made or has failed."""
        if self._done.done():
            return
        try:
            self._done.set_result(do(self._work))
        except BaseException as problem:
            self._done.set_exception(problem)

    def reset(self) -> None:
        """What was done is gone with its transaction: it can be made again."""
        self._done, self.changes = Future(), []

    def fail(self, problem: BaseException) -> None:
        """It could not be committed, or a listener failed."""
        self.reset()
        self._done.set_exception(problem)

    def finish(self, tell: Callable[[list[ObjectChange]], None]) -> None:
        """It is committed: `tell` what it announced."""
        try:
            tell(self.changes)
        except Exception as problem:
            self.fail(problem)

    def outcome(self) -> T:
        """What the work gave. Raises what it raised."""
        return self._done.result(timeout=0)


class Database:
    """Runs pieces of work in transactions on a small thread pool.

    On SQLite one thread writes, with BEGIN IMMEDIATE (a deferred transaction that reads and then writes
    fails under load, whatever the busy time-out), and the readers' connections cannot write. On PostgreSQL
    reads and writes share one pool. `before_commit` listeners run in the writing transaction, `after_commit`
    listeners after it, on the writing thread.

    Nobody waits forever: `read` and `write` raise NoAnswerError `GRACE_SECONDS` after `statement_seconds`,
    within which PostgreSQL ends a statement, and cut the connection that does not answer.
    """

    def __init__(self, url: str, statement_seconds: int = STATEMENT_SECONDS) -> None:
        self.url = make_url(url)
        if self.url.drivername == "postgresql":
            self.url = self.url.set(drivername="postgresql+psycopg")
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.before_commit: list[BeforeCommit] = []
        self.after_commit: list[AfterCommit] = []
        self._patience = statement_seconds + GRACE_SECONDS
        self._here = threading.local()
        self._waiting: deque[Write[Any]] = deque()
        self._prompt: Connection | None = None
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
        for engine in {self.reader, self.writer}:
            event.listen(engine, "checkout", partial(self._taken, engine.dialect))
            event.listen(engine, "checkin", self._given_back)

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

    def _taken(self, dialect: Dialect, connection: Any, _record: Any, _proxy: Any) -> None:
        running: RunningStatement | None = getattr(self._here, "running", None)
        if running is not None:
            running.attach(connection)
        if not self.is_sqlite:
            # What `pool_pre_ping` does, but where `abandon` reaches it.
            try:
                dialect.do_ping(connection)
            except dialect.loaded_dbapi.Error as problem:
                if running is not None:
                    running.check()
                raise InvalidatePoolError from problem

    def _given_back(self, _connection: Any, _record: Any) -> None:
        running: RunningStatement | None = getattr(self._here, "running", None)
        if running is not None:
            running.detach()

    def take_all_time(self, session: Session) -> None:
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
        with Session(self.writer, expire_on_commit=False) as session:
            result, changes = self._made(session, work)
        self._tell(changes)
        return result

    def _made(self, session: Session, work: Callable[[Session], T]) -> tuple[T, list[ObjectChange]]:
        """Make the change of `work` and commit it; what it gave and announced."""
        result = work(session)
        changes = announced(session)
        if changes:
            for before in self.before_commit:
                before(session, changes)
        session.commit()
        return result, changes

    def _tell(self, changes: list[ObjectChange]) -> None:
        if changes:
            for after in self.after_commit:
                after(changes)

    async def read(self, work: Callable[[Session], T]) -> T:
        """`read_now` on the pool of readers; cancelled, it ends its query. Raises NoAnswerError."""
        return await self._read(partial(self.read_now, work))

    async def fetch(self, work: Callable[[Connection], T], *, few_rows: bool = False) -> T:
        """`read` for Core statements only, without a session: a point query costs half.

        `few_rows`: `work` finds a few rows by an index. On SQLite that takes less time than to hand it to
        another thread, so it is done on this one.
        """
        if few_rows and self.is_sqlite:
            try:
                return self._fetch_here(work)
            except OperationalError:
                # Another program has locked the file: the pool of readers waits for it.
                pass
        return await self._read(partial(self._fetch_now, work))

    def _fetch_here(self, work: Callable[[Connection], T]) -> T:
        if self._prompt is None:
            self._prompt = self.reader.connect()
            self._prompt.exec_driver_sql("PRAGMA busy_timeout = 0")
            self._prompt.rollback()
        with self._prompt.begin():
            return work(self._prompt)

    async def _read(self, do: Callable[[], T]) -> T:
        running = RunningStatement()
        try:
            return await self._awaited(self._readers, do, running)
        except asyncio.CancelledError:
            # Telling the database may take its time.
            asyncio.get_running_loop().run_in_executor(None, running.cancel)
            raise

    async def write(self, work: Callable[[Session], T]) -> T:
        """`write_now` on the writing thread. Once begun it is finished, also when the client has left.

        Raises NoAnswerError; whether the change was made is not known then.
        """
        if not self.is_sqlite:
            return await self._awaited(self._writers, partial(self._write, work), RunningStatement())
        write = Write(work)
        self._waiting.append(write)
        await self._awaited(self._writers, self._write_waiting, RunningStatement())
        return write.outcome()

    def _write_waiting(self) -> None:
        """Make what waits, on the writing thread.

        Several changes are one transaction, so that they reach the disk together. Each has a savepoint of its
        own: one that fails takes no other with it.
        """
        group: list[Write[Any]] = []
        while self._waiting and len(group) < MOST_TOGETHER:
            group.append(self._waiting.popleft())
        if len(group) > 1:
            try:
                whole = self._written_together(group)
            except BaseException as problem:
                for write in group:
                    write.fail(problem)
                return
            for write in group:
                if whole:
                    # A listener that fails is the fault of its own change only.
                    write.finish(self._tell)
                else:
                    write.reset()
        for write in group:
            write.run(self._write)

    def _written_together(self, group: Sequence[Write[Any]]) -> bool:
        """Commit the changes of `group`; what came of each is in it then.

        False when SQLite gave the whole transaction up, which it does when the disk is full, for example.
        Raises what the commit raises: nothing is made then.
        """
        with self.writer.connect() as connection:
            transaction = connection.begin()
            driver = connection.connection.driver_connection
            assert isinstance(driver, sqlite3.Connection)
            try:
                for write in group:
                    write.run(partial(self._write_savepoint, connection, write))
                    if not driver.in_transaction:
                        return False
                transaction.commit()
            finally:
                if transaction.is_active:
                    transaction.rollback()
                # After a commit that failed SQLAlchemy takes the transaction for ended, SQLite does not.
                driver.rollback()
        return True

    def _write_savepoint(self, connection: Connection, write: Write[Any], work: Callable[[Session], T]) -> T:
        with Session(connection, expire_on_commit=False, join_transaction_mode="create_savepoint") as session:
            result, changes = self._made(session, work)
        write.changes = changes
        return result

    async def _awaited(
        self,
        pool: ThreadPoolExecutor,
        do: Callable[[], T],
        running: RunningStatement,
    ) -> T:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._patience) as patience:
                return await loop.run_in_executor(pool, self._followed, do, running)
        except TimeoutError:
            if not patience.expired():
                raise
            loop.run_in_executor(None, running.abandon)
            raise NoAnswerError("the database does not answer") from None

    def _followed(
        self,
        do: Callable[[], T],
        running: RunningStatement,
    ) -> T:
        self._here.running = running
        try:
            return do()
        finally:
            self._here.running = None
            running.detach()

    def close(self) -> None:
        """Finish what runs and release every connection, the writer last: it folds the WAL in."""
        self._readers.shutdown(wait=True)
        self._writers.shutdown(wait=True)
        if self._prompt is not None:
            # It does not wait for locks, so no other work may have it.
            self._prompt.invalidate()
            self._prompt.close()
        self.reader.dispose()
        self.writer.dispose()
