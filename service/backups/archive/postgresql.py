"""Copies a PostgreSQL database as its rows, as of one moment, and brings them back.

The rows travel as the text of COPY, which every version of PostgreSQL reads; nothing but the service's own
driver is needed on either side.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

from psycopg import Connection, Cursor, connect
from psycopg.sql import SQL, Composed, Identifier
from sqlalchemy import URL, create_engine

from service.audit.service import CheckEnd, Verification, verify_rows
from service.audit.tables import AuditRow, HeadRow
from service.backups.archive.manifest import (
    TABLES,
    Backup,
    BackupRefusedError,
    CopiedTable,
    Entry,
    NewBackup,
    pieces,
)
from service.db.postgresql import address, arguments
from service.db.schema import upgrade

AUDIT_TABLE = "audit_event"
FILE_TABLE = "file"
_REVISION_TABLE = "alembic_version"

_COLUMNS = """
SELECT c.relname::text, array_agg(a.attname::text ORDER BY a.attnum)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
    AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
GROUP BY c.relname ORDER BY c.relname
"""
_REFERENCES = """
SELECT referring.relname::text, referred.relname::text
FROM pg_constraint f JOIN pg_class referring ON referring.oid = f.conrelid
    JOIN pg_class referred ON referred.oid = f.confrelid
