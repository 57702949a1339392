"""Fixtures for tests over real processes."""

from tests.service_app import postgresql_server  # noqa: F401 - a fixture
