"""Fixtures for tests over real processes, and of the service's application."""

from tests.service_app import *  # noqa: F403 - fixtures
