"""Tests what every request passes, and the database layer."""

from __future__ import annotations

import errno
import gc
import re
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fastapi import FastAPI
from sqlalchemy import text
from sqlalchemy.exc import DataError, OperationalError
from sqlmodel import Session
from starlette.testclient import TestClient

from service.app import create_app
from service.changes import ObjectChange, announce
from service.db.database import Database
from service.db.schema import current_revision, metadata, migrate, newest_revision
from service.exception_trace import trace_of
from service.running import configure_logging
from service.settings import Settings
from service.web.envelope import Problem
from shared.record.codes import ErrorCode
from tests.service_app import forget_applications

pytestmark = pytest.mark.both_databases


def test_ended_application_leaves_nothing(settings: Settings) -> None:
    """Otherwise the tests search more objects for garbage with each application that they create."""
    app = create_app(settings)
    ended = weakref.ref(app)
    with TestClient(app):
        pass
    del app
    forget_applications()
    gc.collect()
    assert ended() is None


def test_health_answers_without_a_login(anonymous: TestClient) -> None:
    assert anonymous.get("/healthz").json() == {"status": "ok"}
    assert anonymous.get("/readyz").json() == {"status": "ok"}


def test_every_answer_has_a_request_id_and_the_security_headers(anonymous: TestClient) -> None:
    for path in ("/healthz", "/api/nothing-here", "/"):
        headers = anonymous.get(path).headers
        assert headers["x-request-id"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
    assert anonymous.get("/healthz", headers={"x-request-id": "abc-1"}).headers["x-request-id"] == "abc-1"
    forged = anonymous.get("/healthz", headers={"x-request-id": "a b\tc"}).headers["x-request-id"]
    assert forged != "a b\tc"


def test_the_documentation_page_needs_no_network(anonymous: TestClient) -> None:
    page = anonymous.get("/api/docs")
    assert page.status_code == 200
    addresses = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert len(addresses) >= 3
    for address in addresses:
        assert address.startswith("/api/docs/assets/")
        assert anonymous.get(address).status_code == 200
    assert anonymous.get("/api/docs/assets/../../../etc/passwd").status_code == 404


@pytest.mark.parametrize("path", ["/healthz", "/api/docs", "/api/openapi.json"])
def test_pages_outside_the_api_also_list_their_methods(anonymous: TestClient, path: str) -> None:
    for answer, status in ((anonymous.options(path), 204), (anonymous.delete(path), 405)):
        assert (answer.status_code, answer.headers["allow"]) == (status, "GET, HEAD, OPTIONS")
    whole = {"Accept-Encoding": "identity"}
    length = anonymous.head(path, headers=whole).headers["content-length"]
    assert length == str(len(anonymous.get(path, headers=whole).content))


def test_crash_is_answered_with_an_envelope_without_the_text_of_the_exception(
    app: FastAPI, anonymous: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    @app.get("/api/crash")
    async def crash() -> None:
        raise RuntimeError("SELECT canary-secret")

    answer = anonymous.get("/api/crash")
    assert answer.status_code == 500
    body = answer.json()
    assert body["code"] == 1
    assert body["data"]["error"] == "internal"
    assert body["data"]["request_id"] == answer.headers["x-request-id"]
    assert "canary" not in answer.text
    assert "canary" not in caplog.text
    assert "RuntimeError" in caplog.text


def _fail_with_secret(secret: str, depth: int) -> None:
    secrets = [secret] * depth
    if depth:
        _fail_with_secret(secret, depth - 1)
    else:
        raise KeyError(f"canary-text {secrets}")


def test_crash_is_logged_with_all_frames_and_without_values(
    app: FastAPI, anonymous: TestClient, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logging("DEBUG")

    @app.post("/api/crash")
    async def crash(body: dict[str, str]) -> None:
        password = body["password"]
        try:
            _fail_with_secret(password, 2)
        except KeyError as problem:
            problem.add_note("canary-note")
            members = [ValueError("canary-member"), OSError(errno.EIO, password, "canary-path")]
            try:
                raise ExceptionGroup("canary-group", members)
            except ExceptionGroup as group:
                raise DataError(f"INSERT {password}", {"canary-key": password}, group) from None

    answer = anonymous.post(
        "/api/crash?canary-query=1", json={"password": "canary-body"}, headers={"X-Request-ID": "n-1"}
    )
    assert answer.status_code == 500
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "unexpected" in line]
    assert "n-1: unexpected DataError [" in line
    assert line.count(" <- ") == 4
    name = f"{Path('tests/service/test_core.py')}:"
    for place in (
        r"service/web/middleware\.py:\d+ RequestMiddleware\.__call__, ",
        r"starlette/routing\.py:\d+ ",
        rf"{name}\d+ [\w.<>]+crash\] <- ExceptionGroup \[{name}\d+ ",
        rf" <- ValueError \[\] <- OSError \[\] <- KeyError \[{name}\d+ ",
        rf"{name}\d+ _fail_with_secret x2, {name}\d+ _fail_with_secret\]$",
    ):
        assert re.search(place, line), (place, line)
    assert "canary" not in line


def test_self_referencing_exception_is_logged_once() -> None:
    problem, other = KeyError("canary"), ValueError("canary")
    problem.__context__, other.__context__ = other, problem
    assert trace_of(problem) == "KeyError [] <- ValueError []"


def _sqlite_error(code: int) -> OperationalError:
    problem = sqlite3.OperationalError("canary")
    problem.sqlite_errorcode = code
    return OperationalError("INSERT canary", {}, problem)


@pytest.mark.parametrize(
    ("problem", "word"),
    [
        (OSError(errno.ENOSPC, "canary"), "磁盘空间不足"),
        (OSError(errno.EFBIG, "canary"), "磁盘空间不足"),
        (OSError(errno.EROFS, "canary"), "写入权限"),
        (PermissionError(errno.EACCES, "canary"), "写入权限"),
        (_sqlite_error(sqlite3.SQLITE_FULL), "磁盘空间不足"),
        (_sqlite_error(sqlite3.SQLITE_IOERR_WRITE), "磁盘空间不足"),
        (_sqlite_error(sqlite3.SQLITE_READONLY), "写入权限"),
        (_sqlite_error(sqlite3.SQLITE_CORRUPT), "已损坏"),
    ],
)
def test_full_disk_is_reported(app: FastAPI, anonymous: TestClient, problem: Exception, word: str) -> None:
    @app.get("/api/crash")
    async def crash() -> None:
        raise problem

    answer = anonymous.get("/api/crash")
    is_full = word == "磁盘空间不足"
    assert answer.status_code == (507 if is_full else 503)
    assert answer.json()["data"] == {"error": "storage_full" if is_full else "unavailable"}
    assert word in answer.json()["msg"]
    assert answer.headers.get_list("retry-after") == ([] if is_full else ["5"])
    assert "canary" not in answer.text


def test_every_503_says_when_to_repeat_the_request(app: FastAPI, anonymous: TestClient) -> None:
    @app.get("/api/busy")
    async def busy(headers: int) -> None:
        given = {"Retry-After": "7"} if headers else {}
        raise Problem(503, ErrorCode.UNAVAILABLE, "服务繁忙，请稍后重试", headers=given)

    for headers, seconds in ((0, "5"), (1, "7")):
        answer = anonymous.get("/api/busy", params={"headers": headers})
        assert answer.headers.get_list("retry-after") == [seconds]
    assert "retry-after" not in anonymous.get("/api/auth/me").headers


def test_body_over_the_limit_is_refused(anonymous: TestClient) -> None:
    large_body = b"x" * (17 * 2**20)
    answer = anonymous.post("/api/auth/login", content=large_body)
    assert answer.status_code == 413
    assert answer.json()["data"]["error"] == "too_large"

    def pieces() -> Iterator[bytes]:
        for _ in range(17):
            yield b"x" * 2**20

    streamed_answer = anonymous.post(
        "/api/auth/login",
        content=pieces(),
        headers={"content-type": "application/json"},
    )
    assert streamed_answer.status_code == 413


def test_migrations_create_exactly_the_tables_of_the_program(database: Database) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    assert current_revision(database) == newest_revision()
    with database.reader.connect() as connection:
        # procrastinate creates the tables of the queue on PostgreSQL.
        options = {
            "compare_type": True,
            "include_name": lambda name, kind, _: kind != "table" or not name.startswith("procrastinate_"),
        }
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata()) == []


def test_migrating_twice_changes_nothing(database: Database) -> None:
    migrate(database)
    assert current_revision(database) == newest_revision()


def test_parallel_writers_all_succeed(database: Database) -> None:
    database.write_now(lambda s: s.execute(text("CREATE TABLE counter (n integer)")))
    database.write_now(lambda s: s.execute(text("INSERT INTO counter VALUES (0)")))

    def add(session: Session) -> None:
        number = session.execute(text("SELECT n FROM counter" + _lock_clause(database))).scalar_one()
        session.execute(text("UPDATE counter SET n = :n"), {"n": number + 1})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: database.write_now(add), range(80)))
    assert database.read_now(lambda s: s.execute(text("SELECT n FROM counter")).scalar_one()) == 80


def _lock_clause(database: Database) -> str:
    return "" if database.is_sqlite else " FOR UPDATE"


def test_readers_cannot_write_on_sqlite(database: Database) -> None:
    if not database.is_sqlite:
        pytest.skip("PostgreSQL's readers and writers share their connections")
    with pytest.raises(Exception, match="readonly"):
        database.read_now(lambda s: s.execute(text("CREATE TABLE t (n integer)")))


def test_listeners_receive_only_committed_changes(database: Database) -> None:
    before: list[str] = []
    after: list[str] = []
    lock = threading.Lock()
    database.before_commit.append(lambda _s, changes: before.extend(c.action for c in changes))

    def collect(changes: list[ObjectChange]) -> None:
        with lock:
            after.extend(c.action for c in changes)

    database.after_commit.append(collect)
    database.write_now(lambda s: announce(s, ObjectChange("create", "record")))

    def failing(session: Session) -> None:
        announce(session, ObjectChange("delete", "record"))
        raise KeyError("no")

    with pytest.raises(KeyError):
        database.write_now(failing)
    assert before == ["create"]
    assert after == ["create"]
