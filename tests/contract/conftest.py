"""The contract holds on both databases: every test here runs on SQLite and on PostgreSQL."""

import pytest

from tests.service_app import *  # noqa: F403 - fixtures


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def database_kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)
