"""Fixtures for tests against the real application on a real database (imported by the conftests)."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from service.app import create_app
from service.db.database import Database
from service.db.schema import migrate
from service.settings import Settings
from tests.one_loop import beside
from tests.postgresql import ReusableDatabase, Server, find_binaries

ADMIN = ("chief", "correct-horse-battery")
HERE = "http://localhost"
"""The address the tests' clients name: the service refuses every Host that is not its own."""

Answer = httpx2.Response
"""What a `TestClient` gives; not the response of httpx, which the desktop's client gives."""

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty SQLite file that tests copy."""
    path = tmp_path_factory.mktemp("migrated") / "walkaround.db"
    database = Database(f"sqlite:///{path}")
    migrate(database)
    database.close()
    return path


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[Server]:
    """A PostgreSQL server with the migrated database `migrated`; skips when there is no server binary."""
    place = find_binaries()
    if place is None:
        pytest.skip("no PostgreSQL server binary on this machine")
    server = Server(place)
    try:
        server.execute("CREATE DATABASE migrated")
        database = Database(server.url("migrated"))
        migrate(database)
        database.close()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="module")
def postgresql_database(postgresql_server: Server) -> Iterator[ReusableDatabase]:
    """A copy of `migrated` for the tests of one module, which use it one after another."""
    copy = ReusableDatabase(postgresql_server, "migrated", f"test_{next(_numbers)}")
    yield copy
    copy.drop()


@pytest.fixture
def database_kind() -> str:
    """`sqlite`; a conftest or a test module overrides it with params to run on both databases."""
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
    copy: ReusableDatabase = request.getfixturevalue("postgresql_database")
    yield copy.url
    copy.renew()


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """The database layer alone, for tests below the application."""
    database = Database(database_url)
    yield database
    database.close()


@pytest.fixture
def settings(tmp_path: Path, database_url: str) -> Settings:
    """Settings of a service of this test's own; bcrypt at its lowest cost, for speed."""
    return Settings(data_dir=tmp_path / "data", database_url=database_url, bcrypt_cost=4)


@pytest.fixture
def app(settings: Settings) -> FastAPI:
    """The real application."""
    return create_app(settings)


@pytest.fixture
def anonymous(app: FastAPI) -> Iterator[TestClient]:
    """A client on loopback without a token. Exceptions of the service become answers, as in production."""
    with TestClient(app, HERE, client=("127.0.0.1", 50000), raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def client(anonymous: TestClient) -> TestClient:
    """The same application, logged in as its first admin, who gave the password just now."""
    body = {"username": ADMIN[0], "password": ADMIN[1], "name": "主任"}
    answer = anonymous.post("/api/auth/first-run", json=body)
    assert answer.status_code == 200, answer.text
    return with_token(anonymous, answer.json()["data"]["access_token"])


def with_token(client: TestClient, token: str) -> TestClient:
    """A second client of the same running application that sends `token`."""
    return beside(
        client,
        client=("127.0.0.1", 50000),
        raise_server_exceptions=False,
        headers={"Authorization": f"Bearer {token}"},
    )


@pytest.fixture
def as_role(client: TestClient) -> Callable[..., TestClient]:
    """`as_role("viewer")` gives a client logged in as a new user with that role (or those roles)."""

    def make(*roles: str, username: str | None = None) -> TestClient:
        name = username or f"{'-'.join(roles)}-{next(_numbers)}"
        body: dict[str, Any] = {"username": name, "password": f"pass-of-{name}", "roles": list(roles)}
        answer = client.post("/api/users", json=body)
        assert answer.status_code == 200, answer.text
        login = client.post("/api/auth/login", json={"username": name, "password": f"pass-of-{name}"})
        assert login.json()["code"] == 0, login.text
        return with_token(client, login.json()["data"]["access_token"])

    return make
