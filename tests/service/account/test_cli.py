from __future__ import annotations

import asyncio
import getpass
import io
import subprocess
import sys
import warnings

import pytest
from pydantic import SecretStr
from sqlalchemy import text
from sqlmodel import Session

from service.account import cli
from service.account.service import AccountService
from service.changes import ObjectChange
from service.db.database import Database
from service.settings import Settings
from service.web.envelope import Problem
from shared.record.codes import Role
from tests.service.account.conftest import (
    CHIEF_LOGIN,
    HOME_ADDRESS,
    INSPECTOR_LOGIN,
    create_first_admin,
    create_inspector,
    log_in,
)

pytestmark = pytest.mark.both_databases


class UserCommand:
    """Runs `walkaround user` with simulated keyboard input."""

    def __init__(
        self, settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.settings, self.monkeypatch, self.capsys = settings, monkeypatch, capsys
        self.changes: list[ObjectChange] = []

    def _collect(self, _session: Session, changes: list[ObjectChange]) -> None:
        self.changes.extend(changes)

    def __call__(self, *arguments: str, typed: str = "") -> tuple[int, str, str]:
        self.monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        status = cli.main(["user", *arguments], self.settings, [self._collect])
        output = self.capsys.readouterr()
        return status, output.out, output.err


@pytest.fixture
def run_command(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> UserCommand:
    return UserCommand(settings, monkeypatch, capsys)


def _add_user(run_command: UserCommand, who: tuple[str, str], *roles: str) -> tuple[int, str, str]:
    options = [word for role in roles for word in ("--role", role)]
    return run_command("add", who[0], *options, "--password-stdin", typed=f"{who[1]}\r\n")


def test_added_user_can_log_in(run_command: UserCommand, accounts: AccountService) -> None:
    status, output, _ = _add_user(run_command, CHIEF_LOGIN, "admin", "viewer")
    assert (status, output) == (0, "added chief\n")
    payload = asyncio.run(log_in(accounts, CHIEF_LOGIN)).payload
    assert payload.role == [Role.ADMIN, Role.VIEWER]
    assert [change.action for change in run_command.changes] == ["create"]
    assert CHIEF_LOGIN[1] not in repr(run_command.changes)


def test_list_shows_every_user(run_command: UserCommand) -> None:
    _add_user(run_command, CHIEF_LOGIN, "admin")
    run_command(
        "add", "zhang", "--role", "inspector", "--name", "张伟", "--password-stdin", typed="pass-of-zhang-1"
    )
    run_command("disable", "ZHANG")
    assert run_command("list")[1].splitlines() == [
        "chief\tadmin\tenabled\t",
        "zhang\tinspector\tdisabled\t张伟",
    ]


def test_refused_command_prints_the_reason_and_changes_nothing(run_command: UserCommand) -> None:
    _add_user(run_command, CHIEF_LOGIN, "admin")
    for arguments, typed, reason in (
        (("add", "Chief", "--role", "viewer", "--password-stdin"), "correct-horse-1", "taken"),
        (("add", "a b", "--role", "viewer", "--password-stdin"), "correct-horse-1", "spaces"),
        (("add", "zhang", "--role", "viewer", "--password-stdin"), "short", "8 to 128"),
        (("add", "zhang", "--role", "viewer", "--password-stdin"), "password123", "too common"),
        (("add", "zhangzhang", "--role", "viewer", "--password-stdin"), "ZhangZhang", "must not be"),
        (("disable", "chief"), "", "last enabled admin"),
        (("disable", "nobody"), "", "there is no user 'nobody'"),
        (("password", "nobody", "--password-stdin"), "correct-horse-1", "there is no user"),
        (("password", "chief", "--password-stdin"), "", "8 to 128"),
    ):
        status, output, error = run_command(*arguments, typed=typed)
        assert (status, output) == (1, ""), arguments
        assert reason in error
    assert run_command("list")[1] == "chief\tadmin\tenabled\t\n"


@pytest.mark.parametrize(
    "arguments", [(), ("add",), ("add", "x"), ("add", "x", "--role", "root"), ("drop", "x")]
)
def test_wrong_usage_exits_with_2(run_command: UserCommand, arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as caught:
        run_command(*arguments)
    assert caught.value.code == 2


def test_disabling_ends_the_sessions_of_a_running_service_immediately(
    run_command: UserCommand, accounts: AccountService
) -> None:
    async def is_logged_in(token: str) -> bool:
        try:
            await accounts.authenticate(token, HOME_ADDRESS)
        except Problem:
            return False
        return True

    tokens = asyncio.run(create_inspector(accounts))
    assert asyncio.run(is_logged_in(tokens.access_token))
    assert run_command("disable", INSPECTOR_LOGIN[0])[:2] == (0, "disabled zhang\n")
    assert not asyncio.run(is_logged_in(tokens.access_token))
    assert run_command("enable", INSPECTOR_LOGIN[0])[:2] == (0, "enabled zhang\n")
    assert not asyncio.run(is_logged_in(tokens.access_token))
    assert asyncio.run(is_logged_in(asyncio.run(log_in(accounts, INSPECTOR_LOGIN)).access_token))


def test_new_password_ends_the_sessions(run_command: UserCommand, accounts: AccountService) -> None:
    tokens = asyncio.run(create_first_admin(accounts))
    status, output, _ = run_command("password", "chief", "--password-stdin", typed="quite-another-one\n")
    assert (status, output) == (0, "changed the password of chief\n")
    with pytest.raises(Problem):
        asyncio.run(accounts.authenticate(tokens.access_token, HOME_ADDRESS))
    with pytest.raises(Problem):
        asyncio.run(accounts.logins.refresh(SecretStr(tokens.refresh_token), HOME_ADDRESS))
    asyncio.run(log_in(accounts, ("chief", "quite-another-one")))


def test_typed_password_is_requested_twice(run_command: UserCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter(["correct-horse-1", "correct-horse-2", "correct-horse-1", "correct-horse-1"])
    monkeypatch.setattr("getpass.getpass", lambda _prompt: next(typed))
    status, _, error = run_command("add", "chief", "--role", "admin")
    assert status == 1
    assert "differ" in error
    assert run_command("add", "chief", "--role", "admin")[0] == 0


@pytest.mark.parametrize("problem", [getpass.GetPassWarning("no echo"), EOFError()], ids=repr)
def test_password_without_a_terminal_names_the_option(
    run_command: UserCommand, monkeypatch: pytest.MonkeyPatch, problem: Exception
) -> None:
    def refuse(_prompt: str) -> str:
        if isinstance(problem, Warning):
            warnings.warn(problem, stacklevel=1)
            raise EOFError
        raise problem

    monkeypatch.setattr("getpass.getpass", refuse)
    status, _, error = run_command("add", "chief", "--role", "admin")
    assert status == 1
    assert "--password-stdin" in error


def test_command_is_available_on_the_command_line(settings: Settings) -> None:
    command = [sys.executable, "-m", "shared", "user", "list", "--data-dir", str(settings.data_dir)]
    url = ["--database-url", settings.database_url]
    run = subprocess.run([*command, *url], capture_output=True, text=True, timeout=60, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_command_leaves_the_write_ahead_log_to_a_running_service(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, database: Database
) -> None:
    if not database.is_sqlite:
        pytest.skip("there is no such log on PostgreSQL")
    pages = []

    def count_pages(session: Session, _changes: list[ObjectChange]) -> None:
        pages.append(session.execute(text("PRAGMA wal_autocheckpoint")).scalar())

    monkeypatch.setattr(sys, "stdin", io.StringIO(CHIEF_LOGIN[1]))
    arguments = ["user", "add", "chief", "--role", "admin", "--password-stdin"]
    assert cli.main(arguments, settings, [count_pages]) == 0
    assert pages == [0]
