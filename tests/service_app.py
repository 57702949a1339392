"""Fixtures for tests of the real application on a real database. Conftests import them."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import fastapi.dependencies.models
import httpx2
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from service.app import create_app
from service.db.database import Database
from service.db.schema import migrate
from service.settings import Settings
from tests.one_loop import second_client
from tests.postgresql import DatabaseCopy, Server, find_binaries

ADMIN = ("chief", "correct-horse-battery")
LOCAL_URL = "http://localhost"
"""The address of the tests' clients: the service refuses the Host of other addresses."""

Answer = httpx2.Response
"""The response of a `TestClient`. The desktop's client returns another class, the response of httpx."""

_numbers = itertools.count(1)


@cache
def migrated_file() -> Path:
    """A migrated, empty SQLite file that tests copy."""
    path = Path(tempfile.mkdtemp(prefix="migrated-")) / "walkaround.db"
    database = Database(f"sqlite:///{path}")
    migrate(database)
    database.close()
    return path


@pytest.fixture(scope="session")
def migrated_sqlite() -> Path:
    """See `migrated_file`."""
    return migrated_file()


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[Server]:
    """A PostgreSQL server with the migrated database `migrated`; for tests with the marker `postgresql`."""
    binaries = find_binaries()
    assert binaries is not None, "the test lacks the marker postgresql"
    server = Server(binaries)
    try:
        server.execute("CREATE DATABASE migrated")
        database = Database(server.url("migrated"))
        migrate(database)
        database.close()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="module")
def postgresql_database(postgresql_server: Server) -> Iterator[DatabaseCopy]:
    """A copy of `migrated` that the tests of a module use one after another."""
    copy = DatabaseCopy(postgresql_server, "migrated", f"test_{next(_numbers)}")
    yield copy
    copy.drop()


@pytest.fixture
def database_kind() -> str:
    """`sqlite`. A conftest or a test module overrides it with params to test both databases."""
    return "sqlite"


@pytest.fixture
def database_url(database_kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a migrated, empty database that only this test uses."""
    if database_kind == "sqlite":
        path = tmp_path / "data" / "walkaround.db"
        path.parent.mkdir(exist_ok=True)
        shutil.copy(request.getfixturevalue("migrated_sqlite"), path)
        yield f"sqlite:///{path}"
        return
    copy: DatabaseCopy = request.getfixturevalue("postgresql_database")
    yield copy.url
    copy.reset()


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """The database layer, for tests without the application."""
    database = Database(database_url)
    yield database
    database.close()


@pytest.fixture
def settings(tmp_path: Path, database_url: str) -> Settings:
    """Settings of a service for this test; bcrypt at its lowest cost, for speed."""
    return Settings(data_dir=tmp_path / "data", database_url=database_url, bcrypt_cost=4)


@pytest.fixture
def app(settings: Settings) -> Iterator[FastAPI]:
    """The real application."""
    yield create_app(settings)
    forget_applications()


def forget_applications() -> None:
    """Let ended applications be collected.

    FastAPI remembers 4096 functions of routes and with them a dozen applications. To search their half a
    million objects for garbage took a fifth of the time of the tests that create applications.
    """
    for remembered in vars(fastapi.dependencies.models).values():
        if hasattr(remembered, "cache_clear"):
            remembered.cache_clear()


@pytest.fixture
def anonymous(app: FastAPI) -> Iterator[TestClient]:
    """A client on loopback without a token. The service answers exceptions as in production."""
    with TestClient(app, LOCAL_URL, client=("127.0.0.1", 50000), raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def client(anonymous: TestClient) -> TestClient:
    """A client of the same application with the token of the first administrator's new login."""
    body = {"username": ADMIN[0], "password": ADMIN[1], "name": "主任"}
    answer = anonymous.post("/api/auth/first-run", json=body)
    assert answer.status_code == 200, answer.text
    return with_token(anonymous, answer.json()["data"]["access_token"])


def with_token(client: TestClient, token: str) -> TestClient:
    """A second client of the same running application that sends `token`."""
    return second_client(
        client,
        client=("127.0.0.1", 50000),
        raise_server_exceptions=False,
        headers={"Authorization": f"Bearer {token}"},
    )


@pytest.fixture
def as_role(client: TestClient) -> Callable[..., TestClient]:
    """`as_role("viewer")` returns a client with the token of a new user with this role or these roles."""

    def create_client(*roles: str, username: str | None = None) -> TestClient:
        name = username or f"{'-'.join(roles)}-{next(_numbers)}"
        body: dict[str, Any] = {"username": name, "password": f"pass-of-{name}", "roles": list(roles)}
        answer = client.post("/api/users", json=body)
        assert answer.status_code == 200, answer.text
        login = client.post("/api/auth/login", json={"username": name, "password": f"pass-of-{name}"})
        assert login.json()["code"] == 0, login.text
        return with_token(client, login.json()["data"]["access_token"])

    return create_client
