"""Tests that every search uses an index, on both databases, with the records of several years."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import psycopg
import pytest
from sqlalchemy import Connection, Select, text
from sqlalchemy.dialects import sqlite

from service.account.tables import User
from service.db.database import Database
from service.db.postgresql import SMALL_READS, address
from service.db.schema import migrate
from service.db.statements import Statements
from service.inspection.records.search import RecordQueries
from tests.narrowing import not_none

RECORDS = 40_000
START = dt.datetime(2025, 1, 1)
# Half of the records not started, 200 tasks, 20 people, one record each five minutes.
_FILL = """
WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < {records} - 1)
INSERT INTO record (inspection_id, inspection_name, task_id, executor_id, reference_image_id, progress,
    start_time, end_time, inspection_status, record_state, revision, created_at, updated_at)
SELECT 'id-' || n, 'Inspection ' || n, 'task-' || (n % 200), 'person-' || (n % 20), 'image-' || (n % 40), 0,
    {time}, CASE WHEN n % 2 = 0 THEN {time} END,
    CASE n % 10 WHEN 0 THEN 'passed' WHEN 1 THEN 'passed' WHEN 2 THEN 'failed' WHEN 3 THEN 'in_progress'
        WHEN 4 THEN 'cancelled' ELSE 'not_started' END,
    CASE n % 10 WHEN 0 THEN 'passed' WHEN 1 THEN 'passed' WHEN 2 THEN 'failed' WHEN 3 THEN 'in_progress'
        WHEN 4 THEN 'cancelled' ELSE 'not_started' END,
    1, {time}, {time}
FROM numbers
"""
_TIME = {
    "sqlite": "strftime('%Y-%m-%d %H:%M:%S.000000', 1735689600 + n * 300, 'unixepoch')",
    "postgresql": "TIMESTAMP '2025-01-01' + n * INTERVAL '300 seconds'",
}
VALUES: dict[str, Any] = {
    "task_id": "task-3",
    "executor_id": "person-3",
    "inspection_status": "failed",
    "record_state": "failed",
    "reference_image_id": "image-3",
    "flight_id": "flight",
    "aircraft_id": "aircraft",
    "executor_name": "%Wei%",
    "start_time_from": START + dt.timedelta(days=130),
    "start_time_to": START + dt.timedelta(days=5),
    "end_time_from": START + dt.timedelta(days=130),
    "end_time_to": START + dt.timedelta(days=5),
}
# Not `q`, which searches a text at any place in every name.
ORDERED = ("task_id", "executor_id", "inspection_status", "record_state", "reference_image_id")
ONE_FILTER = ((), *((name,) for name in ORDERED))
SEARCHES = [names for count in (0, 1, 2) for names in itertools.combinations(VALUES, count)]


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    new = Database(database_url)
    migrate(new)
    new.write_now(_fill)
    if not new.is_sqlite:
        with new.writer.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM ANALYZE record")
    yield new
    new.close()


def _fill(session: Any) -> None:
    dialect = session.get_bind().dialect.name
    session.execute(text(_FILL.format(records=RECORDS, time=_TIME[dialect])))
    now = dt.datetime.now(dt.UTC)
    session.add_all(
        User(
            id=f"person-{number}",
            username=f"person-{number}",
            username_key=f"person-{number}",
            name="Li Wei" if number == 3 else f"Person {number}",
            password_hash="none",
            created_at=now,
            updated_at=now,
        )
        for number in range(20)
    )


def compile_statement(connection: Connection) -> Statements:
    is_sqlite = connection.dialect.name == "sqlite"
    return Statements(sqlite.dialect(paramstyle="named") if is_sqlite else connection.dialect)


def find_scans(
    connection: Connection, statements: Statements, select: Select[Any], filters: Mapping[str, Any]
) -> list[str]:
    """The steps of a statement's plan that read the records without an index."""
    statement = statements.get(select)
    values = statement.parameters(filters)
    if connection.dialect.name == "sqlite":
        rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement.text}", values)
        return [row[3] for row in rows if re.fullmatch(r"SCAN record", row[3])]
    (plan,) = connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement.text}", values).scalars()
    return list(_sequential((plan if isinstance(plan, list) else json.loads(plan))[0]["Plan"]))


def _sequential(plan: Mapping[str, Any]) -> Iterator[str]:
    if plan["Node Type"] == "Seq Scan" and plan["Relation Name"] == "record":
        yield f"Seq Scan on record: {plan.get('Filter')}"
    for inner in plan.get("Plans", ()):
        yield from _sequential(inner)


def test_every_filter_and_order_uses_an_index(database: Database) -> None:
    queries = RecordQueries()
    # Without a transaction: PostgreSQL would end it if the test had to wait for the processor.
    with database.reader.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        statements = compile_statement(connection)
        plans = {}
        for names in SEARCHES:
            filters = {name: VALUES[name] for name in names}
            page = {**filters, "size": 20, "skip": 40}
            selects = {
                # A count of all records reads all of them.
                **({"count": (queries.count(names), filters)} if names else {}),
                **{
                    f"page {few}": (queries.page(names, few=few), page)
                    for few in ((True, False) if names else (False,))
                },
            }
            for what, (select, values) in selects.items():
                plans[(*names, what)] = find_scans(connection, statements, select, values)
    assert {search: steps for search, steps in plans.items() if steps} == {}


def test_scan_would_be_found(database: Database) -> None:
    with database.reader.connect() as connection:
        queries = RecordQueries()
        assert find_scans(connection, compile_statement(connection), queries.count(["q"]), {"q": "%x%"})


def explain_prepared(
    connection: psycopg.Connection[Any], text: str, values: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The plan of a prepared statement, with the rows that it read."""
    names = list(dict.fromkeys(re.findall(r"%\((\w+)\)s", text)))
    numbered = re.sub(r"%\((\w+)\)s", lambda match: f"${names.index(match[1]) + 1}", text)
    connection.execute(f"PREPARE small AS {numbered}".encode())
    literals = ", ".join(f"'{values[name]}'" for name in names)
    row = connection.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE small({literals})".encode()).fetchone()
    connection.execute("DEALLOCATE small")
    plan: Mapping[str, Any] = not_none(row)[0][0]["Plan"]
    return plan


def read_rows(plan: Mapping[str, Any]) -> int:
    """The number of rows of the records that the plan read."""
    of_records = plan.get("Relation Name") == "record"
    rows = plan["Actual Rows"] * plan["Actual Loops"] if of_records else 0
    return int(rows + sum(read_rows(inner) for inner in plan.get("Plans", ())))


@pytest.mark.parametrize("database_kind", [pytest.param("postgresql", marks=pytest.mark.postgresql)])
def test_page_of_a_prepared_statement_is_read_in_index_order(database: Database) -> None:
    queries = RecordQueries()
    statements = Statements(database.reader.dialect)
    read = {}
    with psycopg.connect(address(database.reader.url, further=SMALL_READS)) as connection:
        for names in ONE_FILTER:
            values = {**{name: VALUES[name] for name in names}, "size": 20, "skip": 40}
            plan = explain_prepared(connection, statements.get(queries.page(names)).text, values)
            assert plan["Actual Rows"] == 20
            read[names] = read_rows(plan)
    # 40 skipped rows and 20 shown ones, the latter also by their IDs.
    assert {names: rows for names, rows in read.items() if rows > 80} == {}