WHERE f.contype = 'f' AND f.connamespace = current_schema()::regnamespace AND f.conrelid <> f.confrelid
"""
_SEQUENCES = """
SELECT sequencename::text, last_value FROM pg_sequences
WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY sequencename
"""
# What COPY writes for a character that would end a field or a line
# (postgresql.org/docs/current/sql-copy.html, "Text Format").
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ESCAPED = re.compile(r"\\(.)")


class DatabaseCopy(NamedTuple):
    """What was copied of a database. `audit_end` is None for a log that is not whole."""

    revision: str | None
    tables: list[CopiedTable]
    sequences: dict[str, int]
    entries: list[Entry]
    audit_end: tuple[int, str] | None
    problems: list[str]
    stored: set[str]
    """The SHA-256 of every stored file that it names."""


def dump(url: URL, new: NewBackup, folder: Path, check_end: CheckEnd) -> DatabaseCopy:
    """Put all rows of the database at `url`, as of one moment, into `new`, by way of files in `folder`.

    `check_end` says what is wrong with the signed end of the audit log, whose rows are verified here.
    Requests go on meanwhile: the copy reads, and locks nothing that they need. Raises psycopg.Error.
    """
    with _connect_without_timeouts(url) as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        columns_of = dict(_fetch_rows(connection, _COLUMNS))
        revision = None
        if columns_of.pop(_REVISION_TABLE, None) is not None:
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            revision = None if row is None else str(row[0])
        tables, entries, log = [], [], None
        for name, columns in columns_of.items():
            path = folder / "rows"
            _copy_out(connection, name, columns, path)
            with path.open("rb") as source:
                entries.append(entry := new.add(f"{TABLES}{name}", source))
            tables.append(CopiedTable(name=name, columns=columns, entry=entry.name))
            if name == AUDIT_TABLE:
                with path.open("rb") as source:
                    log = _verify_table(source, columns)
            path.unlink()
        sequences = {str(name): int(last) for name, last in _fetch_rows(connection, _SEQUENCES)}
        query = SQL("SELECT DISTINCT sha256 FROM {}").format(Identifier(FILE_TABLE))
        stored = {str(row[0]) for row in connection.execute(query)} if FILE_TABLE in columns_of else set()
        if log is not None and log.complete:
            log.problems.extend(check_end(_log_head(connection), log))
        problems = [f"audit log: {problem}" for problem in log.problems] if log else []
        end = (log.seq, log.hash) if log and not log.problems else None
        return DatabaseCopy(revision, tables, sequences, entries, end, problems, stored)


def _log_head(connection: Connection[Any]) -> HeadRow | None:
    row = connection.execute("SELECT head_id, seq, hash, mac FROM audit_head").fetchone()
    return None if row is None else HeadRow(head_id=row[0], seq=row[1], hash=row[2], mac=row[3])


def _copy_out(connection: Connection[Any], name: str, columns: Sequence[str], path: Path) -> None:
    # The log in order, so that it can be verified as it is read.
    source = SQL("(SELECT {} FROM {} ORDER BY seq)").format(_identifiers(columns), Identifier(name))
    statement = (
        SQL("COPY {} TO STDOUT").format(source)
        if name == AUDIT_TABLE
        else SQL("COPY {} ({}) TO STDOUT").format(Identifier(name), _identifiers(columns))
    )
    with path.open("wb") as file, connection.cursor().copy(statement) as rows:
        for piece in rows:
            file.write(piece)


def load(url: URL, backup: Backup) -> None:
    """Bring the rows of `backup` into the empty database at `url`, in one transaction; then migrate it.

    Raises BackupRefusedError, changing nothing, when the database is not empty or the backup does not fit.
    """
    manifest = backup.manifest
    if manifest.revision is None:
        raise BackupRefusedError(
            "the backup does not say which version of the database it holds; use another backup"
        )
    entries = {entry.name: entry for entry in manifest.entries}
    engine = create_engine(url.set(drivername="postgresql+psycopg"), connect_args=arguments(url, 0))
    try:
        with engine.begin() as transaction:
            transaction.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
            connection = transaction.connection.driver_connection
            assert isinstance(connection, Connection)
            if _fetch_rows(connection, _COLUMNS):
                raise BackupRefusedError(
                    "the database is not empty: create an empty one and name it with --database-url"
                )
            upgrade(transaction, manifest.revision)
            columns = dict(_fetch_rows(connection, _COLUMNS))
            for table in manifest.tables:
                if not set(table.columns) <= set(columns.get(table.name, ())):
                    raise BackupRefusedError(
                        f"the backup holds a table {table.name} that its version does not have"
                    )
            _fill_tables(connection, backup, entries, columns)
            upgrade(transaction)
    finally:
        engine.dispose()


def _fill_tables(
    connection: Connection[Any], backup: Backup, entries: Mapping[str, Entry], columns: Mapping[str, object]
) -> None:
    tables = {table.name: table for table in backup.manifest.tables}
    order = [
        name
        for name in _sorted_by_references(columns, _fetch_rows(connection, _REFERENCES))
        if name != _REVISION_TABLE
    ]
    # The triggers announce jobs and keep the log append-only: neither is for rows that come back.
    for name in order:
        _execute_on_table(connection, "ALTER TABLE {} DISABLE TRIGGER USER", name)
    for name in reversed(order):
        # What a migration inserts is among the rows, as it was last.
        _execute_on_table(connection, "DELETE FROM {}", name)
    for name in order:
        if (table := tables.get(name)) is not None:
            copy = SQL("COPY {} ({}) FROM STDIN").format(Identifier(name), _identifiers(table.columns))
            with backup.open(entries[table.entry]) as source, connection.cursor().copy(copy) as rows:
                for piece in pieces(source):
                    rows.write(piece)
    for name in order:
        _execute_on_table(connection, "ALTER TABLE {} ENABLE TRIGGER USER", name)
    for sequence, last in backup.manifest.sequences.items():
        connection.execute("SELECT setval(quote_ident(%s)::regclass, %s, true)", (sequence, last))


def _sorted_by_references(tables: Mapping[str, object], references: Sequence[tuple[Any, ...]]) -> list[str]:
    """The tables, each after those that it refers to."""
    waiting, order = sorted(tables), list[str]()
    while waiting:
        ready = [
            name
            for name in waiting
            if all(to in order for of, to in references if of == name and to in tables)
        ]
        if not ready:
            raise BackupRefusedError(f"the tables {', '.join(waiting)} refer to each other in a circle")
        order += ready
        waiting = [name for name in waiting if name not in ready]
    return order


def verify_log(backup: Backup) -> Verification | None:
    """End and faults of the copied audit log, found without a server; None if the backup has no log."""
    table = next((table for table in backup.manifest.tables if table.name == AUDIT_TABLE), None)
    entry = next((entry for entry in backup.manifest.entries if table and entry.name == table.entry), None)
    if table is None or entry is None:
        return None
    with backup.open(entry) as source:
        return _verify_table(source, table.columns)


def _verify_table(source: IO[bytes], columns: Sequence[str]) -> Verification:
    return verify_rows(AuditRow(**_values(row)) for row in _parse_rows(source, columns))


def _parse_rows(source: IO[bytes], columns: Sequence[str]) -> Iterator[dict[str, str | None]]:
    for line in _lines(source):
        fields = line.decode("utf-8").split("\t")
        yield dict(zip(columns, map(_field, fields), strict=True))


def _lines(source: IO[bytes]) -> Iterator[bytes]:
    left = b""
    for piece in itertools.chain(pieces(source), (b"",)):
        *whole, left = (left + piece).split(b"\n")
        yield from whole
    if left:
        yield left


def _field(text: str) -> str | None:
    if text == "\\N":
        return None
    return _ESCAPED.sub(lambda match: _ESCAPES.get(match[1], match[1]), text) if "\\" in text else text


def _values(row: Mapping[str, str | None]) -> dict[str, Any]:
    at = dt.datetime.fromisoformat(row["at"] or "").replace(tzinfo=dt.UTC)
    return {**row, "seq": int(row["seq"] or 0), "at": at}


def _identifiers(columns: Sequence[str]) -> Composed:
    return SQL(", ").join(map(Identifier, columns))


def _execute_on_table(connection: Connection[Any], statement: Any, table: str) -> Cursor[Any]:
    return connection.execute(SQL(statement).format(Identifier(table)))


def _fetch_rows(connection: Connection[Any], query: Any) -> list[tuple[Any, ...]]:
    return connection.execute(query).fetchall()


@contextmanager
def _connect_without_timeouts(url: URL) -> Iterator[Connection[Any]]:
    """A connection in a transaction without time-outs: a large table takes its time."""
    with connect(address(url)) as connection:
        connection.execute("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0")
        connection.commit()
        yield connection
