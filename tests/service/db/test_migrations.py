"""Tests that databases of all earlier versions, with rows in every table, are migrated without loss."""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import json
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlmodel.sql.sqltypes import AutoString, UTCDateTime
from starlette.testclient import TestClient

from service.app import create_app
from service.audit.service import AuditService
from service.db.database import Database
from service.db.postgresql import connection_problem
from service.db.schema import current_revision, metadata, migrate, newest_revision
from service.settings import Settings
from shared.record import results
from shared.record.entries import Entry
from shared.system.paths import program_folder
from tests.postgresql import Server
from tests.service_app import ADMIN, LOCAL_URL

pytestmark = pytest.mark.slow

_VERSIONS = program_folder() / "service" / "migrations" / "versions"
REVISIONS = sorted(path.stem[:4] for path in _VERSIONS.glob("[0-9]*.py"))[:-1]
_AT = dt.datetime(2026, 3, 1, 8, 30)
# Columns that were dropped on purpose: a challenge that waits for its answer lives for 30 s.
_DROPPED = {"face_challenge": ("doubt",)}
# Words of the built-in model that were replaced on purpose.
_REPLACED = {
    "参考差分": "参考图比对",
    "把照片与参考图上的标记区域对齐后比较，无需训练": "将照片与参考图上的区域对齐后比对，无需训练",
}
_numbers = itertools.count(1)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database without tables."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'walkaround.db'}"
        return
    server: Server = request.getfixturevalue("postgresql_server")
    name = f"upgrade_{next(_numbers)}"
    server.execute(f"CREATE DATABASE {name}")
    yield server.url(name)
    server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def migrate_to(
    database: Database, revision: str, by: Callable[[Config, str], None] = command.upgrade
) -> None:
    """Migrate the database to another revision."""
    config = Config()
    config.set_main_option(
        "script_location", str(program_folder() / "service" / "migrations").replace("%", "%%")
    )
    with database.writer.begin() as connection:
        config.attributes["connection"] = connection
        by(config, revision)


def list_tables(connection: sa.Connection) -> list[sa.Table]:
    """The tables of the database, referenced ones first, without those of alembic and the queue."""
    metadata = sa.MetaData()
    metadata.reflect(connection, only=lambda name, _: not name.startswith(("alembic", "procrastinate")))
    return metadata.sorted_tables


def make_value(column: sa.Column[Any]) -> Any:
    match column.type:
        case sa.Boolean():
            return True
        case sa.Integer():
            return 1
        case sa.Float() | sa.Numeric():
            return 0.5
        case sa.DateTime():
            return _AT
        case sa.LargeBinary():
            return b"bytes"
        case sa.JSON():
            return {"kept": "左翼"}
        case sa.String(length=length):
            return f"{column.name} 左翼"[:length]
    raise AssertionError(f"no value for {column} of the type {column.type!r}")


def fill_tables(database: Database) -> dict[str, list[dict[str, Any]]]:
    """Insert a row into each empty table. Returns all rows of all tables."""
    rows_by_table: dict[str, list[dict[str, Any]]] = {}
    with database.writer.begin() as connection:
        for table in list_tables(connection):
            if not connection.execute(sa.select(sa.func.count()).select_from(table)).scalar():
                row = {column.name: make_value(column) for column in table.columns}
                for key in table.foreign_keys:
                    # Each other table has one row now.
                    row[key.parent.name] = rows_by_table[key.column.table.name][0][key.column.name]
                connection.execute(table.insert(), row)
            rows_by_table[table.name] = [dict(each) for each in connection.execute(table.select()).mappings()]
    return rows_by_table


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_earlier_version_is_migrated_completely(empty_url: str, revision: str) -> None:
    database = Database(empty_url)
    try:
        migrate_to(database, revision)
        before = fill_tables(database)
        assert len(before) >= 5
        migrate(database)
        assert current_revision(database) == newest_revision()
        with database.reader.connect() as connection:
            for table in list_tables(connection):
                now = [dict(each) for each in connection.execute(table.select()).mappings()]
                for row in before.get(table.name, []):
                    for name in _DROPPED.get(table.name, ()):
                        row.pop(name, None)
                    if table.name == "detection_model":
                        row |= {
                            key: _REPLACED[row[key]]
                            for key in ("name", "description")
                            if row[key] in _REPLACED
                        }
                    assert any(row.items() <= each.items() for each in now), table.name
            options = {
                "compare_type": True,
                "include_name": lambda name, kind, _: kind != "table" or not name.startswith("procrastinate"),
            }
            context = MigrationContext.configure(connection, opts=options)
            assert compare_metadata(context, metadata()) == []
    finally:
        database.close()


