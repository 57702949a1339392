"""Fixtures of the service's application for tests with real processes."""

from tests.service_app import *  # noqa: F403 - fixtures
