"""The security tests' own applications: one in this process for each module, one as a process for all."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.settings import Settings
from tests.certificates import make_pair, unchecked_context
from tests.security.application import LiveService, PopulatedApp
from tests.service_app import *  # noqa: F403 - fixtures
from tests.service_app import LOCAL_URL
from tests.service_process import FRESH, running_service, service_process


@pytest.fixture(scope="module")
def populated(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PopulatedApp]:
    """The real application with one of everything in it, shared by the tests of a module."""
    folder = tmp_path_factory.mktemp("populated")
    shutil.copy(migrated_sqlite, folder / "walkaround.db")
    app = create_app(
        Settings(data_dir=folder, database_url=f"sqlite:///{folder}/walkaround.db", bcrypt_cost=4)
    )
    with TestClient(app, LOCAL_URL, client=("127.0.0.1", 50000), raise_server_exceptions=False) as anonymous:
        # A stream of events would not end by itself; without them the route answers at once.
        app.state.end_streams()
        yield PopulatedApp(anonymous, folder)


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    """A service process that logs all it can, started by someone who has telemetry switched on."""
    folder = tmp_path_factory.mktemp("live") / "data"
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("WALKAROUND_")]:
            patch.delenv(name)
        patch.setenv("ORT_DISABLE_TELEMETRY", "0")
        with service_process(folder, FRESH, log_level="DEBUG") as url:
            patch.undo()
            pid = json.loads((folder / "service.json").read_text("utf-8"))["pid"]
            yield LiveService(url, folder, pid)


@pytest.fixture(scope="module")
def live_tls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    """A service process that answers with TLS."""
    folder = tmp_path_factory.mktemp("live_tls") / "data"
    pair = make_pair(folder.parent)
    with running_service(folder, tls_cert=str(pair.certificate), tls_key=str(pair.key)) as running:
        yield LiveService(running.url, folder, running.process.pid, unchecked_context())