@pytest.mark.parametrize(
    "empty_url", [pytest.param("postgresql", marks=pytest.mark.postgresql)], indirect=True
)
def test_counter_of_record_changes_is_dropped(empty_url: str) -> None:
    left = sa.text(
        "SELECT relname FROM pg_class WHERE relname = 'record_changes' "
        "UNION ALL SELECT tgname FROM pg_trigger WHERE tgname = 'record_changed' "
        "UNION ALL SELECT proname FROM pg_proc WHERE proname = 'record_changed'"
    )
    database = Database(empty_url)
    try:
        migrate_to(database, "0035")
        with database.reader.connect() as connection:
            assert len(connection.execute(left).all()) == 3
        migrate(database)
        with database.reader.connect() as connection:
            assert connection.execute(left).all() == []
    finally:
        database.close()


def describe_schema(connection: sa.Connection) -> dict[str, dict[str, Any]]:
    """The complete schema of the tables, as the database reports it."""
    inspector, describe_schema = sa.inspect(connection), {}
    for table in list_tables(connection):
        describe_schema[table.name] = {
            "columns": {
                each["name"]: (repr(each["type"]), each["nullable"])
                for each in inspector.get_columns(table.name)
            },
            "primary key": inspector.get_pk_constraint(table.name),
            **{
                kind: sorted(read(table.name), key=lambda each: str(each["name"]))
                for kind, read in (
                    ("foreign keys", inspector.get_foreign_keys),
                    ("unique", inspector.get_unique_constraints),
                    ("checks", inspector.get_check_constraints),
                    ("indexes", inspector.get_indexes),
                )
            },
        }
    return describe_schema


def test_migrations_create_the_tables_of_the_models(empty_url: str) -> None:
    """Compares lengths and names too. alembic compares no primary keys, checks and names."""
    database = Database(empty_url)
    try:
        migrate(database)
        with database.writer.begin() as connection:
            migrated = describe_schema(connection)
            reflected = sa.MetaData()
            reflected.reflect(connection, only=list(migrated))
            reflected.drop_all(connection)
            metadata().create_all(connection)
            assert describe_schema(connection) == migrated
        assert migrated.keys() == metadata().tables.keys()
    finally:
        database.close()


def test_no_column_has_a_time_with_zone_or_a_text_without_limit() -> None:
    """SQLModel creates them for a bare `datetime` or `str`: use `sa_type=UtcTime`, `max_length` or `Text`."""
    types = {str(column): column.type for table in metadata().sorted_tables for column in table.columns}
    assert [name for name, each in types.items() if isinstance(each, UTCDateTime)] == []
    assert [name for name, each in types.items() if isinstance(each, AutoString) and not each.length] == []


def test_service_works_with_the_data_of_an_earlier_version(empty_url: str, tmp_path: Path) -> None:
    """The data of version 4: accounts and inspections, without faces, jobs and audit log."""
    settings = Settings(data_dir=tmp_path / "data", database_url=empty_url, bcrypt_cost=4)
    login = {"username": ADMIN[0], "password": ADMIN[1]}
    with TestClient(create_app(settings), LOCAL_URL, client=("127.0.0.1", 50000)) as client:
        first = client.post("/api/auth/first-run", json={**login, "name": "主任"})
        assert first.status_code == 200, first.text
        token = first.json()["data"]["access_token"]
        client.headers["Authorization"] = f"Bearer {token}"
        body = {"task_id": "t1", "inspection_name": "左翼"}
        record = client.post("/api/inspection/create", json=body).json()["data"]["inspection_id"]
        body = {"inspection_id": record, "item_name": "前缘"}
        item = client.post("/api/inspection_item/create", json=body).json()
    database = Database(empty_url)
    migrate_to(database, "0004", command.downgrade)
    database.close()
    with TestClient(create_app(settings), LOCAL_URL, client=("127.0.0.1", 50000)) as client:
        token = client.post("/api/auth/login", json=login).json()["data"]["access_token"]
        client.headers["Authorization"] = f"Bearer {token}"
        assert client.get(f"/api/inspection_item/{item['item_id']}").json() == item
        done = client.put(f"/api/inspection_item/{item['item_id']}", json={"item_name": "后缘"})
        assert done.json()["item_name"] == "后缘"
        assert client.delete(f"/api/inspection_item/{item['item_id']}").status_code == 200
        assert client.post(f"/api/inspection_item/{item['item_id']}/restore").status_code == 200
        models = client.get("/api/detection/models").json()["data"]
        assert [model["model_id"] for model in models] == ["reference-difference"]
    database = Database(empty_url)
    try:
        assert AuditService(database, settings).verify().problems == []
    finally:
        database.close()


