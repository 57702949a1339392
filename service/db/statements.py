"""Compiles a prebuilt statement once, to be run by the driver itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Dialect, Insert, Row, Select, Update
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import result_tuple
from sqlalchemy.exc import DBAPIError

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
