from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from service.db.database import Database
from service.files.routes import router
from service.files.service import FilesService
from service.settings import Settings
from tests.service.domain_app import rooms


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"max_upload_bytes": 3 * 2**20})


@pytest.fixture
def files(database: Database, settings: Settings) -> Iterator[FilesService]:
    service = FilesService(database, settings)
    yield service
    service.close()


@pytest.fixture
def room(files: FilesService) -> Iterator[TestClient]:
    with rooms(router(files)) as client:
        yield client
