"""Compiles a prebuilt statement once, to be run by the driver itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Dialect, Row, Select
from sqlalchemy.engine import result_tuple

ResultRow = Row[*tuple[Any, ...]]
_Convert = Callable[[Any], Any]


class Statement:
    """The text of a SELECT for one dialect, its parameters for the driver, and its rows as SQLAlchemy's.

    SQLAlchemy's own execution costs three times what the driver takes for a few rows.
    """

    def __init__(self, select: Select[Any], dialect: Dialect) -> None:
        compiled = select.compile(dialect=dialect)
        self.text = str(compiled)
        self._constants: dict[str, Any] = {}
        self._binds: dict[str, _Convert] = {}
        for bind, name in compiled.bind_names.items():
            if not bind.required:
                self._constants[name] = bind.effective_value
            convert = bind.type.dialect_impl(dialect).bind_processor(dialect)
            if convert is not None:
                self._binds[name] = convert
        columns = list(select.selected_columns)
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
        self._dialect = dialect
        self._compiled: dict[Select[Any], Statement] = {}

    def get(self, select: Select[Any]) -> Statement:
        """The compiled form of `select`."""
        statement = self._compiled.get(select)
        if statement is None:
            statement = self._compiled[select] = Statement(select, self._dialect)
        return statement
