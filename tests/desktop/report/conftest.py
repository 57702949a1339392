"""A real service for the tests that report on what it holds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.client import Session
from tests.client_session import open_session
from tests.service_process import service_process


@pytest.fixture(scope="package")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of the service."""
    return tmp_path_factory.mktemp("report") / "data"


@pytest.fixture(scope="package")
def service(data: Path) -> Iterator[str]:
    """The address of a service that all tests use; each makes records of its own."""
    with service_process(data) as url:
        yield url


@pytest.fixture
def session(service: str) -> Iterator[Session]:
    with open_session(service) as session:
        yield session
