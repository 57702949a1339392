"""Reads a few rows on the thread of the event loop, by prebuilt statements straight on the driver.

Handing a query to another thread costs more than the query: the threads take turns at the interpreter. A row
that an index finds is read from SQLite on the spot, in some microseconds; PostgreSQL is asked without waiting
for it, on connections of the loop's own.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from sqlalchemy import Engine, Select
from sqlalchemy.exc import DBAPIError, OperationalError

from service.db import table_changes
from service.db.cancel_statement import NoAnswerError
from service.db.postgresql import SMALL_READS, address
from service.db.statements import ResultRow, Statements

if TYPE_CHECKING:
    import psycopg

T = TypeVar("T")

CONNECTIONS = 8
"""How many statements run on PostgreSQL at once; more would wait for each other there."""

Stamp = str
"""Names a state of a table or database: while it stays the same, no change of it was committed."""


class LockedError(Exception):
    """Another program has locked the file of SQLite."""


class LoopReads(Protocol):
    """Reads on the event loop's thread. Every statement sees what was committed before it began."""

    async def rows(self, select: Select[Any], values: Mapping[str, Any]) -> list[ResultRow]:
        """The rows of `select`. Raises LockedError, DBAPIError, NoAnswerError."""
        ...

    async def select_stamped(
        self, select: Select[Any], values: Mapping[str, Any], table: str
    ) -> tuple[list[ResultRow], Stamp]:
        """The rows of `select`, and the state of `table` then: empty when there are no rows."""
        ...

    async def stamp(self, table: str | None) -> Stamp:
        """The state of `table` now, None for the whole database."""
        ...

    async def is_settled(self, table: str | None) -> bool:
        """True when every change of `table` that a stamp from before knows has ended."""
        ...

    def close(self) -> None:
        """Close the connections."""
        ...


class SqliteReads:
    """Reads from SQLite at once, on one connection that waits for no lock."""

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
        """See LoopReads."""
        statement = self._statements.get(select)
        try:
            records = self._open_connection().execute(statement.text, statement.parameters(values)).fetchall()
        except sqlite3.Error as problem:
            raise _sqlite_error(problem) from problem
        return statement.rows(records)

    async def select_stamped(
        self, select: Select[Any], values: Mapping[str, Any], table: str
    ) -> tuple[list[ResultRow], Stamp]:
        """See LoopReads."""
        connection = self._open_connection()
        try:
            connection.execute("BEGIN")
            try:
                rows = await self.rows(select, values)
                # After the rows: their first step takes the snapshot that both belong to.
                return rows, await self.stamp(table)
            finally:
                connection.execute("COMMIT")
        except sqlite3.Error as problem:
            raise _sqlite_error(problem) from problem

    async def stamp(self, table: str | None) -> Stamp:
        """See LoopReads. It changes with every commit, also of other tables."""
        try:
            (version,) = self._open_connection().execute("PRAGMA data_version").fetchone()
        except sqlite3.Error as problem:
            raise _sqlite_error(problem) from problem
        return str(version)

    async def is_settled(self, table: str | None) -> bool:
        """See LoopReads. A stamp of SQLite knows what is committed, nothing else."""
        return True

    def close(self) -> None:
        """See LoopReads."""
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
        self._stamped: dict[tuple[Select[Any], str], Select[Any]] = {}
        self._free = asyncio.Semaphore(CONNECTIONS)
        self._idle: list[psycopg.AsyncConnection[Any]] = []
        self._stamps: dict[str | None, SharedRead[Stamp]] = {}

    async def rows(self, select: Select[Any], values: Mapping[str, Any]) -> list[ResultRow]:
        """See LoopReads. A read whose connection was lost while it was idle is repeated on a new one."""
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

    async def select_stamped(
        self, select: Select[Any], values: Mapping[str, Any], table: str
    ) -> tuple[list[ResultRow], Stamp]:
        """See LoopReads."""
        stamped = self._stamped.get((select, table))
        if stamped is None:
            stamped = self._stamped[select, table] = select.add_columns(table_changes.stamp_column(table))
        rows = await self.rows(stamped, values)
        return rows, str(rows[0].stamp) if rows else ""

    async def stamp(self, table: str | None) -> Stamp:
        """See LoopReads."""
        if table not in self._stamps:
            self._stamps[table] = SharedRead(partial(self._read_stamp, table))
        return await self._stamps[table].get()

    async def _read_stamp(self, table: str | None) -> Stamp:
        (row,) = await self.rows(table_changes.stamp_statement(table), {})
        return str(row.stamp)

    async def is_settled(self, table: str | None) -> bool:
        """See LoopReads. A stamp of the whole database knows what is committed, nothing else."""
        return table is None or not await self.rows(table_changes.open_changes(table), {})

    def close(self) -> None:
        """See LoopReads."""
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


class TurnRead(Generic[T]):
    """Gives the result of one read to all callers that request it in the same turn of the event loop.

    For a read that does not wait, as from SQLite. The loop receives requests before the turn that answers
    them, so a result is read after each of them was received.
    """

    def __init__(self, read: Callable[[], Awaitable[T]]) -> None:
        self._read = read
        self._results: list[T] = []
        self._turn = 0

    async def get(self) -> T:
        """What the database says now. Raises what the read raises."""
        if self._results:
            return self._results[0]
        turn = self._turn
        asyncio.get_running_loop().call_soon(self._end_turn)
        result = await self._read()
        if self._turn == turn:
            self._results = [result]
        return result

    def _end_turn(self) -> None:
        self._turn += 1
        self._results = []
