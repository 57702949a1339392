"""Fixtures of the contract tests, which run on SQLite and on PostgreSQL."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.settings import Settings
from tests.contract.application import ContractApp, new_id
from tests.service_app import *  # noqa: F403 - fixtures
from tests.service_app import LOCAL_URL


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])  # type: ignore[no-redef]
def database_kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def service(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ContractApp]:
    """The real application on a new database, for the tests of a module."""
    folder = tmp_path_factory.mktemp("running")
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("migrated_sqlite"), folder / "walkaround.db")
        url = ""
    else:
        server = request.getfixturevalue("postgresql_server")
        name = new_id("running").replace("-", "_")
        server.execute(f"CREATE DATABASE {name} TEMPLATE migrated")
        url = server.url(name)
    app = create_app(Settings(data_dir=folder, database_url=url, bcrypt_cost=4))
    with TestClient(app, LOCAL_URL, client=("127.0.0.1", 50000), raise_server_exceptions=False) as anonymous:
        yield ContractApp(anonymous)


@pytest.fixture
def record_with_references(service: ContractApp) -> dict[str, Any]:
    """A record with a task, a flight, an aircraft and a reference image that exist, with all of them."""
    picture = (
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde"
        b"\x00\x00\x00\x0cIDATx\x9cc\xf8\xff\xff?\x00\x05\xfe\x02\xfe\r\xefF\xb8\x00\x00\x00\x00IEND\xaeB`\x82"
    )
    uploaded = service.admin.post("/api/files", files={"file": ("左翼.png", picture, "image/png")})
    assert uploaded.status_code == 200, uploaded.text
    aircraft = service.post("/api/catalogue/aircraft", aircraft_name="国产一号")
    flight = service.post(
        "/api/catalogue/flights", flight_number="CA1234", aircraft_id=aircraft["aircraft_id"]
    )
    task = service.post("/api/catalogue/tasks", task_name="航前", flight_id=flight["flight_id"])
    image = service.post(
        "/api/catalogue/reference-images",
        reference_image_name="左翼前缘",
        file_id=uploaded.json()["data"]["file_id"],
    )
    record = service.create_record(
        task_id=task["task_id"],
        executor_id=service.admin_id,
        reference_image_id=image["reference_image_id"],
    )
    return {"record": record, "aircraft": aircraft, "flight": flight, "task": task, "image": image}


@pytest.fixture(scope="module")
def document(service: ContractApp) -> dict[str, Any]:
    """The OpenAPI document."""
    answer: dict[str, Any] = service.anonymous.get("/api/openapi.json").json()
    return answer
