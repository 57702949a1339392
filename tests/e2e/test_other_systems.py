"""Tests the differences on Windows and macOS, by replacing the name of the system."""

from __future__ import annotations

import importlib
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from desktop import display
from desktop.background import memory
from desktop.client import scripts
from desktop.connection import local_service
from desktop.connection.local_service import EmbeddedService
from desktop.doctor import computer
from service import settings as service_settings
from service.commands import doctor as service_doctor
from service.db import database
from service.db.database import Database
from service.detection.compute import allocator
from service.settings import Settings, load_owner_only_secret
from service.stores import opening
from shared.system import atomic, checkup, paths
from tests.desktop.connection.fake_process import FAKE_SERVICE_SCRIPT
from tests.other_systems import simulate_macos, simulate_windows

sources = importlib.import_module("desktop.camera.sources")
"""Imported by name, because the package has a function with the same name."""

OTHER_SYSTEMS = pytest.mark.parametrize("simulate", [simulate_windows, simulate_macos])


def write_readable_by_everyone(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    path.chmod(0o666)
    return path


@OTHER_SYSTEMS
def test_window_needs_no_variable_that_names_a_display(
    simulate: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert not display.has_display()
    simulate(monkeypatch, display)
    assert display.has_display()


@OTHER_SYSTEMS
def test_doctor_asks_for_device_files_only_on_linux(simulate: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "glob", lambda *_: iter([Path("/dev/video0")]))
    monkeypatch.setattr(os, "access", lambda *_: False)
    (refused,) = computer.camera()
    assert "has no access" in refused.found
    simulate(monkeypatch, computer)
    (result,) = computer.camera()
    assert result.found == "no camera"


def test_file_permissions_are_not_checked_on_windows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """On Windows only the user can read their folders, and `st_mode` does not show permissions."""
    keys = write_readable_by_everyone(
        tmp_path / "keys", "[default]\naws_access_key_id = a\naws_secret_access_key = b\n"
    )
    login = write_readable_by_everyone(tmp_path / "login", "WALKAROUND_USER = chief\n")
    token = write_readable_by_everyone(tmp_path / "token", "t" * 32)
    secret = write_readable_by_everyone(tmp_path / "secret.key", "s" * 48)
    settings = Settings(data_dir=tmp_path, metrics_token_file=token)
    with pytest.raises(PermissionError):
        settings.read_metrics_token()
    with pytest.raises(PermissionError):
        load_owner_only_secret(secret, 48)
    simulate_windows(monkeypatch, service_settings, opening, scripts, checkup)
    assert settings.read_metrics_token() == "t" * 32
    assert load_owner_only_secret(secret, 48) == b"s" * 48
    assert opening._read_keys(keys) == {"access_key_id": "a", "secret_access_key": "b"}
    assert scripts._read_env_file(login) == {"WALKAROUND_USER": "chief"}
    assert {line.level.name for line in service_doctor.secrets(settings)} == {"OK"}
    assert next(iter(service_doctor.data_dir(settings))).level.name == "OK"
    tmp_path.chmod(0o755)
    settings.prepare()
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_folders_are_neither_made_private_nor_synced_on_windows(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    simulate_windows(monkeypatch, paths, atomic)
    folder = tmp_path / "folder"
    folder.mkdir()
    # A command that an earlier test ran in this process may have left a stricter umask.
    folder.chmod(0o755)
    assert paths.ensure_private_folder(folder) == folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    # Windows cannot open a folder: without the check this would raise.
    atomic.sync_folder(tmp_path / "nowhere")
    atomic.write_file(folder / "file", b"whole", durable=True)
    assert (folder / "file").read_bytes() == b"whole"


@OTHER_SYSTEMS
@pytest.mark.parametrize("module", [memory, allocator])
def test_functions_of_glibc_are_not_called(
    simulate: Any, module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("there is no glibc")

    monkeypatch.setattr("ctypes.CDLL", fail)
    simulate(monkeypatch, module)
    getattr(module, "trim" if module is memory else "keep_freed_memory")()


def test_postgresql_is_read_by_threads_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The event loop of Windows cannot wait for libpq's sockets."""
    simulate_windows(monkeypatch, database)
    postgresql_database = Database("postgresql+psycopg://nobody@127.0.0.1:1/none")
    try:
        assert postgresql_database._loop_reads is None
    finally:
        postgresql_database.close()


@pytest.mark.parametrize(
    ("system", "backend"),
    [
        ("Windows", sources.cv2.CAP_DSHOW),
        ("Darwin", sources.cv2.CAP_AVFOUNDATION),
        ("Other", sources.cv2.CAP_ANY),
    ],
)
def test_cameras_are_tried_by_number_with_the_backend_of_the_system(
    system: str, backend: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[tuple[int, int]] = []

    class Capture:
        def __init__(self, number: int, reader: int) -> None:
            opened.append((number, reader))
            self._exists = number < 2

        def set(self, *_: object) -> None: ...

        def isOpened(self) -> bool:
            return self._exists

        def release(self) -> None: ...

    monkeypatch.setattr(sources, "_SYSTEM", system)
    monkeypatch.setattr(sources.cv2, "VideoCapture", Capture)
    assert [camera.name for camera in sources.cameras()] == ["Camera 1", "Camera 2"]
    # A number that cannot be opened may be a camera that another program uses.
    assert opened == [(number, backend) for number in range(sources._MAX_CAMERAS)]


def test_own_service_opens_no_console_on_windows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """There too the service ends with its pipe, because Windows has no such signals."""
    popen_options: dict[str, Any] = {}
    original_popen = subprocess.Popen

    def popen(command: list[str], **options: Any) -> Any:
        popen_options.update(options)
        options.pop("creationflags")
        return original_popen(command, **options)

    monkeypatch.setattr(subprocess, "CREATE_NO_WINDOW", 0x08000000, raising=False)
    simulate_windows(monkeypatch, local_service)
    monkeypatch.setattr(subprocess, "Popen", popen)
    service = EmbeddedService(tmp_path / "数据", command=[sys.executable, "-c", FAKE_SERVICE_SCRIPT])
    service.start()
    try:
        url = service.wait_until_ready()
    finally:
        service.stop()
    assert popen_options["creationflags"] == 0x08000000
    assert popen_options["start_new_session"] is False
    with pytest.raises(OSError), socket.create_connection(("127.0.0.1", int(url.rsplit(":", 1)[1])), 1):
        pass


def test_frozen_program_starts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", r"C:\Program Files\Walkaround\walkaround.exe")
    assert paths.program_command("serve") == [r"C:\Program Files\Walkaround\walkaround.exe", "serve"]
    assert paths.program_command_folder() is None
