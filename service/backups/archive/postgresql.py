"""Copies the rows of a PostgreSQL database at one moment, and restores them.

The rows have the text format of COPY, which every version of PostgreSQL reads. Both directions need only the
service's own driver.
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
# The escapes that COPY writes for characters that would end a field or a line
# (postgresql.org/docs/current/sql-copy.html, "Text Format").
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ESCAPE_PATTERN = re.compile(r"\\(.)")


class DatabaseCopy(NamedTuple):
    """The copied content of a database. `audit_end` is None if the audit log is not intact."""

    revision: str | None
    tables: list[CopiedTable]
    sequences: dict[str, int]
    entries: list[Entry]
    audit_end: tuple[int, str] | None
    problems: list[str]
    file_hashes: set[str]
    """The SHA-256 of every stored file that it names."""


def dump(url: URL, new: NewBackup, folder: Path, check_end: CheckEnd) -> DatabaseCopy:
    """Add all rows of the database at `url`, at one moment, to `new`, with temporary files in `folder`.

    This function verifies the rows of the audit log; `check_end` returns the faults of its signed end.
    Requests continue during the copy, which locks nothing that they need. Raises psycopg.Error.
    """
    with _connect_without_timeouts(url) as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        columns_by_table = dict(_fetch_rows(connection, _COLUMNS))
        revision = None
        if columns_by_table.pop(_REVISION_TABLE, None) is not None:
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            revision = None if row is None else str(row[0])
        tables, entries, log = [], [], None
        for name, columns in columns_by_table.items():
            path = folder / "rows"
            _export_table(connection, name, columns, path)
            with path.open("rb") as source:
                entries.append(entry := new.add(f"{TABLES}{name}", source))
            tables.append(CopiedTable(name=name, columns=columns, entry=entry.name))
            if name == AUDIT_TABLE:
                with path.open("rb") as source:
                    log = _verify_table(source, columns)
            path.unlink()
        sequences = {str(name): int(last) for name, last in _fetch_rows(connection, _SEQUENCES)}
        query = SQL("SELECT DISTINCT sha256 FROM {}").format(Identifier(FILE_TABLE))
        file_hashes = (
            {str(row[0]) for row in connection.execute(query)} if FILE_TABLE in columns_by_table else set()
        )
        if log is not None and log.complete:
            log.problems.extend(check_end(_log_head(connection), log))
        problems = [f"audit log: {problem}" for problem in log.problems] if log else []
        end = (log.seq, log.hash) if log and not log.problems else None
        return DatabaseCopy(revision, tables, sequences, entries, end, problems, file_hashes)


def _log_head(connection: Connection[Any]) -> HeadRow | None:
    row = connection.execute("SELECT head_id, seq, hash, mac FROM audit_head").fetchone()
    return None if row is None else HeadRow(head_id=row[0], seq=row[1], hash=row[2], mac=row[3])


def _export_table(connection: Connection[Any], name: str, columns: Sequence[str], path: Path) -> None:
    # The audit log is exported in order, so that it can be verified while it is read.
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
    """Load the rows of `backup` into the empty database at `url` in one transaction, then migrate it.

    Raises BackupRefusedError, changing nothing, if the database is not empty or the backup does not fit.
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
        for name in _sort_by_references(columns, _fetch_rows(connection, _REFERENCES))
        if name != _REVISION_TABLE
    ]
    # The triggers announce jobs and make the audit log append-only; both would disturb restored rows.
    for name in order:
        _execute_on_table(connection, "ALTER TABLE {} DISABLE TRIGGER USER", name)
    for name in reversed(order):
        # The backup contains the latest state of the rows that migrations insert.
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


def _sort_by_references(tables: Mapping[str, object], references: Sequence[tuple[Any, ...]]) -> list[str]:
    """Sort the tables, each after those that it refers to."""
    remaining, order = sorted(tables), list[str]()
    while remaining:
        next_names = [
            name
            for name in remaining
            if all(target in order for source, target in references if source == name and target in tables)
        ]
        if not next_names:
            raise BackupRefusedError(f"the tables {', '.join(remaining)} refer to each other in a circle")
        order += next_names
        remaining = [name for name in remaining if name not in next_names]
    return order


def verify_log(backup: Backup) -> Verification | None:
    """Verify the copied audit log without a server; return None if the backup has no audit log."""
    table = next((table for table in backup.manifest.tables if table.name == AUDIT_TABLE), None)
    entry = next((entry for entry in backup.manifest.entries if table and entry.name == table.entry), None)
    if table is None or entry is None:
        return None
    with backup.open(entry) as source:
        return _verify_table(source, table.columns)


def _verify_table(source: IO[bytes], columns: Sequence[str]) -> Verification:
    return verify_rows(AuditRow(**_audit_values(row)) for row in _parse_rows(source, columns))


def _parse_rows(source: IO[bytes], columns: Sequence[str]) -> Iterator[dict[str, str | None]]:
    for line in _split_lines(source):
        fields = line.decode("utf-8").split("\t")
        yield dict(zip(columns, map(_parse_field, fields), strict=True))


def _split_lines(source: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in itertools.chain(pieces(source), (b"",)):
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
    if rest:
        yield rest


def _parse_field(text: str) -> str | None:
    if text == "\\N":
        return None
    return _ESCAPE_PATTERN.sub(lambda match: _ESCAPES.get(match[1], match[1]), text) if "\\" in text else text


def _audit_values(row: Mapping[str, str | None]) -> dict[str, Any]:
    time = dt.datetime.fromisoformat(row["at"] or "").replace(tzinfo=dt.UTC)
    return {**row, "seq": int(row["seq"] or 0), "at": time}


def _identifiers(columns: Sequence[str]) -> Composed:
    return SQL(", ").join(map(Identifier, columns))


def _execute_on_table(connection: Connection[Any], statement: Any, table: str) -> Cursor[Any]:
    return connection.execute(SQL(statement).format(Identifier(table)))


def _fetch_rows(connection: Connection[Any], query: Any) -> list[tuple[Any, ...]]:
    return connection.execute(query).fetchall()


@contextmanager
def _connect_without_timeouts(url: URL) -> Iterator[Connection[Any]]:
    """Open a connection without time-outs, as copying a large table takes long."""
    with connect(address(url)) as connection:
        connection.execute("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0")
        connection.commit()
        yield connection
