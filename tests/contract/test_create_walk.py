"""How far a request goes: the files of the project that the creation of a record enters, and their number."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest
from sqlalchemy import Engine, event
from starlette.testclient import TestClient

from service.app import create_app
from service.settings import Settings
from shared.system.paths import program_folder
from tests.contract.application import ContractApp
from tests.service_app import LOCAL_URL

_COMMIT = "commit"


class _Walk:
    """Notes the files whose functions are called on the threads of the service, and the commits."""

    def __init__(self) -> None:
        self._folder = f"{program_folder()}/"
        self._is_on = False
        self._steps: list[str] = []

    def profile(self, frame: FrameType, what: str, _argument: object) -> None:
        if self._is_on and what == "call":
            self._steps.append(frame.f_code.co_filename)

    def note_commit(self, _connection: object) -> None:
        self._steps.append(_COMMIT)

    @contextmanager
    def steps(self) -> Iterator[list[str]]:
        """The files, in the order in which they are entered while the block runs."""
        found: list[str] = []
        self._steps, self._is_on = [], True
        event.listen(Engine, "commit", self.note_commit)
        try:
            yield found
        finally:
            self._is_on = False
            event.remove(Engine, "commit", self.note_commit)
        names = (step.removeprefix(self._folder) for step in self._steps)
        found += [name for name in names if name == _COMMIT or name.startswith(("service/", "shared/"))]


@pytest.fixture
def walk(migrated_sqlite: Path, tmp_path: Path) -> Iterator[list[str]]:
    """The files that a request to create a record enters in the real application."""
    shutil.copy(migrated_sqlite, tmp_path / "walkaround.db")
    traced = _Walk()
    # Before the service starts its threads.
    threading.setprofile(traced.profile)
    try:
        app = create_app(Settings(data_dir=tmp_path, bcrypt_cost=4))
        with TestClient(app, LOCAL_URL, client=("127.0.0.1", 50000)) as anonymous:
            service = ContractApp(anonymous)
            # What is prepared once is prepared.
            service.create_record()
            with traced.steps() as steps:
                service.create_record()
            yield steps
    finally:
        threading.setprofile(None)


def test_created_record_enters_few_files(walk: list[str]) -> None:
    from_route = walk[walk.index("service/inspection/routes.py") :]
    until_commit = set(from_route[: from_route.index(_COMMIT)])
    assert len(until_commit) <= 13, sorted(until_commit)
    whole = {*walk} - {_COMMIT}
    assert len(whole) <= 23, sorted(whole)
