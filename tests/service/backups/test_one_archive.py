"""Tests backup and restore of a data folder as one archive."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import stat
import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from sqlalchemy import text

from service.audit.service import AuditService
from service.backups.archive.manifest import DATABASE, MANIFEST, is_safe
from service.backups.archive.taking import copy_database
from service.changes import ObjectChange, announce
from service.commands.backup import main
from service.db.database import Database
from service.db.one_service import lock_data_folder, lock_database
from service.files.service import FilesService
from service.settings import Settings


@pytest.fixture
def filled_settings(settings: Settings, database: Database) -> Settings:
    """Settings of a data folder with a log, two files, keys, a model pack and rebuildable files."""
    settings.prepare()
    audit = AuditService(database, settings)
    database.before_commit.append(audit.before_commit)
    audit.begin()
    files = FilesService(database, settings)
    database.write_now(files.keep("左翼.txt", b"left wing", "u1"))
    database.write_now(files.keep("右翼.txt", b"right wing", "u1"))
    files.close()
    (settings.data_dir / "face.key").write_bytes(b"k" * 32)
    for name in (
        "models/pack/model.onnx",
        "cache/thumbnails/x.jpg",
        "files/incoming/half",
        "service.json",
        ".part-1",
    ):
        path = settings.data_dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"content of " + name.encode())
    return settings


@pytest.fixture
def archive(filled_settings: Settings, tmp_path: Path) -> Path:
    target = tmp_path / "备份.zip"
    assert main(["backup", str(target)], filled_settings) == 0
    return target


def other_settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "elsewhere", database_url="", bcrypt_cost=4)


def member_names(archive: Path) -> set[str]:
    with zipfile.ZipFile(archive) as opened:
        return set(opened.namelist())


def rewrite_archive(archive: Path, change: Any, **replaced: bytes) -> Path:
    """Rewrite the archive: apply `change` to its manifest, and replace, add or (None) remove members."""
    target = archive.with_name("changed.zip")
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(target, "w") as new:
        manifest = json.loads(old.read(MANIFEST))
        change(manifest)
        for name in old.namelist():
            if name != MANIFEST:
                new.writestr(name, replaced.pop(name, old.read(name)))
        for name, data in replaced.items():
            new.writestr(name, data)
        new.writestr(MANIFEST, json.dumps(manifest))
    return target


def test_archive_contains_the_data_and_no_keys(archive: Path, filled_settings: Settings) -> None:
    members = member_names(archive)
    assert {DATABASE, MANIFEST, "data/models/pack/model.onnx"} < members
    assert sum(name.startswith("data/files/") for name in members) == 2
    assert not [
        name
        for name in members
        if ".part-" in name or "incoming" in name or "cache" in name or name.endswith((".key", "-wal"))
    ]
    if os.name == "posix":
        assert stat.S_IMODE(archive.stat().st_mode) == 0o600
    assert not [path for path in archive.parent.iterdir() if path.name.startswith(".backup-")]


def test_restored_data_equals_the_backup(archive: Path, filled_settings: Settings, tmp_path: Path) -> None:
    new = other_settings(tmp_path)
    assert main(["restore", str(archive)], new) == 0
    database = Database(new.url)
    try:
        files = FilesService(database, new)
        rows = database.read_now(
            lambda session: session.execute(text("SELECT file_id, filename FROM file ORDER BY size")).all()
        )
        assert [files.path(row.file_id).read_bytes() for row in rows] == [b"left wing", b"right wing"]
        assert [row.filename for row in rows] == ["左翼.txt", "右翼.txt"]
        files.close()
        # Valid in spite of another secret, because the log was valid when it was backed up.
        verification = AuditService(database, new).verify()
        assert verification.problems == []
        last = database.read_now(
            lambda session: session.execute(text("SELECT action FROM audit_event ORDER BY seq DESC")).scalar()
        )
        assert last == "restore"
    finally:
        database.close()
    assert (new.data_dir / "models/pack/model.onnx").read_bytes() == b"content of models/pack/model.onnx"
    assert not (new.data_dir / "face.key").exists()
    assert not [path for path in new.data_dir.iterdir() if path.name.startswith(".restore-")]


def test_backup_contains_the_keys_only_on_request(filled_settings: Settings, tmp_path: Path) -> None:
    target = tmp_path / "all.zip"
    assert main(["backup", str(target), "--with-secrets"], filled_settings) == 0
    assert {"secrets/secret.key", "secrets/face.key"} < member_names(target)
    new = other_settings(tmp_path).model_copy(update={"secret_file": tmp_path / "keys" / "signing"})
    assert main(["restore", str(target)], new) == 0
    assert (tmp_path / "keys" / "signing").read_bytes() == filled_settings.load_signing_secret()
    assert new.load_signing_secret() == filled_settings.load_signing_secret()
    assert (new.data_dir / "face.key").read_bytes() == b"k" * 32


def test_backup_is_consistent_while_the_service_writes(
    filled_settings: Settings, database: Database, tmp_path: Path
) -> None:
    stop, rounds = threading.Event(), 0

    def write() -> None:
        nonlocal rounds
        while not stop.is_set():
            database.write_now(lambda session: announce(session, ObjectChange("update", "record", "r1")))
            rounds += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(5):
            target = tmp_path / f"{number}.zip"
            assert main(["backup", str(target)], filled_settings) == 0
    finally:
        stop.set()
        writer.join()
    assert rounds
    assert main(["restore", str(target)], other_settings(tmp_path)) == 0


def test_copied_database_needs_no_other_file(filled_settings: Settings, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    copy_database(filled_settings.data_dir / "walkaround.db", target)
    with contextlib.closing(sqlite3.connect(target)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert connection.execute("SELECT count(*) FROM file").fetchone() == (2,)


def test_backup_overwrites_nothing(
    archive: Path, filled_settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = archive.read_bytes()
    assert main(["backup", str(archive)], filled_settings) == 1
    assert "exists already" in capsys.readouterr().err
    assert archive.read_bytes() == before
    assert main(["backup", str(filled_settings.data_dir / "in.zip")], filled_settings) == 1
    assert main(["backup", str(tmp_path / "x.zip")], other_settings(tmp_path)) == 1
    assert "there is no data" in capsys.readouterr().err


def test_damaged_file_is_backed_up_and_reported(
    filled_settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blob = next(
        path
        for path in filled_settings.files_dir.rglob("*")
        if path.is_file() and path.parent.name != "incoming"
    )
    blob.write_bytes(b"something else")
    assert main(["backup", str(tmp_path / "x.zip")], filled_settings) == 1
    assert blob.name in capsys.readouterr().err
    assert (tmp_path / "x.zip").exists()


def test_restore_does_not_sign_an_invalid_log(
    filled_settings: Settings, database: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def cut(session: Any) -> None:
        session.execute(text("DROP TRIGGER audit_event_no_delete"))
        session.execute(text("DELETE FROM audit_event WHERE seq = 3"))

    database.write_now(cut)
    assert main(["backup", str(tmp_path / "x.zip")], filled_settings) == 1
    assert "audit log" in capsys.readouterr().err
    new = other_settings(tmp_path)
    assert main(["restore", str(tmp_path / "x.zip")], new) == 1
    assert "row 3 is missing" in capsys.readouterr().out
    restored = Database(new.url)
    try:
        assert AuditService(restored, new).verify().problems
    finally:
        restored.close()


def test_restore_keeps_existing_data_unless_forced(
    archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = other_settings(tmp_path)
    assert main(["restore", str(archive)], new) == 0
    database = new.data_dir / "walkaround.db"
    before = database.read_bytes()
    assert main(["restore", str(archive)], new) == 1
    assert "is not empty" in capsys.readouterr().err
    assert database.read_bytes() == before
    # The newest changes may be only in the write-ahead log, which SQLite would apply to the restored
    # database.
    log = database.with_name("walkaround.db-wal")
    log.write_bytes(b"written last")
    assert main(["restore", str(archive), "--force"], new) == 0
    set_aside = [path for path in new.data_dir.iterdir() if ".before-restore-" in path.name]
    assert [path.read_bytes() for path in set_aside if not path.name.endswith(("-wal", "-shm"))] == [before]
    assert [path.read_bytes() for path in set_aside if path.name.endswith("-wal")] == [b"written last"]


def test_restore_ignores_a_stale_lock(archive: Path, tmp_path: Path) -> None:
    new = other_settings(tmp_path)
    new.data_dir.mkdir(parents=True, exist_ok=True)
    (new.data_dir / "service.lock").touch()
    assert main(["restore", str(archive)], new) == 0


def test_restore_is_refused_while_a_service_runs(
    archive: Path, filled_settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    with FileLock(filled_settings.data_dir / "service.lock"):
        assert main(["restore", str(archive), "--force"], filled_settings) == 1
    assert "a service is running" in capsys.readouterr().err
    with lock_database(filled_settings.database_file):
        assert main(["restore", str(archive), "--force"], filled_settings) == 1
    assert "a service is running" in capsys.readouterr().err
    with lock_data_folder(filled_settings.data_dir, alone=False):
        assert main(["restore", str(archive), "--force"], filled_settings) == 1
    assert "a service is running" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "data/../../evil",
        "/etc/passwd",
        "data//x",
        "data/./x",
        "data",
        "secrets/../x.key",
        "secrets/a/b.key",
        "secrets/x.txt",
        "other/x",
        "C:/x",
        "data/C:x",
        "data/a\\..\\..\\evil",
        "data/x\x00y",
        "data/dots.../x",
        "data/secret.key",
        "data/walkaround.db-wal",
    ],
)
def test_members_outside_the_data_directory_are_refused(archive: Path, tmp_path: Path, name: str) -> None:
    assert not is_safe(name)
    if "\x00" in name:
        return
    sha256 = "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"

    def add(manifest: dict[str, Any]) -> None:
        manifest["entries"].append({"name": name, "size": 1, "sha256": sha256})

    new = other_settings(tmp_path)
    assert main(["restore", str(rewrite_archive(archive, add, **{name: b"\x00"}))], new) == 1
    assert not new.data_dir.exists()


@hypothesis_settings(deadline=None, max_examples=200)
@given(st.text(alphabet="./\\:ab ", max_size=20).map(lambda tail: f"data/{tail}"))
def test_safe_names_stay_inside_the_directory(name: str) -> None:
    if is_safe(name):
        root = Path("/somewhere").resolve()
        inside = os.path.normpath(root / name)
        assert inside.startswith(f"{root}{os.sep}data{os.sep}")


def _add_entry(manifest: dict[str, Any]) -> None:
    manifest["entries"].append({"name": "data/more", "size": 1, "sha256": "0" * 64})


def _shrink_size(manifest: dict[str, Any]) -> None:
    manifest["entries"][0]["size"] -= 1


def _set_newer_format(manifest: dict[str, Any]) -> None:
    manifest["revision"] = "9999"


def _repeat_entry(manifest: dict[str, Any]) -> None:
    manifest["entries"].append(manifest["entries"][0])


def _change_format(manifest: dict[str, Any]) -> None:
    manifest["format"] = 3


def _keep(manifest: dict[str, Any]) -> None:
    pass


@pytest.mark.parametrize(
    ("change", "replaced"),
    [
        (_add_entry, {}),
        (_shrink_size, {}),
        (_set_newer_format, {}),
        (_repeat_entry, {}),
        (_change_format, {}),
        (_keep, {DATABASE: b"another database"}),
        (_keep, {"data/unlisted": b"x"}),
    ],
)
def test_archive_that_differs_from_its_manifest_changes_nothing(
    archive: Path, tmp_path: Path, change: Any, replaced: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    new = other_settings(tmp_path)
    assert main(["restore", str(rewrite_archive(archive, change, **replaced))], new) == 1
    assert capsys.readouterr().err.startswith("restore failed: ")
    left = list(new.data_dir.iterdir()) if new.data_dir.exists() else []
    assert [path.name for path in left] in ([], ["service.lock"])


@pytest.mark.parametrize("content", [b"", b"words", b"PK\x05\x06" + bytes(18)])
def test_other_file_is_not_an_archive(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(content)
    assert main(["restore", str(path)], other_settings(tmp_path)) == 1
    assert main(["restore", str(tmp_path / "nothing.zip")], other_settings(tmp_path)) == 1


def test_changed_byte_is_found(archive: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(archive) as opened:
        start = opened.getinfo("data/models/pack/model.onnx").header_offset
    data = bytearray(archive.read_bytes())
    place = data.index(b"content of models", start)
    data[place] ^= 1
    archive.write_bytes(data)
    assert main(["restore", str(archive)], other_settings(tmp_path)) == 1


def test_help_lists_the_options(capsys: pytest.CaptureFixture[str], settings: Settings) -> None:
    for command, option in (("backup", "--with-secrets"), ("restore", "--force")):
        with pytest.raises(SystemExit) as ended:
            main([command, "--help"], settings)
        assert ended.value.code == 0
        assert option in capsys.readouterr().out


@pytest.mark.parametrize(("answer", "status"), [("yes", 0), ("", 1)])
def test_restore_over_data_explains_the_keys_and_asks_at_a_terminal(
    archive: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answer: str,
    status: int,
) -> None:
    settings = Settings(data_dir=tmp_path / "filled")
    settings.data_dir.mkdir()
    (settings.data_dir / "notes.txt").write_bytes(b"data")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda _text: answer)
    assert main(["restore", str(archive)], settings) == status
    assert "copy its secret.key and face.key" in capsys.readouterr().out
    assert (settings.data_dir / "walkaround.db").exists() is (status == 0)
