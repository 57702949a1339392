from __future__ import annotations

from pathlib import Path

import pytest

from service.settings import Settings
from service.stores.opening import open_store
from service.stores.port import Store
from tests.s3_server import S3Server, s3, short_retries, store_settings

__all__ = ["s3", "short_retries"]


@pytest.fixture(params=["folder", "s3"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Settings of a service with its files in the data folder, and in a bucket."""
    more = {}
    if request.param == "s3":
        server: S3Server = request.getfixturevalue("s3")
        more = store_settings(server, tmp_path)
    return Settings(data_dir=tmp_path / "data", **more)


@pytest.fixture
def store(settings: Settings) -> Store:
    return open_store(settings.files_url or str(settings.files_dir), settings)
