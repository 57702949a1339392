"""Puts a subquery into the RETURNING of a change.

In a RETURNING for SQLite, SQLAlchemy leaves the names of tables out, also in a subquery, where the name of a
column is ambiguous then. So the subquery is compiled as a statement of its own.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, ColumnElement, Select, literal_column
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler


class ReturnedSubquery(ColumnElement[Any]):
    """The value that a statement without parameters selects; see `changed_column` for the changed row."""

    inherit_cache = False

    def __init__(self, statement: Select[Any]) -> None:
        (column,) = statement.selected_columns
        self.statement = statement
        self.type = column.type


def changed_column(column: Column[Any]) -> ColumnElement[Any]:
    """The value of a column in the changed row."""
    return literal_column(f"{column.table.name}.{column.name}", column.type)


@compiles(ReturnedSubquery)
def _compile(element: ReturnedSubquery, compiler: SQLCompiler, **_: object) -> str:
    return f"({element.statement.compile(dialect=compiler.dialect)})"
