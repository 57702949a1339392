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
from shared.codes import Role
from tests.service.account.conftest import CHIEF, HOME, INSPECTOR, create_inspector, first_admin, log_in


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def database_kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class Shell:
    """Runs `walkaround user` as a person would, with what they type."""

    def __init__(
        self, settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.settings, self.monkeypatch, self.capsys = settings, monkeypatch, capsys
        self.changes: list[ObjectChange] = []

    def _listen(self, _session: Session, changes: list[ObjectChange]) -> None:
        self.changes.extend(changes)

    def __call__(self, *arguments: str, typed: str = "") -> tuple[int, str, str]:
        self.monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        status = cli.main(["user", *arguments], self.settings, [self._listen])
        output = self.capsys.readouterr()
        return status, output.out, output.err


@pytest.fixture
def shell(settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(settings, monkeypatch, capsys)


def _add(shell: Shell, who: tuple[str, str], *roles: str) -> tuple[int, str, str]:
    options = [word for role in roles for word in ("--role", role)]
    return shell("add", who[0], *options, "--password-stdin", typed=f"{who[1]}\r\n")


def test_an_added_user_can_log_in(shell: Shell, accounts: AccountService) -> None:
    status, output, _ = _add(shell, CHIEF, "admin", "viewer")
    assert (status, output) == (0, "added chief\n")
    payload = asyncio.run(log_in(accounts, CHIEF)).payload
    assert payload.role == [Role.ADMIN, Role.VIEWER]
    assert [change.action for change in shell.changes] == ["create"]
    assert CHIEF[1] not in repr(shell.changes)


def test_list_names_every_user(shell: Shell) -> None:
    _add(shell, CHIEF, "admin")
    shell(
        "add", "zhang", "--role", "inspector", "--name", "张伟", "--password-stdin", typed="pass-of-zhang-1"
    )
    shell("disable", "ZHANG")
    assert shell("list")[1].splitlines() == ["chief\tadmin\tenabled\t", "zhang\tinspector\tdisabled\t张伟"]


def test_refused_command_prints_the_reason_and_changes_nothing(shell: Shell) -> None:
    _add(shell, CHIEF, "admin")
    for arguments, typed, why in (
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
        status, output, why_not = shell(*arguments, typed=typed)
        assert (status, output) == (1, ""), arguments
        assert why in why_not
    assert shell("list")[1] == "chief\tadmin\tenabled\t\n"


@pytest.mark.parametrize(
    "arguments", [(), ("add",), ("add", "x"), ("add", "x", "--role", "root"), ("drop", "x")]
)
def test_used_wrongly_it_ends_with_2(shell: Shell, arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as caught:
        shell(*arguments)
    assert caught.value.code == 2


def test_disabling_ends_the_logins_of_a_running_service_at_once(
    shell: Shell, accounts: AccountService
) -> None:
    async def is_logged_in(token: str) -> bool:
        try:
            await accounts.authenticate(token, HOME)
        except Problem:
            return False
        return True

    tokens = asyncio.run(create_inspector(accounts))
    assert asyncio.run(is_logged_in(tokens.access_token))
    assert shell("disable", INSPECTOR[0])[:2] == (0, "disabled zhang\n")
    assert not asyncio.run(is_logged_in(tokens.access_token))
    assert shell("enable", INSPECTOR[0])[:2] == (0, "enabled zhang\n")
    assert not asyncio.run(is_logged_in(tokens.access_token))
    assert asyncio.run(is_logged_in(asyncio.run(log_in(accounts, INSPECTOR)).access_token))


def test_a_new_password_ends_the_logins(shell: Shell, accounts: AccountService) -> None:
    tokens = asyncio.run(first_admin(accounts))
    status, output, _ = shell("password", "chief", "--password-stdin", typed="quite-another-one\n")
    assert (status, output) == (0, "changed the password of chief\n")
    with pytest.raises(Problem):
        asyncio.run(accounts.authenticate(tokens.access_token, HOME))
    with pytest.raises(Problem):
        asyncio.run(accounts.logins.refresh(SecretStr(tokens.refresh_token), HOME))
    asyncio.run(log_in(accounts, ("chief", "quite-another-one")))


def test_a_typed_password_is_asked_twice(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter(["correct-horse-1", "correct-horse-2", "correct-horse-1", "correct-horse-1"])
    monkeypatch.setattr("getpass.getpass", lambda _prompt: next(typed))
    status, _, why = shell("add", "chief", "--role", "admin")
    assert status == 1
    assert "differ" in why
    assert shell("add", "chief", "--role", "admin")[0] == 0


@pytest.mark.parametrize("problem", [getpass.GetPassWarning("no echo"), EOFError()], ids=repr)
def test_password_without_a_terminal_names_the_option(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, problem: Exception
) -> None:
    def refuse(_prompt: str) -> str:
        if isinstance(problem, Warning):
            warnings.warn(problem, stacklevel=1)
            raise EOFError
        raise problem

    monkeypatch.setattr("getpass.getpass", refuse)
    status, _, why = shell("add", "chief", "--role", "admin")
    assert status == 1
    assert "--password-stdin" in why


def test_the_command_is_found_from_the_command_line(settings: Settings) -> None:
    command = [sys.executable, "-m", "shared", "user", "list", "--data-dir", str(settings.data_dir)]
    url = ["--database-url", settings.url]
    done = subprocess.run([*command, *url], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_it_leaves_the_write_ahead_log_to_a_running_service(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, database: Database
) -> None:
    if not database.is_sqlite:
        pytest.skip("there is no such log on PostgreSQL")
    pages = []

    def listen(session: Session, _changes: list[ObjectChange]) -> None:
        pages.append(session.execute(text("PRAGMA wal_autocheckpoint")).scalar())

    monkeypatch.setattr(sys, "stdin", io.StringIO(CHIEF[1]))
    assert cli.main(["user", "add", "chief", "--role", "admin", "--password-stdin"], settings, [listen]) == 0
    assert pages == [0]
