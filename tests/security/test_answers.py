"""Tests the form of every response: headers, origins, no error text."""

from __future__ import annotations

import itertools
import json
import logging
import sqlite3

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from service.settings import Settings
from tests.security.application import PopulatedApp, check_frame
from tests.security.operations import RULES, empty_body, fill_path, parts

pytestmark = pytest.mark.slow

METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "PROPFIND")
ORIGIN = "https://evil.example"


def test_every_method_on_every_path_is_framed(populated: PopulatedApp) -> None:
    """200, 204, 304, 401, 404, 405, 415, 422 and 503 of every path, with and without the prefix."""
    statuses = set()
    paths = {parts(name)[1] for name in populated.operations()}
    for path, method in itertools.product(sorted(paths | {"/", "/api", "/api/docs", "/nothing"}), METHODS):
        places = {path, path.removeprefix("/api") or "/"} if method in {"GET", "PATCH"} else {path}
        for place in places:
            answer = populated.anonymous.request(method, fill_path(place, populated.ids))
            check_frame(answer, "/api/docs" if place == "/docs" else place)
            statuses.add(answer.status_code)
    assert statuses >= {200, 204, 401, 404, 405, 422}


def test_the_less_common_statuses_are_framed_too(populated: PopulatedApp) -> None:
    file = f"/api/files/{populated.ids['file_id']}"
    content = populated.admin.get(f"{file}/content")
    aircraft = f"/api/catalogue/aircraft/{populated.ids['aircraft_id']}"
    stale = {"if-match": '"99"'}
    answers = {
        200: content,
        206: populated.admin.get(f"{file}/content", headers={"range": "bytes=0-3"}),
        304: populated.admin.get(f"{file}/content", headers={"if-none-match": content.headers["etag"]}),
        400: populated.admin.get("/healthz", headers={"host": "evil.example"}),
        409: populated.admin.delete(aircraft),
        412: populated.admin.put(aircraft, json={"aircraft_name": "x"}, headers=stale),
        413: populated.admin.post("/api/auth/login", content=b"x" * (17 * 2**20)),
        415: populated.admin.post("/api/files", content=b"x", headers={"content-type": "text/plain"}),
        416: populated.admin.get(f"{file}/content", headers={"range": "bytes=99999999-"}),
        422: populated.admin.post(
            "/api/auth/login", content=b"{", headers={"content-type": "application/json"}
        ),
    }
    for status, answer in answers.items():
        assert answer.status_code == status
        check_frame(answer)
    assert populated.admin.get(f"{file}/thumbnail").headers["content-type"] == "image/jpeg"


def test_the_only_page_runs_nothing_from_elsewhere(populated: PopulatedApp) -> None:
    page = populated.anonymous.get("/api/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "http" not in page.headers["content-security-policy"]


def test_a_foreign_origin_is_never_allowed(populated: PopulatedApp) -> None:
    for name, operation in populated.operations().items():
        method, path = parts(name)
        ask = {"origin": ORIGIN, "access-control-request-method": method}
        preflight = populated.anonymous.options(
            fill_path(path, populated.ids), headers={**ask, "access-control-request-headers": "authorization"}
        )
        # It tells the methods as any OPTIONS does, and allows no origin: check_frame looks for that.
        assert preflight.status_code == 204, name
        check_frame(preflight, path)
        answer = populated.anonymous.request(
            method, fill_path(path, populated.ids), headers={"origin": ORIGIN}, **empty_body(operation)
        )
        check_frame(answer, path)
    for origin in ("null", "http://localhost:3000", "http://localhost.evil.example"):
        check_frame(populated.anonymous.get("/healthz", headers={"origin": origin}))


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "text/plain; charset=utf-8; application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "",
    ],
)
def test_simple_cross_origin_request_is_not_read_as_json(populated: PopulatedApp, kind: str) -> None:
    """A browser sends these types to any address without a preflight; JSON has to say that it is JSON."""
    before = populated.rows()
    token = populated.admin.headers["authorization"]
    bodies = {
        "/api/auth/login": {"username": "other", "password": "pass-of-the-other"},
        "/api/auth/first-run": {"username": "x", "password": "a-long-password"},
        "/api/auth/updateInfo": {"name": "x"},
        "/api/auth/loginByFaceInfo": {"faceInfo": "x"},
        "/api/inspection/create": {"task_id": "x"},
        "/api/users": {"username": "x", "password": "a-long-password", "roles": ["admin"]},
    }
    for path, body in bodies.items():
        headers = {"content-type": kind, "authorization": token, "origin": ORIGIN}
        answer = populated.anonymous.post(path, content=json.dumps(body), headers=headers)
        assert answer.status_code == 415, path
        check_frame(answer, path)
    assert populated.rows() == before


