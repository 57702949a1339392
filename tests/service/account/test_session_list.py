"""Tests that users and administrators can list and end sessions, on both databases and over HTTP."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr
from sqlmodel import select
from starlette.testclient import TestClient

from service.account import authentication, rules
from service.account.service import AccountService
from service.account.tables import LoginSession
from service.changes import ObjectChange
from service.db.database import Database
from service.settings import Settings
from service.web.envelope import Problem
from service.web.security import Caller
from shared.record.codes import Role
from shared.wire.account import Tokens
from tests.service.account.conftest import (
    CHIEF_LOGIN,
    HOME_ADDRESS,
    INSPECTOR_LOGIN,
    SettableClock,
    create_first_admin,
    create_inspector,
    log_in,
)

AsRole = Callable[..., TestClient]
WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0"

pytestmark = pytest.mark.both_databases


async def _caller(accounts: AccountService, tokens: Tokens) -> Caller:
    return await accounts.authenticate(tokens.access_token, HOME_ADDRESS)


async def _are_refused(accounts: AccountService, tokens: Tokens) -> bool:
    """Whether both tokens of a session are refused."""
    answers = await asyncio.gather(
        _caller(accounts, tokens),
        accounts.logins.refresh(SecretStr(tokens.refresh_token), HOME_ADDRESS),
        return_exceptions=True,
    )
    return all(isinstance(answer, Problem) and answer.status == 401 for answer in answers)


async def test_session_shows_time_method_address_and_program_of_the_login(
    accounts: AccountService, clock: SettableClock
) -> None:
    tokens = await create_inspector(accounts)
    clock.advance(60)
    phone = await accounts.logins.log_in(
        INSPECTOR_LOGIN[0], SecretStr(INSPECTOR_LOGIN[1]), "192.0.2.9", WINDOWS
    )
    by_face = await accounts.logins.log_in_user(
        phone.payload.user.user_id, ("face",), HOME_ADDRESS, "curl/8.5.0"
    )
    caller = await _caller(accounts, tokens)
    page = await accounts.sessions.find(caller, caller.user_id, 1, 50)
    assert page.pagination.total == 3
    by_program = {session.program: session for session in page.data}
    window = by_program["Firefox 130 · Windows"]
    assert (window.methods, window.address, window.current) == (["pwd"], "192.0.2.9", False)
    assert window.created_at == window.used_at == clock.at
    assert by_program["curl 8.5.0"].methods == ["face"]
    assert by_program[None].current
    assert [session.session_id for session in page.data if session.current] == [caller.session_id]
    assert by_face.payload.user.user_id == caller.user_id


async def test_last_use_is_in_memory_until_it_is_written(
    accounts: AccountService, clock: SettableClock
) -> None:
    tokens = await create_first_admin(accounts)
    start = clock.at
    for _ in range(20):
        clock.advance(10)
        caller = await _caller(accounts, tokens)

    async def last_used() -> dt.datetime:
        return (await accounts.sessions.find(caller, caller.user_id, 1, 50)).data[0].used_at

    assert await last_used() == start
    await accounts.session_use.write()
    assert await last_used() == start + dt.timedelta(seconds=200)


async def test_last_use_is_written_periodically_and_at_the_end(
    accounts: AccountService, clock: SettableClock, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_last_uses() -> list[dt.datetime | None]:
        return database.read_now(lambda session: list(session.exec(select(LoginSession.used_at))))

    written, write = asyncio.Event(), accounts.session_use.write

    async def write_and_signal() -> None:
        await write()
        written.set()

    monkeypatch.setattr(accounts.session_use, "write", write_and_signal)
    monkeypatch.setattr(authentication, "USE_SECONDS", 0.01)
    tokens = await create_first_admin(accounts)
    clock.advance(30)
    await _caller(accounts, tokens)
    accounts.session_use.start()
    async with asyncio.timeout(60):
        await written.wait()
    assert read_last_uses() == [clock.at]
    monkeypatch.setattr(authentication, "USE_SECONDS", 3600.0)
    clock.advance(30)
    await _caller(accounts, tokens)
    await accounts.session_use.stop()
    assert read_last_uses() == [clock.at]


async def test_later_use_in_another_process_is_not_overwritten(
    accounts: AccountService, clock: SettableClock, database: Database, settings: Settings
) -> None:
    tokens = await create_first_admin(accounts)
    other = AccountService(database, settings, clock=clock)
    clock.advance(10)
    caller = await _caller(accounts, tokens)
    clock.advance(10)
    await _caller(other, tokens)
    await other.session_use.write()
    await accounts.session_use.write()
    assert (await accounts.sessions.find(caller, caller.user_id, 1, 50)).data[0].used_at == clock.at
    other.close()


async def test_ended_session_is_refused_immediately_in_every_process(
    accounts: AccountService,
    clock: SettableClock,
    database: Database,
    settings: Settings,
    changes: list[ObjectChange],
) -> None:
    tokens, lost_tokens = await create_inspector(accounts), await log_in(accounts, INSPECTOR_LOGIN)
    # Another service process has cached the session.
    other = AccountService(database, settings, clock=clock)
    caller, other_caller = await _caller(other, tokens), await _caller(other, lost_tokens)
    changes.clear()
    await accounts.sessions.end(caller, caller.user_id, other_caller.session_id)
    assert await _are_refused(accounts, lost_tokens)
    assert await _are_refused(other, lost_tokens)
    assert not await _are_refused(other, tokens)
    (end,) = [change for change in changes if change.action == "session_ended"]
    assert (end.kind, end.object_id, end.actor) == ("user", caller.user_id, caller.user_id)
    assert end.details == {"session_id": other_caller.session_id}
    with pytest.raises(Problem) as again:
        await accounts.sessions.end(caller, caller.user_id, other_caller.session_id)
    assert again.value.status == 404
    other.close()


async def test_ending_other_sessions_keeps_the_callers_session(
    accounts: AccountService, changes: list[ObjectChange]
) -> None:
    inspector_tokens = await create_inspector(accounts)
    others = [await log_in(accounts, INSPECTOR_LOGIN) for _ in range(3)]
    chief = await log_in(accounts, CHIEF_LOGIN)
    caller = await _caller(accounts, inspector_tokens)
    assert await accounts.sessions.end_others(caller, caller.user_id) == 3
    assert [await _are_refused(accounts, tokens) for tokens in (*others, chief, inspector_tokens)] == [
        True, True, True, False, False,
    ]  # fmt: skip

    (end,) = [change for change in changes if change.action == "sessions_ended"]
    assert end.details == {"count": 3}


async def test_ending_no_session_is_not_audited(
    accounts: AccountService, changes: list[ObjectChange]
) -> None:
    caller = await _caller(accounts, await create_inspector(accounts))
    assert await accounts.sessions.end_others(caller, caller.user_id) == 0
    assert "sessions_ended" not in [change.action for change in changes]


async def test_expired_sessions_are_not_listed_counted_or_ended(
    accounts: AccountService, clock: SettableClock
) -> None:
    clock.advance(-15 * 24 * 3600)
    await create_first_admin(accounts)
    clock.advance(15 * 24 * 3600)
    caller = await _caller(accounts, await log_in(accounts, CHIEF_LOGIN))
    assert (await accounts.sessions.find(caller, caller.user_id, 1, 50)).pagination.total == 1
    assert await accounts.sessions.end_others(caller, caller.user_id) == 0


def _sessions(client: TestClient, path: str) -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = client.get(path).json()["data"]["data"]
    return data


def test_administrator_can_list_and_end_sessions_of_a_user(as_role: AsRole) -> None:
    admin, inspector = as_role(Role.ADMIN), as_role(Role.INSPECTOR)
    user_id = inspector.get("/api/auth/me").json()["data"]["user"]["user_id"]
    (listed,) = _sessions(admin, f"/api/users/{user_id}/sessions")
    assert not listed["current"]
    inspector_sessions = _sessions(inspector, "/api/auth/sessions")
    assert [session["session_id"] for session in inspector_sessions if session["current"]] == [
        listed["session_id"]
    ]
    assert admin.delete(f"/api/users/{user_id}/sessions/{listed['session_id']}").json()["code"] == 0
    assert inspector.get("/api/auth/me").status_code == 401
    assert _sessions(admin, f"/api/users/{user_id}/sessions") == []
    entries = admin.get("/api/audit", params={"action": "session_ended"}).json()["data"]["data"]
    assert [entry["details"] for entry in entries] == [{"session_id": listed["session_id"]}]


def test_session_of_the_request_or_of_another_user_cannot_be_ended(as_role: AsRole) -> None:
    admin, inspector = as_role(Role.ADMIN), as_role(Role.INSPECTOR)
    (inspector_session,) = [
        session for session in _sessions(inspector, "/api/auth/sessions") if session["current"]
    ]
    answer = inspector.delete(f"/api/auth/sessions/{inspector_session['session_id']}")
    assert (answer.status_code, answer.json()["msg"]) == (409, "这是当前会话，请使用退出登录来结束")
    (admin_session,) = [session for session in _sessions(admin, "/api/auth/sessions") if session["current"]]
    assert inspector.delete(f"/api/auth/sessions/{admin_session['session_id']}").status_code == 404
    me = admin.get("/api/auth/me").json()["data"]["user"]["user_id"]
    assert admin.delete(f"/api/users/{me}/sessions/{admin_session['session_id']}").status_code == 409
    assert inspector.get(f"/api/users/{me}/sessions").status_code == 403
    assert inspector.delete(f"/api/users/{me}/sessions").status_code == 403
    assert admin.delete(f"/api/users/{me}/sessions").json()["code"] == 0
    assert admin.get("/api/auth/me").status_code == inspector.get("/api/auth/me").status_code == 200


@pytest.mark.parametrize(
    ("user_agent", "program"),
    [
        (WINDOWS, "Firefox 130 · Windows"),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
            "Chrome/128.0.0.0 Safari/537.36 Edg/128.0.0.0",
            "Edge 128 · Windows",
        ),
        (
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) "
            "Chrome/128.0.0.0 Mobile Safari/537.36",
            "Chrome 128 · Android",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) AppleWebKit/605.1.15 "
            "(KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1",
            "Safari 17 · iOS",
        ),
        ("Walkaround/0.1.0 (Linux)", "Walkaround 0.1.0 · Linux"),
        ("Walkaround/0.1.0 (Darwin)", "Walkaround 0.1.0 · macOS"),
        ("python-httpx/0.28.1", "python-httpx 0.28.1"),
        ("curl", "curl"),
        ("", None),
        ("Mozilla/5.0", None),
        ("<script>alert(1)</script>", None),
        ("\r\nforged", None),
    ],
)
def test_program_name_comes_from_the_user_agent(user_agent: str, program: str | None) -> None:
    assert rules.program_name(user_agent) == program


@given(st.text(max_size=600) | st.from_regex(r"[A-Za-z]{0,80}/[0-9.]{0,80} \(Windows\)"))
def test_program_name_fits_its_column_and_is_printable(user_agent: str) -> None:
    program = rules.program_name(user_agent)
    assert program is None or (len(program) <= 64 and program.isprintable())
