"""Compiles a prebuilt statement once, and runs it on the driver: in a transaction, or on the event loop.

Handing a query to another thread costs more than the query: the threads take turns at the interpreter. A row
that an index finds is read from SQLite on the spot, in some microseconds; PostgreSQL is asked without waiting
for it, on connections of the loop's own.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sqlalchemy import Connection, Dialect, Engine, Insert, Row, Select, Update
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import result_tuple
from sqlalchemy.exc import DBAPIError, OperationalError

from service.db.cancel_statement import NoAnswerError
from service.db.postgresql import SMALL_READS, address

if TYPE_CHECKING:
    import psycopg

ResultRow = Row[*tuple[Any, ...]]
Prebuilt = Select[Any] | Insert | Update
"""A statement that is made once. One that changes data sets every column that it names by a parameter."""
_Convert = Callable[[Any], Any]


class Statement:
    """The text of a statement for one dialect, its parameters for the driver, and its rows as SQLAlchemy's.

    SQLAlchemy's own execution costs three times what the driver takes for a few rows, ten times with its
    session.
    """

    def __init__(self, statement: Prebuilt, dialect: Dialect) -> None:
        compiled = statement.compile(dialect=dialect)
        self.text = str(compiled)
        self._constants: dict[str, Any] = {}
        self._binds: dict[str, _Convert] = {}
        for bind, name in compiled.bind_names.items():
            if not bind.required:
                self._constants[name] = bind.effective_value
            convert = bind.type.dialect_impl(dialect).bind_processor(dialect)
            if convert is not None:
                self._binds[name] = convert
        columns = list(statement.exported_columns)
        self._columns: list[tuple[int, _Convert]] = []
        for place, column in enumerate(columns):
            read = column.type.dialect_impl(dialect).result_processor(dialect, None)
            if read is not None:
                self._columns.append((place, read))
        self._row = result_tuple([str(column.key) for column in columns])

    def parameters(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The driver's parameters for `values`."""
        parameters = {**self._constants, **values}
        for name, convert in self._binds.items():
            parameters[name] = convert(parameters[name])
        return parameters

    def rows(self, records: Iterable[Sequence[Any]]) -> list[ResultRow]:
        """The rows of the driver's `records`."""
        if not self._columns:
            return [self._row(values) for values in records]
        rows = []
        for values in records:
            converted = list(values)
            for place, read in self._columns:
                converted[place] = read(converted[place])
            rows.append(self._row(converted))
        return rows


class Statements:
    """Keeps the compiled form of every statement; statements are made once, so they are few."""

    def __init__(self, dialect: Dialect) -> None:
        # With names as parameters on both databases.
        self._dialect = sqlite.dialect(paramstyle="named") if dialect.name == "sqlite" else dialect
        self._compiled: dict[Prebuilt, Statement] = {}

    def get(self, statement: Prebuilt) -> Statement:
        """The compiled form of `statement`."""
        compiled = self._compiled.get(statement)
        if compiled is None:
            compiled = self._compiled[statement] = Statement(statement, self._dialect)
        return compiled


def run(connection: Connection, statement: Prebuilt, values: Mapping[str, Any]) -> list[ResultRow]:
    """Run a prebuilt statement in the transaction of `connection`; give its rows.

    A change gives rows if it has a RETURNING.

    Raises DBAPIError.
    """
    compiled = _compile_for(connection, statement)
    options = {} if connection.dialect.name == "sqlite" else _POSTGRESQL
    try:
        cursor = _driver_connection(connection).execute(compiled.text, compiled.parameters(values), **options)
        records = [] if cursor.description is None else cursor.fetchall()
    except connection.dialect.loaded_dbapi.Error as problem:
        raise _wrap_error(connection, problem) from problem
    return compiled.rows(records)


def run_many(connection: Connection, statement: Prebuilt, rows: Iterable[Mapping[str, Any]]) -> None:
    """Run a prebuilt change for each of `rows`, as `run`."""
    compiled = _compile_for(connection, statement)
    cursor = _driver_connection(connection).cursor()
    try:
        cursor.executemany(compiled.text, [compiled.parameters(values) for values in rows])
    except connection.dialect.loaded_dbapi.Error as problem:
        raise _wrap_error(connection, problem) from problem
    finally:
        cursor.close()


_POSTGRESQL = {"prepare": True, "binary": True}
_KEY = "walkaround_statements"


def _compile_for(connection: Connection, statement: Prebuilt) -> Statement:
    # Kept with the driver's connection, so as long as that.
    statements: Statements | None = connection.info.get(_KEY)
    if statements is None:
        statements = connection.info[_KEY] = Statements(connection.dialect)
    return statements.get(statement)


def _driver_connection(connection: Connection) -> Any:
    # SQLAlchemy begins a transaction with the first statement that it runs itself.
    if not connection.in_transaction():
        connection.begin()
    return connection.connection.driver_connection


def _wrap_error(connection: Connection, problem: Exception) -> BaseException:
    # Without the statement: its parameters would be in the text.
    error = connection.dialect.loaded_dbapi.Error
    return DBAPIError.instance("", None, problem, error, dialect=connection.dialect)


