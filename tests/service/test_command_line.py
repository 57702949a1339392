"""Tests the service's commands as an administrator types them."""

from __future__ import annotations

import importlib
import io
from pathlib import Path

import pytest
from sqlmodel import select

from service.account.tables import User
from service.audit.service import AuditService
from service.audit.tables import AuditRow
from service.command_line import main
from service.db.database import Database
from service.settings import Settings
from shared.command_line import COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_module_of_every_command_can_be_imported(command: str) -> None:
    assert callable(importlib.import_module(COMMANDS[command][0]).main)


def test_user_added_by_a_command_exists_and_is_in_the_audit_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WALKAROUND_BCRYPT_COST", "4")
    # The command passes its options to child processes by the environment.
    monkeypatch.setenv("WALKAROUND_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("sys.stdin", io.StringIO("correct-horse-battery\n"))
    arguments = ["user", "add", "li.si", "--role", "planner", "--password-stdin", "--data-dir", str(tmp_path)]
    assert main(arguments) == 0
    settings = Settings(data_dir=tmp_path)
    database = Database(settings.url)
    try:
        users = database.read_now(lambda s: s.exec(select(User.username)).all())
        actions = database.read_now(lambda s: s.exec(select(AuditRow.action, AuditRow.kind)).all())
        assert users == ["li.si"]
        assert ("create", "user") in actions
        assert AuditService(database, settings).verify().problems == []
    finally:
        database.close()
    assert "correct-horse" not in "".join(capsys.readouterr())


def test_wrong_usage_of_a_command_prints_its_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--port", "many"])
    assert ended.value.code == 2
    assert "--port" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["serve"], ["user", "list"], ["model", "list"]])
def test_data_directory_that_cannot_be_created_is_reported_in_one_sentence(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("WALKAROUND_DATA_DIR", "")
    assert main([*command, "--data-dir", str(tmp_path / "file" / "data")]) == 1
    output = capsys.readouterr().err
    assert output.startswith(f"walkaround {command[0]}: ")
    assert str(tmp_path / "file") in output
    assert "Errno" not in output


def test_invalid_setting_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WALKAROUND_PORT", "")
    assert main(["serve", "--port", "99999"]) == 2
    assert "the setting port is invalid" in capsys.readouterr().err


@pytest.mark.parametrize(
    "address",
    [
        "nonsense:secret",
        "mysql://a:secret@host/b",
        "postgresql+asyncpg://a:secret@host/b",
        "postgresql://a:secret@host:port/b",
    ],
)
def test_invalid_database_address_is_not_repeated(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WALKAROUND_DATA_DIR", "")
    monkeypatch.setenv("WALKAROUND_DATABASE_URL", "")
    arguments = ["user", "list", "--data-dir", str(tmp_path), "--database-url", address]
    assert main(arguments) == 2
    output = capsys.readouterr().err
    assert "address of the database" in output
    assert "secret" not in output


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "METRICS",
            "127.0.0.1:99999",
            "the setting metrics is invalid: an address looks like 127.0.0.1:9177",
        ),
        ("WEBHOOK_ALLOWED_NETWORKS", '["10.1.2.3/8"]', "the setting webhook_allowed_networks is invalid: "),
        ("ALLOWED_ORIGINS", "https://tools.example", "A list is written as JSON"),
        ("TLS_CERT", "server.pem", "the settings are invalid: tls_cert and tls_key belong together"),
    ],
)
def test_invalid_setting_is_named_in_one_line(
    name: str, value: str, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(f"WALKAROUND_{name}", value)
    assert main(["serve"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert message in lines[0]