@pytest.mark.parametrize("is_taken", [False, True])
def test_built_in_model_gets_its_new_name_unless_another_model_has_it(empty_url: str, is_taken: bool) -> None:
    database = Database(empty_url)
    try:
        migrate_to(database, "0044")
        with database.writer.begin() as connection:
            models = {table.name: table for table in list_tables(connection)}["detection_model"]
            if is_taken:
                row = {column.name: make_value(column) for column in models.columns}
                connection.execute(models.insert(), {**row, "model_id": "m", "name": "参考图比对"})
        migrate(database)
        columns = sa.text("SELECT name, description FROM detection_model WHERE kind = 'reference_difference'")
        with database.reader.connect() as connection:
            name, description = connection.execute(columns).one()
        assert name == ("参考差分" if is_taken else "参考图比对")
        assert description == "将照片与参考图上的区域对齐后比对，无需训练"
    finally:
        database.close()


def test_earlier_verdicts_and_detections_are_counted(empty_url: str) -> None:
    done: Entry = {"isPassed": False, "progress": "done", "version": 1, "job_id": "j"}
    failed: Entry = {"isPassed": False, "progress": "error", "version": 2, "job_id": "k"}
    verdict: Entry = {"isPassed": True, "progress": "done", "version": 3, "verdict": {"value": "passed"}}
    undecided: Entry = {"isPassed": None, "version": 4, "verdict": {"value": "undecided"}}
    newer: Entry = {**done, "version": 5}
    entries_of: dict[str, list[Entry]] = {
        "nothing": [],
        "running": [{**done, "progress": "detecting"}],
        "failed": [failed],
        "detected": [done, failed],
        "judged": [verdict, done],
        "taken back": [undecided, verdict],
        "found since": [newer, verdict],
        "by a client": [{"isPassed": True}],
        "judged alone": [verdict],
    }
    database = Database(empty_url)
    try:
        migrate_to(database, "0014")
        with database.writer.begin() as connection:
            tables = {table.name: table for table in list_tables(connection)}
            row = {column.name: make_value(column) for column in tables["record"].columns}
            connection.execute(tables["record"].insert(), row)
            item = {column.name: make_value(column) for column in tables["item"].columns}
            item |= {"inspection_id": row["inspection_id"], "client_key": None}
            for name, entries in entries_of.items():
                outcome = "open" if entries else "empty"
                values = {"item_id": name, "result": json.dumps(entries), "outcome": outcome}
                connection.execute(tables["item"].insert(), {**item, **values})
        migrate(database)
        columns = sa.text("SELECT item_id, verdict, detected FROM item")
        with database.reader.connect() as connection:
            stored = {
                name: (stored_verdict, bool(detected))
                for name, stored_verdict, detected in connection.execute(columns)
            }
        assert stored == {
            name: (results.current_verdict(entries), results.finished_detection(entries) is not None)
            for name, entries in entries_of.items()
        }
        assert stored["judged"] == ("passed", True)
        assert stored["found since"] == ("undecided", True)
    finally:
        database.close()