T = TypeVar("T")

CONNECTIONS = 8
"""How many statements run on PostgreSQL at once; more would wait for each other there."""


class LockedError(Exception):
    """Another program has locked the file of SQLite."""


class SqliteReads:
    """Reads from SQLite at once, on one connection that waits for no lock.

    Every statement sees what was committed before it began.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._statements = Statements(engine.dialect)
        self._connection: sqlite3.Connection | None = None

    def _open_connection(self) -> sqlite3.Connection:
        if self._connection is None:
            pooled = self._engine.raw_connection()
            connection = pooled.driver_connection
            assert isinstance(connection, sqlite3.Connection)
            # The pool does not get it back: it does not wait for locks, so no other work may use it.
            pooled.detach()
            connection.execute("PRAGMA busy_timeout = 0")
            self._connection = connection
        return self._connection

    async def rows(self, select: Select[Any], values: Mapping[str, Any]) -> list[ResultRow]:
        """The rows of `select`. Raises LockedError, DBAPIError."""
        statement = self._statements.get(select)
        try:
            records = self._open_connection().execute(statement.text, statement.parameters(values)).fetchall()
        except sqlite3.Error as problem:
            raise _sqlite_error(problem) from problem
        return statement.rows(records)

    def close(self) -> None:
        """Close the connections."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _sqlite_error(problem: sqlite3.Error) -> Exception:
    code = getattr(problem, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return LockedError()
    # Without the statement: its parameters would be in the text.
    return DBAPIError.instance("", None, problem, sqlite3.Error)


class PostgresqlReads:
    """Reads from PostgreSQL without blocking the loop. Connections are made when they are needed."""

    def __init__(self, engine: Engine, statement_seconds: int, patience: float) -> None:
        self._address = address(engine.url, statement_seconds, SMALL_READS)
        self._patience = patience
        self._statements = Statements(engine.dialect)
        self._free = asyncio.Semaphore(CONNECTIONS)
        self._idle: list[psycopg.AsyncConnection[Any]] = []

    async def rows(self, select: Select[Any], values: Mapping[str, Any]) -> list[ResultRow]:
        """The rows of `select`. Raises DBAPIError, NoAnswerError.

        A read whose connection was lost while it was idle is repeated on a new one.
        """
        import psycopg

        statement = self._statements.get(select)
        parameters = statement.parameters(values)
        async with self._free:
            while True:
                idle = self._idle.pop() if self._idle else None
                try:
                    async with asyncio.timeout(self._patience):
                        connection = await self._connect() if idle is None else idle
                        records = await self._run(connection, statement.text, parameters)
                except TimeoutError:
                    raise NoAnswerError("the database does not answer") from None
                except psycopg.OperationalError as problem:
                    if idle is not None and _is_lost(problem.sqlstate):
                        continue
                    raise OperationalError("", None, problem) from problem
                except psycopg.Error as problem:
                    raise DBAPIError("", None, problem) from problem
                self._idle.append(connection)
                return statement.rows(records)

    async def _connect(self) -> psycopg.AsyncConnection[Any]:
        import psycopg

        return await psycopg.AsyncConnection.connect(self._address, autocommit=True)

    @staticmethod
    async def _run(
        connection: psycopg.AsyncConnection[Any], text: str, parameters: dict[str, Any]
    ) -> list[Any]:
        try:
            # The text comes from SQLAlchemy, never from a caller.
            cursor = await connection.execute(text, parameters, prepare=True, binary=True)
            return list(await cursor.fetchall())
        except BaseException:
            # Also if the caller left: no later statement may read what the server still sends.
            connection.pgconn.finish()
            raise

    def close(self) -> None:
        """Close the connections."""
        for connection in self._idle:
            connection.pgconn.finish()
        self._idle.clear()


def _is_lost(sqlstate: str | None) -> bool:
    # From the driver, or from a server that ends: postgresql.org/docs/current/errcodes-appendix.html
    return sqlstate is None or sqlstate.startswith(("08", "57P"))


class SharedRead(Generic[T]):
    """Gives the result of one read to all callers that request it at the same time.

    A result is read after it was requested: a request during a query gets the result of the next one.
    """

    def __init__(self, read: Callable[[], Awaitable[T]]) -> None:
        self._read = read
        self._current: asyncio.Task[T] | None = None
        self._next: asyncio.Task[T] | None = None

    async def get(self) -> T:
        """What the database says now. Raises what the read raises."""
        if self._next is None:
            before = self._current
            if before is not None and before.done():
                before = None
            self._next = asyncio.get_running_loop().create_task(self._start(before))
        # A caller that leaves does not end the query of the others.
        return await asyncio.shield(self._next)

    async def _start(self, before: asyncio.Task[T] | None) -> T:
        if before is not None:
            await asyncio.wait([before])
        self._current, self._next = self._next, None
        if before is not None and isinstance(before.exception(), NoAnswerError):
            # These callers have waited already, and would wait as long again.
            raise NoAnswerError("the database did not answer the read before")
        return await self._read()