def test_broken_database_reveals_nothing(
    client: TestClient, app: FastAPI, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """Every table but those of the login is gone, then these as well: no SQL, no trace, no name."""
    caplog.set_level(logging.DEBUG)
    app.state.end_streams()
    operations = client.get("/api/openapi.json").json()["paths"]
    arguments = {
        "POST /api/inspection/create": {"task_id": "canary-5e1d"},
        "POST /api/inspection_item/create": {"item_name": "canary-5e1d", "inspection_id": "canary-5e1d"},
        "POST /api/catalogue/aircraft": {"aircraft_name": "canary-5e1d"},
        "POST /api/auth/login": {"username": "canary-5e1d", "password": "canary-5e1d"},
        "GET /api/inspection/search": {"current_page": 1, "page_size": 1},
        "GET /api/inspection_item/list": {"inspection_id": "canary-5e1d"},
    }

    def drop(tables: set[str]) -> None:
        connection = sqlite3.connect(settings.data_dir / "walkaround.db")
        with connection:
            names = "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'trigger')"
            for name, kind in sorted(
                connection.execute(names).fetchall(), key=lambda row: row[1], reverse=True
            ):
                if name not in tables and not name.startswith("sqlite_"):
                    connection.execute(f'DROP {kind} "{name}"')
        connection.close()

    statuses = set()
    for tables_left in ({"user", "user_role", "session", "account_version"}, set[str]()):
        drop(tables_left)
        for name in RULES:
            method, path = parts(name)
            extra = empty_body(operations[path][method.lower()])
            if name in arguments:
                extra = {"params" if method == "GET" else "json": arguments[name]}
            answer = client.request(method, fill_path(path, {}), **extra)
            statuses.add(answer.status_code)
            check_frame(answer, path)
            text = answer.text.lower()
            for word in ("select", "insert", "sqlite", "no such table", "traceback", "sqlalchemy", ".py"):
                assert word not in text or path == "/api/auth/login", (name, word)
            if answer.status_code == 500:
                assert answer.json()["data"]["request_id"] == answer.headers["x-request-id"], name
    assert 500 in statuses
    # The tests' own client tells of addresses.
    records = [record for record in caplog.records if not record.name.startswith("httpx")]
    log = "\n".join(caplog.handler.format(record) for record in records)
    assert "OperationalError" in log
    for word in ("canary-5e1d", "SELECT", "INSERT", "no such table", "Traceback"):
        assert word not in log, word


def test_interrupted_response_is_not_logged(
    app: FastAPI, anonymous: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    from collections.abc import AsyncIterator

    from fastapi.responses import StreamingResponse

    async def half() -> AsyncIterator[bytes]:
        yield b"half"
        raise RuntimeError("SELECT canary-5e1d")

    @app.get("/api/half")
    async def route() -> StreamingResponse:
        return StreamingResponse(half(), media_type="application/octet-stream")

    anonymous.get("/api/half")
    assert "RuntimeError" in caplog.text
    assert "canary-5e1d" not in caplog.text