def test_earlier_records_get_the_state_that_the_desktop_shows(empty_url: str) -> None:
    """Cases by name: status, outcome of the item, editions (outcome, reopened)."""
    expected: dict[str, tuple[str, str, list[tuple[str, bool]]]] = {
        "untouched": ("not_started", "empty", []),
        "set back by a client": ("not_started", "passed", []),
        "detected": ("failed", "failed", []),
        "set by a client": ("passed", "open", []),
        "begun": ("in_progress", "open", []),
        "cancelled": ("cancelled", "passed", []),
        "sealed": ("passed", "passed", [("passed", False)]),
        "reopened": ("in_progress", "failed", [("failed", True)]),
        "reopened and set back": ("not_started", "empty", [("failed", True)]),
        "finished again": ("passed", "passed", [("failed", True), ("passed", False)]),
    }
    database = Database(empty_url)
    try:
        migrate_to(database, "0018")
        with database.writer.begin() as connection:
            tables = {table.name: table for table in list_tables(connection)}
            rows = {
                name: {column.name: make_value(column) for column in tables[name].columns}
                for name in ("record", "item", "record_edition")
            }
            for name, (status, outcome, editions) in expected.items():
                its = {"inspection_id": name}
                status_of = {"inspection_status": status}
                connection.execute(tables["record"].insert(), rows["record"] | its | status_of)
                item_values = {"item_id": name, "outcome": outcome, "client_key": None}
                connection.execute(tables["item"].insert(), rows["item"] | its | item_values)
                for number, (edition_outcome, reopened) in enumerate(editions, 1):
                    edition = {
                        "edition": number,
                        "outcome": edition_outcome,
                        "reopened_at": _AT if reopened else None,
                    }
                    connection.execute(
                        tables["record_edition"].insert(), rows["record_edition"] | its | edition
                    )
        migrate(database)
        columns = sa.text("SELECT inspection_id, record_state FROM record")
        with database.reader.connect() as connection:
            states = {row.inspection_id: row.record_state for row in connection.execute(columns)}
        assert states == {
            "untouched": "not_started",
            "set back by a client": "in_progress",
            "detected": "in_progress",
            "set by a client": "in_progress",
            "begun": "in_progress",
            "cancelled": "cancelled",
            "sealed": "passed",
            "reopened": "in_progress",
            "reopened and set back": "in_progress",
            "finished again": "passed",
        }
    finally:
        database.close()


@pytest.mark.parametrize("enrolled", [True, False])
def test_face_login_stays_offered_where_people_had_enrolled(empty_url: str, enrolled: bool) -> None:
    database = Database(empty_url)
    try:
        migrate_to(database, "0037")
        if enrolled:
            fill_tables(database)
        migrate(database)
        with database.reader.connect() as connection:
            accepted = connection.execute(sa.text("SELECT photo_risk_accepted FROM face_policy")).scalar()
        assert bool(accepted) is enrolled
    finally:
        database.close()


def test_rows_store_the_decimals_of_columns_that_are_newer(tmp_path: Path) -> None:
    """SQLite 3.45.1 calls a database damaged whose rows lack such a value."""
    file = tmp_path / "walkaround.db"
    database = Database(f"sqlite:///{file}")
    migrate(database)
    database.close()
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, 'DEFAULT (0.95)', 'DEFAULT (0.25)')")
        connection.commit()
    with contextlib.closing(sqlite3.connect(file)) as connection:
        shares = connection.execute("SELECT required_coverage FROM inspection_policy").fetchall()
        assert shares == [(0.95,)]


@pytest.mark.postgresql
def test_two_services_that_start_together_migrate_once(postgresql_server: Server) -> None:
    postgresql_server.execute("CREATE DATABASE started_together")
    databases = [Database(postgresql_server.url("started_together")) for _ in range(2)]
    try:
        with ThreadPoolExecutor() as pool:
            list(pool.map(migrate, databases))
        assert {current_revision(database) for database in databases} == {newest_revision()}
    finally:
        for database in databases:
            database.close()
        postgresql_server.execute("DROP DATABASE started_together WITH (FORCE)")


@pytest.mark.postgresql
def test_missing_database_has_its_own_message(postgresql_server: Server) -> None:
    database = Database(postgresql_server.url("not_there"))
    try:
        with pytest.raises(sa.exc.DBAPIError) as refused:
            current_revision(database)
    finally:
        database.close()
    assert connection_problem(refused.value) == "the database does not exist"
