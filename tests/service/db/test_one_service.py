"""Tests which services may use a data folder and a SQLite file at the same time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from service.db import one_service
from service.db.database import Database
from service.db.one_service import (
    SERVICE_LOCKS,
    DatabaseInUseError,
    FolderInUseError,
    lock_data_folder,
    lock_database,
)
from service.settings import Settings
from tests.service.program import run_program
from tests.service_process import service_process

pytestmark = pytest.mark.slow


def test_second_service_from_another_directory_is_refused(tmp_path: Path) -> None:
    linked = tmp_path / "linked.db"
    with service_process(tmp_path / "data"):
        linked.symlink_to(tmp_path / "data" / "walkaround.db")
        for path in (tmp_path / "data" / "walkaround.db", linked):
            arguments = ("--data-dir", str(tmp_path / "other"), "--database-url", f"sqlite:///{path}")
            second = run_program("serve", "--port", "0", *arguments)
            assert second.returncode == 1
            assert json.loads(second.stdout) == {"event": "failed", "why": "busy_database"}
            assert f"a service uses the database {path}" in second.stderr


def test_deleted_lock_file_lets_no_second_service_start(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    with service_process(data_dir) as url:
        (data_dir / "service.lock").unlink()
        second = run_program("serve", "--port", "0", "--data-dir", str(data_dir))
        assert (second.returncode, json.loads(second.stdout)["event"]) == (1, "failed")
        assert url in (data_dir / "service.json").read_text("utf-8"), "the first can still be found"
    with service_process(data_dir):
        pass


def test_lock_outlives_connections_and_ends_with_its_block(database: Database, settings: Settings) -> None:
    path = settings.database_file
    with lock_database(path):
        Database(settings.url).close()
        with pytest.raises(DatabaseInUseError), lock_database(path):
            pass
    with lock_database(path):
        database.write_now(lambda session: None)


def test_folder_is_shared_by_services_on_postgresql_and_by_nobody_else(tmp_path: Path) -> None:
    with lock_data_folder(tmp_path, alone=False), lock_data_folder(tmp_path, alone=False):
        assert len(list((tmp_path / SERVICE_LOCKS).iterdir())) == 2
        with pytest.raises(FolderInUseError), lock_data_folder(tmp_path, alone=True):
            pytest.fail("two services use it")
    with lock_data_folder(tmp_path, alone=True):
        assert list((tmp_path / SERVICE_LOCKS).iterdir()) == []
        with pytest.raises(FolderInUseError), lock_data_folder(tmp_path, alone=True):
            pytest.fail("it is locked")


def test_lock_of_a_killed_service_is_deleted(tmp_path: Path) -> None:
    (tmp_path / SERVICE_LOCKS).mkdir()
    (tmp_path / SERVICE_LOCKS / "killed.lock").touch()
    with lock_data_folder(tmp_path, alone=True):
        assert list((tmp_path / SERVICE_LOCKS).iterdir()) == []


def test_a_service_on_postgresql_waits_for_a_restore(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_service, "_START_SECONDS", 0.1)
    with (
        lock_data_folder(tmp_path, alone=True),
        pytest.raises(FolderInUseError),
        lock_data_folder(tmp_path, alone=False),
    ):
        pytest.fail("the folder is being restored")
