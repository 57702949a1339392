from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from service.db.database import Database
from service.files.routes import router
from service.files.service import FilesService
from service.settings import Settings
from tests.s3_server import s3, short_retries, store_settings
from tests.service.domain_app import create_client

__all__ = ["s3", "short_retries"]

in_folder = pytest.mark.parametrize("kind", ["folder"], indirect=True)
in_bucket = pytest.mark.parametrize("kind", ["s3"], indirect=True)


@pytest.fixture(params=["folder", "s3"])
def kind(request: pytest.FixtureRequest) -> str:
    """Where the files are stored."""
    return str(request.param)


@pytest.fixture
def settings(settings: Settings, kind: str, request: pytest.FixtureRequest) -> Settings:
    update = {"max_upload_bytes": 3 * 2**20}
    if kind == "s3":
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        update |= store_settings(request.getfixturevalue("s3"), settings.data_dir)
    return settings.model_copy(update=update)


@pytest.fixture
def files(database: Database, settings: Settings) -> Iterator[FilesService]:
    service = FilesService(database, settings)
    yield service
    service.close()


@pytest.fixture
def client(files: FilesService) -> Iterator[TestClient]:
    with create_client(router(files)) as client:
        yield client
