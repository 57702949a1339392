"""The real service with its first admin, and a context in which that admin is logged in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.context import Context
from desktop.preferences import Preferences
from tests.service_app import ADMIN
from tests.service_process import create_first_admin, service_process


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service for this file, which has its first admin."""
    with service_process(tmp_path_factory.mktemp("service") / "data") as url:
        create_first_admin(url)
        yield url


@pytest.fixture
def context(service: str, tmp_path: Path, qtbot: QtBot) -> Iterator[Context]:
    """The admin's context at that service."""
    session = Session(service)
    payload = session.account.login(*ADMIN)
    context = Context(session, Preferences(tmp_path / "preferences.json"))
    context.enter(payload)
    yield context
    session.close()
