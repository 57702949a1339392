from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.connection.local_service import EmbeddedService
from tests.client_session import open_session
from tests.desktop.pages.workbench.driver import DATABASES, WorkbenchDriver, workbench_driver


@pytest.fixture(scope="package")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedService]:
    folder = tmp_path_factory.mktemp("service")
    embedded = EmbeddedService(folder, environment={"WALKAROUND_BCRYPT_COST": "4"})
    embedded.start()
    DATABASES[embedded.wait_until_ready(60)] = folder / "walkaround.db"
    yield embedded
    embedded.stop()


@pytest.fixture
def session(service: EmbeddedService) -> Iterator[Session]:
    with open_session(service.wait_until_ready(60)) as user_session:
        yield user_session


@pytest.fixture
def workbench(session: Session, qtbot: QtBot) -> Iterator[WorkbenchDriver]:
    with workbench_driver(session, qtbot) as driver:
        yield driver
