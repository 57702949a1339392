"""Tests locked, slow, silent and unreachable databases, and clients that disconnect."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sqlite3
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest
from alembic.config import Config
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from sqlmodel import Session
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from service.db import postgresql
from service.db.cancel_statement import NoAnswerError
from service.db.database import Database
from service.db.schema import migrate
from service.db.storage_faults import classify_storage_fault
from service.web.layers import CancelOnDisconnect
from shared.record.codes import StorageFault
from tests.service.waiting import wait_until
from tests.service_process import create_first_admin, service_process
from tests.stalling_proxy import StallingProxy

PATIENCE = 60.0
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
_POSTGRESQL = pytest.param("postgresql", marks=pytest.mark.postgresql)
on_postgresql = pytest.mark.parametrize("database_kind", [_POSTGRESQL])


@pytest.fixture
def proxy(database_url: str) -> Iterator[StallingProxy]:
    proxy = StallingProxy(urlsplit(database_url).port or 0)
    yield proxy
    proxy.refuse()


def url_through_proxy(proxy: StallingProxy, url: str) -> str:
    return url.replace(f":{urlsplit(url).port}/", f":{proxy.port}/")


def run_endlessly(session: Session) -> None:
    session.execute(text(ENDLESS))


def count_queries(url: str, part: str) -> int:
    """The number of running statements with `part` in their text, on the PostgreSQL database at `url`."""
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()"
            " AND query LIKE %s",
            (f"%{part}%",),
        ).fetchone()
    return 0 if row is None else int(row[0])


# Locked, slow and unreachable databases


def test_locked_sqlite_file_is_a_503(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    monkeypatch.setattr("service.db.database.BUSY_MILLISECONDS", 50)
    client: TestClient = request.getfixturevalue("client")
    body = {"task_id": "t1"}
    with contextlib.closing(sqlite3.connect(tmp_path / "data" / "walkaround.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        answer = client.post("/api/inspection/create", json=body)
        assert answer.status_code == 503
        assert answer.json()["data"] == {"error": "unavailable"}
        assert "数据库繁忙" in answer.json()["msg"]
    assert client.post("/api/inspection/create", json=body).status_code == 200


@pytest.mark.parametrize(
    ("sqlstate", "storage_fault"),
    [
        ("57014", StorageFault.BUSY_DATABASE),
        ("40P01", StorageFault.BUSY_DATABASE),
        ("53300", StorageFault.BUSY_DATABASE),
        ("53100", StorageFault.DISK_FULL),
        ("57P01", StorageFault.NO_DATABASE),
        ("08006", StorageFault.NO_DATABASE),
        (None, StorageFault.NO_DATABASE),
        ("42601", None),
    ],
)
def test_errors_of_postgresql_are_recognized(
    sqlstate: str | None, storage_fault: StorageFault | None
) -> None:
    problem = psycopg.OperationalError("canary")
    problem.sqlstate = sqlstate
    assert classify_storage_fault(OperationalError("SELECT canary", {}, problem)) is storage_fault


@pytest.mark.both_databases
def test_request_does_not_wait_forever(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.db.database.GRACE_SECONDS", 1)
    database = Database(database_url, statement_seconds=1)
    try:
        with pytest.raises((NoAnswerError, OperationalError)) as caught:
            asyncio.run(database.read(run_endlessly))
        assert classify_storage_fault(caught.value) in (StorageFault.NO_DATABASE, StorageFault.BUSY_DATABASE)
        # All threads are free again.
        for _ in range(20):
            assert asyncio.run(database.read(lambda session: session.execute(text("SELECT 1")).scalar())) == 1
    finally:
        database.close()


@on_postgresql
def test_statement_limit_can_be_lifted(database_url: str) -> None:
    database = Database(database_url, statement_seconds=1)
    try:
        slow = text("SELECT pg_sleep(1.5)")
        with pytest.raises(OperationalError, match="statement timeout"):
            database.read_now(lambda session: session.execute(slow))

        def patiently(session: Session) -> None:
            database.lift_statement_limit(session)
            session.execute(slow)

        database.read_now(patiently)
        with pytest.raises(OperationalError, match="statement timeout"):
            database.read_now(lambda session: session.execute(slow))
    finally:
        database.close()


@on_postgresql
def test_every_connection_detects_a_lost_network(database: Database) -> None:
    def look(session: Session) -> None:
        connection = session.connection().connection.driver_connection
        assert isinstance(connection, psycopg.Connection)
        parameters = connection.info.get_parameters()
        assert parameters["tcp_user_timeout"] == "30000"
        assert (parameters["keepalives_idle"], parameters["keepalives_interval"]) == ("15", "5")
        assert parameters["connect_timeout"] == "10"
        if sys.platform == "linux":
            with socket.socket(fileno=connection.fileno()) as ours:
                assert ours.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
                assert ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 15
                assert ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 30_000
                ours.detach()
        for name, value in (("statement_timeout", "30s"), ("idle_in_transaction_session_timeout", "20s")):
            assert session.execute(text(f"SHOW {name}")).scalar() == value

    database.read_now(look)
    # The connections of the queue and of the relay.
    with psycopg.connect(postgresql.address(database.url)) as connection:
        assert connection.info.get_parameters()["tcp_user_timeout"] == "30000"
        assert connection.execute("SHOW statement_timeout").fetchone() == ("30s",)
        assert connection.execute("SHOW idle_in_transaction_session_timeout").fetchone() == ("20s",)


def test_timeouts_in_the_address_are_kept() -> None:
    url = "postgresql://user@host/name?keepalives_idle=60&options=-c%20statement_timeout%3D5s"
    database = Database(url)
    parameters = conninfo_to_dict(postgresql.address(database.url))
    database.close()
    assert parameters["keepalives_idle"] == "60"
    assert parameters["tcp_user_timeout"] == "30000"
    assert str(parameters["options"]).endswith(" -c statement_timeout=5s")


@on_postgresql
def test_silent_network_is_a_503_until_it_returns(
    database_url: str, proxy: StallingProxy, tmp_path: Path
) -> None:
    address = url_through_proxy(proxy, database_url)
    with service_process(tmp_path / "data", database_url=address, statement_seconds="1") as url:
        token = create_first_admin(url)
        with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=30) as client:
            body = {"task_id": "t1"}
            assert client.post("/api/inspection/create", json=body).status_code == 200
            proxy.stall()
            with httpx.Client(base_url=url, headers=client.headers, timeout=30) as other:
                for answer in (client.get("/api/auth/me"), other.post("/api/inspection/create", json=body)):
                    assert answer.status_code == 503
                    assert "数据库无响应" in answer.json()["msg"]
            proxy.resume()
            wait_until(lambda: client.get("/api/auth/me").status_code == 200)
            assert client.post("/api/inspection/create", json=body).status_code == 200


@on_postgresql
def test_silent_network_keeps_no_thread(database_url: str, proxy: StallingProxy) -> None:
    database = Database(url_through_proxy(proxy, database_url), statement_seconds=1)
    free = threading.Semaphore(0)

    def work(session: Session) -> None:
        try:
            session.execute(text("SELECT 1"))
        finally:
            free.release()

    try:
        database.read_now(lambda session: session.execute(text("SELECT 1")))
        proxy.stall()
        with pytest.raises(NoAnswerError):
            asyncio.run(database.read(work))
        # The connection was closed: the waiting statement fails.
        assert free.acquire(timeout=PATIENCE)
    finally:
        proxy.resume()
        database.close()


@on_postgresql
def test_unreachable_server_is_a_503(database_url: str, proxy: StallingProxy, tmp_path: Path) -> None:
    with service_process(tmp_path / "data", database_url=url_through_proxy(proxy, database_url)) as url:
        token = create_first_admin(url)
        proxy.refuse()
        answer = httpx.get(f"{url}/api/auth/me", headers={"Authorization": f"Bearer {token}"}, timeout=30)
        assert answer.status_code == 503
        assert answer.json()["data"] == {"error": "unavailable"}
        assert "数据库无响应" in answer.json()["msg"]
        assert httpx.get(f"{url}/readyz", timeout=30).status_code == 503
        assert httpx.get(f"{url}/healthz").status_code == 200


@pytest.mark.both_databases
def test_a_connection_in_use_at_the_close_is_closed_afterwards(database_url: str) -> None:
    database = Database(database_url)
    connections: list[Any] = []

    def work(session: Session) -> None:
        connections.append(session.connection().connection.driver_connection)
        database.close()
        assert session.execute(text("SELECT 1")).scalar() == 1

    database.read_now(work)
    (connection,) = connections
    with pytest.raises((psycopg.OperationalError, sqlite3.ProgrammingError)):
        connection.execute("SELECT 1")


# Clients that disconnect


@pytest.mark.both_databases
def test_cancelled_read_ends_its_query(database_url: str) -> None:
    database = Database(database_url)
    started, ended = threading.Event(), threading.Event()
    problems: list[Exception] = []

    def work(session: Session) -> None:
        session.connection()
        started.set()
        try:
            run_endlessly(session)
        except Exception as problem:
            problems.append(problem)
            raise
        finally:
            ended.set()

    async def leave() -> None:
        reading = asyncio.create_task(database.read(work))
        await asyncio.to_thread(started.wait, PATIENCE)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert await asyncio.to_thread(ended.wait, PATIENCE)

    try:
        asyncio.run(leave())
        assert isinstance(problems[0], OperationalError)
    finally:
        database.close()


@on_postgresql
def test_client_that_disconnects_ends_its_query(database_url: str, tmp_path: Path) -> None:
    with service_process(tmp_path / "data", database_url=database_url) as url:
        token = create_first_admin(url)
        headers = {"Authorization": f"Bearer {token}"}
        with psycopg.connect(database_url) as holding:
            holding.execute("LOCK TABLE record IN ACCESS EXCLUSIVE MODE")
            place = urlsplit(url)
            with socket.create_connection((place.hostname, place.port)) as leaving:
                leaving.sendall(
                    b"GET /api/inspection/getInspectionById/r1 HTTP/1.1\r\nHost: localhost\r\n"
                    + f"Authorization: Bearer {token}\r\n\r\n".encode()
                )
                wait_until(lambda: count_queries(database_url, "record.inspection_name") == 1)
            wait_until(lambda: count_queries(database_url, "record.inspection_name") == 0)
        assert httpx.get(f"{url}/api/inspection/getInspectionById/r1", headers=headers).status_code == 404
    log = (tmp_path / "data" / "service.log").read_text("utf-8")
    assert "the client has left" in log
    assert "Exception" not in log


@pytest.mark.parametrize(("method", "finished"), [("GET", False), ("HEAD", False), ("POST", True)])
async def test_change_is_finished_without_its_client(
    method: str, finished: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.web.layers.WATCH_AFTER_SECONDS", 0)
    finishes: list[bool] = []

    async def app(_scope: Scope, receive: Receive, _send: Send) -> None:
        if finished:
            assert (await receive())["type"] == "http.disconnect"
        else:
            await asyncio.sleep(PATIENCE)
        finishes.append(True)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(_message: Message) -> None: ...

    await asyncio.wait_for(CancelOnDisconnect(app)({"type": "http", "method": method}, receive, send), 5)
    assert finishes == [True] * finished


async def test_answered_request_is_not_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.web.layers.WATCH_AFTER_SECONDS", 0)
    steps: list[str] = []
    answered = asyncio.Event()

    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        await asyncio.sleep(0.01)
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        await asyncio.sleep(0.01)
        steps.append("what comes after the answer")

    async def receive() -> Message:
        # uvicorn reports the end of an answer this way.
        await answered.wait()
        return {"type": "http.disconnect"}

    async def send(_message: Message) -> None:
        answered.set()

    await CancelOnDisconnect(app)({"type": "http", "method": "GET"}, receive, send)
    assert steps == ["what comes after the answer"]


async def test_the_body_of_a_read_request_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.web.layers.WATCH_AFTER_SECONDS", 0)
    pieces = [b"x" * 1000] * 100
    all_sent = asyncio.Event()
    seen: list[Message] = []

    async def app(_scope: Scope, receive: Receive, _send: Send) -> None:
        await all_sent.wait()
        seen.append(await receive())

    async def receive() -> Message:
        if pieces:
            return {"type": "http.request", "body": pieces.pop(), "more_body": True}
        all_sent.set()
        await asyncio.Event().wait()
        raise AssertionError

    async def send(_message: Message) -> None: ...

    scope = {"type": "http", "method": "GET"}
    await asyncio.wait_for(CancelOnDisconnect(app)(scope, receive, send), 5)
    assert seen == [{"type": "http.request", "body": b"", "more_body": False}]


# One writer


@pytest.mark.both_databases
async def test_one_thread_writes_on_sqlite(database: Database) -> None:
    names: set[str] = set()

    def work(session: Session) -> None:
        session.connection()
        names.add(threading.current_thread().name)

    threads = [threading.Thread(target=database.write_now, args=(work,), name="elsewhere") for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    await database.write(work)
    if database.is_sqlite:
        assert names == {"db-write_0"}
        database.write_now(lambda session: database.read_now(lambda other: other.connection()))
    else:
        assert "elsewhere" in names


@on_postgresql
def test_migration_has_no_time_limit(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[object] = []

    def upgrade(config: Config, _revision: str) -> None:
        shown.append(config.attributes["connection"].execute(text("SHOW statement_timeout")).scalar())

    monkeypatch.setattr("service.db.schema.current_revision", lambda _database: None)
    monkeypatch.setattr("alembic.command.upgrade", upgrade)
    migrate(database)
    assert shown == ["0"]
