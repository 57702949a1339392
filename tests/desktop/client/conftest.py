"""A session at a fake service."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from desktop.client import Session
from tests.desktop.client.fake_service import BASE, Service


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    """Nobody is logged in."""
    session = Session(BASE, patience=0.5, transport=httpx.MockTransport(service))
    yield session
    session.close()
