"""Tests the checks of an installation (doctor)."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from filelock import FileLock
from sqlalchemy import text

from service.backups.making import make
from service.commands import doctor
from service.commands.doctor import main
from service.db.database import Database
from service.db.one_service import lock_data_folder
from service.db.schema import migrate
from service.detection.tables import ModelRow
from service.face.engines.dlib_engine import DlibEngine
from service.files.tables import FileRow
from service.settings import Settings
from shared.system.checkup import Level


class Usage(NamedTuple):
    total: int
    used: int
    free: int


@pytest.fixture(scope="module", autouse=True)
def _face_model_is_loaded_once() -> Iterator[None]:
    """Loading it takes half a second of processor time, which was most of each report."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("service.commands.doctor.DlibEngine", cache(DlibEngine))
        yield


@pytest.fixture
def sound_settings(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The settings of an installation without a fault, on a machine with enough disk space."""
    settings.prepare()
    settings.load_signing_secret()
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: Usage(2**40, 0, 2**40))
    monkeypatch.setenv("DISPLAY", ":0")
    return settings


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> Callable[[Settings], tuple[int, list[str]]]:
    def run(settings: Settings) -> tuple[int, list[str]]:
        status = main(["doctor"], settings)
        return status, capsys.readouterr().out.splitlines()

    return run


Report = Callable[[Settings], tuple[int, list[str]]]


def lines_with(lines: list[str], text: str) -> str:
    (line,) = [line for line in lines if text in line]
    return line


def test_sound_installation_has_no_fault(sound_settings: Settings, report: Report) -> None:
    status, lines = report(sound_settings)
    assert status == 0, lines
    assert all(line.split()[0] in set(Level) for line in lines)
    assert not [line for line in lines if line.startswith("fail")]
    for sentence in (
        "Python",
        "onnxruntime",
        "cv2 ",
        "pyvips",
        "is intact",
        "at revision",
        "secret.key",
    ):
        assert [line for line in lines if line.startswith("ok") and sentence in line], sentence


def test_fresh_machine_lists_what_first_start_creates(tmp_path: Path, report: Report) -> None:
    status, lines = report(Settings(data_dir=tmp_path / "data", database_url=""))
    assert status == 0
    assert lines_with(lines, "data folder").startswith("warn")
    assert lines_with(lines, "no database").startswith("warn")
    assert not (tmp_path / "data").exists(), "looking changes nothing"


def test_doctor_reports_a_running_service(sound_settings: Settings, report: Report) -> None:
    with FileLock(sound_settings.data_dir / "service.lock"):
        assert lines_with(report(sound_settings)[1], "a service is using").startswith("ok")
    with lock_data_folder(sound_settings.data_dir, alone=False):
        assert lines_with(report(sound_settings)[1], "a service is using").startswith("ok")
    assert lines_with(report(sound_settings)[1], "no service is using").startswith("ok")


@pytest.mark.skipif(os.name != "posix", reason="POSIX rights")
def test_key_that_others_can_read_is_a_fault(sound_settings: Settings, report: Report) -> None:
    (sound_settings.data_dir / "secret.key").chmod(0o644)
    status, lines = report(sound_settings)
    assert status == 1
    assert "chmod 600" in lines_with(lines, "secret.key")


@pytest.mark.skipif(os.name != "posix", reason="POSIX rights")
def test_open_data_directory_is_a_warning(sound_settings: Settings, report: Report) -> None:
    sound_settings.data_dir.chmod(0o755)
    status, lines = report(sound_settings)
    assert status == 0
    assert "chmod 700" in lines_with(lines, "open to other users")


@pytest.mark.parametrize(("free", "level"), [(2**40, "ok"), (2 * 2**30, "warn"), (10 * 2**20, "fail")])
def test_disk_space(
    sound_settings: Settings, report: Report, monkeypatch: pytest.MonkeyPatch, free: int, level: str
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: Usage(2**40, 0, free))
    status, lines = report(sound_settings)
    assert lines_with(lines, "GB free").startswith(level)
    assert status == (1 if level == "fail" else 0)


def test_damaged_database_is_a_fault(sound_settings: Settings, report: Report) -> None:
    path = sound_settings.data_dir / "walkaround.db"
    data = bytearray(path.read_bytes())
    data[4096 * 2 : 4096 * 4] = b"\xaa" * 8192
    path.write_bytes(data)
    status, lines = report(sound_settings)
    assert status == 1
    assert [line for line in lines if line.startswith("fail") and "database" in line]
    assert not [line for line in lines if line.startswith("ok") and "at revision" in line]


@pytest.mark.parametrize(
    ("revision", "status", "expected"), [("0001", 0, "upgrades it to"), ("9999", 1, "newer version")]
)
def test_database_of_another_version_is_reported(
    sound_settings: Settings, database: Database, report: Report, revision: str, status: int, expected: str
) -> None:
    database.write_now(
        lambda session: session.execute(text(f"UPDATE alembic_version SET version_num = '{revision}'"))
    )
    got, lines = report(sound_settings)
    assert got == status
    assert expected in lines_with(lines, f"at revision {revision}")
    assert bool([line for line in lines if "is intact" in line]) is (status == 0), "no ok beside a fault"


def test_silent_database_server_is_a_fault_without_its_password(
    sound_settings: Settings, report: Report
) -> None:
    away = sound_settings.model_copy(update={"database_url": "postgresql://me:canary@127.0.0.1:1/x"})
    status, lines = report(away)
    assert status == 1
    assert lines_with(lines, "does not answer (no server listens there)").startswith("fail")
    assert "canary" not in "".join(lines)


def test_database_in_a_folder_that_cannot_be_written_needs_no_backup(
    sound_settings: Settings, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: Path) -> None:
        raise sqlite3.OperationalError("unable to open database file")

    monkeypatch.setattr(doctor, "_check_integrity", refuse)
    assert "restore a backup" in lines_with(report(sound_settings)[1], "does not answer")
    monkeypatch.setattr(os, "access", lambda _path, mode: mode != os.W_OK)
    assert "permission to write" in lines_with(report(sound_settings)[1], "does not answer")


def test_library_that_does_not_load_is_a_fault(
    sound_settings: Settings, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(doctor._LIBRARIES, "no_such_module", ("no_such_module", "nothing"))
    status, lines = report(sound_settings)
    assert status == 1
    assert "install it again" in lines_with(lines, "no_such_module does")


def test_missing_chosen_face_pack_is_a_fault(sound_settings: Settings, report: Report) -> None:
    status, lines = report(sound_settings.model_copy(update={"face_model": "better"}))
    assert status == 1
    assert "walkaround face install" in lines_with(lines, "better")


def test_face_model_of_the_program_loads(sound_settings: Settings, report: Report) -> None:
    assert lines_with(report(sound_settings)[1], "built-in face model").startswith("ok")


def test_missing_file_of_a_model_is_a_fault(
    sound_settings: Settings, database: Database, report: Report
) -> None:
    values: dict[str, Any] = {"labels": [], "settings": {}, "enabled": True, "size": 1}
    row = ModelRow(name="Cracks", version=2, kind="yolo", sha256="a" * 64, **values)
    database.write_now(lambda session: session.add(row))
    status, lines = report(sound_settings)
    assert status == 1
    assert lines_with(lines, "Cracks 2 is missing or damaged").startswith("fail")


def test_damaged_tiles_are_repaired(sound_settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    folder = sound_settings.data_dir / "cache" / "tiles"
    folder.mkdir(parents=True)
    (folder / "a.zip").write_text("no archive")
    main(["doctor", "--repair"], sound_settings)
    line = lines_with(capsys.readouterr().out.splitlines(), "tile cache are damaged")
    assert line.endswith("(repaired)")
    assert not (folder / "a.zip").exists()


def test_open_key_is_repaired(sound_settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    (sound_settings.data_dir / "secret.key").chmod(0o644)
    assert main(["doctor", "--repair"], sound_settings) == 0
    assert (sound_settings.data_dir / "secret.key").stat().st_mode & 0o077 == 0


def test_json_gives_a_line_for_each_result(
    sound_settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--json", "--side", "desktop"], sound_settings) == 0
    assert capsys.readouterr().out == ""
    assert main(["doctor", "--json"], sound_settings) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {line["side"] for line in lines} == {"service"}
    assert {line["check"] for line in lines} >= {"database", "data_dir", "backups", "face_models"}


def test_data_directory_that_cannot_be_created_is_a_fault(
    tmp_path: Path, report: Callable[[Settings], tuple[int, list[str]]]
) -> None:
    (tmp_path / "file").touch()
    status, lines = report(Settings(data_dir=tmp_path / "file" / "data"))
    assert status == 1
    assert any(line.startswith("fail") and f"{tmp_path / 'file'} is a file" in line for line in lines)


def test_backups_are_reported_with_their_age(
    sound_settings: Settings, report: Report, tmp_path: Path
) -> None:
    assert lines_with(report(sound_settings)[1], "no backups are made on a schedule").startswith("warn")
    target = tmp_path / "backups"
    settings = sound_settings.model_copy(update={"backup_to": str(target)})
    target.mkdir()
    status, lines = report(settings)
    assert status == 1
    assert lines_with(lines, "there is no backup").startswith("fail")
    assert make(settings).name is not None
    assert lines_with(report(settings)[1], "the newest of 1 backups is 0.0 hours old").startswith("ok")
    [newest] = (target / "backups").iterdir()
    newest.rename(newest.with_name("20260101T000000Z.json.gz"))
    assert lines_with(report(settings)[1], "the newest of 1 backups is").startswith("warn")


def test_reserve_of_the_disk_is_checked(sound_settings: Settings, report: Report) -> None:
    changed = sound_settings.model_copy(update={"disk_reserve_bytes": 2**41})
    status, lines = report(changed)
    assert status == 1
    assert "uploads are refused" in lines_with(lines, "GB free")


def test_store_that_does_not_answer_is_a_fault(
    sound_settings: Settings, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.stores.s3.RETRY_SECONDS", 0.2)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "canary-secret")
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    values = {"files_url": "s3://bucket", "files_endpoint": f"http://127.0.0.1:{port}"}
    status, lines = report(sound_settings.model_copy(update=values))
    assert status == 1
    assert lines_with(lines, "file storage").startswith("fail")
    assert not [line for line in lines if "canary" in line]


@pytest.mark.parametrize(("size", "level"), [(89, "ok"), (91, "warn"), (100, "fail")])
def test_use_of_the_quota_is_checked(sound_settings: Settings, report: Report, size: int, level: str) -> None:
    database = Database(sound_settings.url)
    migrate(database)
    row = FileRow(sha256="a" * 64, filename="a", mime_type="image/png", size=size)
    database.write_now(lambda session: session.add(row))
    database.close()
    _, lines = report(sound_settings.model_copy(update={"files_quota_bytes": 100}))
    assert lines_with(lines, f"{size}% of the file quota").startswith(level)
