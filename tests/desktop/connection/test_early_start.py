"""The own service starts before Qt does, where the desktop will use it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.connection import local_service
from desktop.connection.local_service import EmbeddedService, ServiceState, start_early
from desktop.user_folders import data_dir, preferences_file
from shared.system.paths import program_folder
from tests.desktop.connection.fake_process import FAKE_SERVICE_SCRIPT, Play, StateListener
from tests.narrowing import not_none


@pytest.fixture
def _use_fake_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        local_service, "program_command", lambda *_: [sys.executable, "-c", FAKE_SERVICE_SCRIPT]
    )


@pytest.mark.usefixtures("_use_fake_process")
@pytest.mark.parametrize("server", [None, ""])
def test_local_service_starts_immediately(server: str | None, tmp_path: Path) -> None:
    service = not_none(start_early(server, tmp_path / "数据"))
    try:
        # Not later: the desktop imports Qt from now on, and a thread beside that waits long.
        assert service.pid is not None
        assert service.wait_until_ready()
        assert service.data_dir == tmp_path / "数据"
    finally:
        service.stop()


def test_nothing_starts_for_another_server(tmp_path: Path) -> None:
    assert start_early("https://hangar:8177", tmp_path) is None
    preferences_file().parent.mkdir(parents=True)
    try:
        preferences_file().write_text(json.dumps({"server_url": "https://hangar:8177"}), "utf-8")
        assert start_early(None, tmp_path) is None
    finally:
        preferences_file().unlink()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("_use_fake_process")
@pytest.mark.parametrize("text", ["", "[]", "{", '{"server_url": ""}'])
def test_preferences_without_a_server_select_the_local_service(text: str, tmp_path: Path) -> None:
    preferences_file().parent.mkdir(parents=True, exist_ok=True)
    try:
        preferences_file().write_text(text, "utf-8")
        not_none(start_early(None, tmp_path)).stop()
    finally:
        preferences_file().unlink()


def test_environment_names_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert data_dir().name == "Walkaround"
    monkeypatch.setenv("WALKAROUND_DATA_DIR", str(tmp_path))
    assert data_dir() == tmp_path


def test_late_listener_receives_the_current_state(play: Play, listener: StateListener) -> None:
    service = play()
    late = StateListener()
    service.set_listener(late)
    assert late.states == []
    service.start()
    url = service.wait_until_ready()
    later = StateListener()
    service.set_listener(later)
    assert later.states == [(ServiceState.READY, url)]
    service.stop()
    assert later.states[-1] == (ServiceState.STOPPED, None)
    assert late.states == [(ServiceState.STARTING, None), (ServiceState.READY, url)]
    assert listener.states == []


def test_starting_early_loads_neither_qt_nor_the_client() -> None:
    check = (
        "import sys, desktop.command_line, desktop.connection.local_service\n"
        "print(sorted({'PySide6', 'httpx', 'pydantic', 'numpy'} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", check], cwd=program_folder(), capture_output=True, text=True, check=True
    )
    assert run.stdout == "[]\n"


def test_follow_before_start_reports_nothing(tmp_path: Path, listener: StateListener) -> None:
    EmbeddedService(tmp_path).set_listener(listener)
    assert listener.states == []
