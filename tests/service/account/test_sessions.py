"""Tests how sessions begin, continue and end, on both databases."""

from __future__ import annotations

import asyncio
import datetime as dt

import pytest
from pydantic import SecretStr
from sqlalchemy import select, update
from sqlmodel import col

from service.account.logins import RefreshExchange, refresh_hash
from service.account.service import AccountService
from service.account.tables import LoginSession, SpentRefreshToken, User
from service.changes import ObjectChange
from service.db.database import Database
from service.settings import Settings
from service.web.envelope import Problem, Refusal
from service.web.security import Caller
from shared.record.codes import Permission, Role
from shared.wire.account import Tokens, UserUpdate
from tests.service.account.conftest import (
    CHIEF_LOGIN,
    HOME_ADDRESS,
    INSPECTOR_LOGIN,
    SettableClock,
    create_first_admin,
    create_inspector,
    log_in,
)

pytestmark = pytest.mark.both_databases


async def _is_logged_in(accounts: AccountService, tokens: Tokens) -> bool:
    answer = (
        await asyncio.gather(accounts.authenticate(tokens.access_token, HOME_ADDRESS), return_exceptions=True)
    )[0]
    if isinstance(answer, Caller):
        return True
    assert isinstance(answer, Problem)
    assert (answer.status, answer.msg) == (401, "请先登录")
    return False


async def _refresh(accounts: AccountService, tokens: Tokens) -> Tokens:
    return await accounts.logins.refresh(SecretStr(tokens.refresh_token), HOME_ADDRESS)


async def _refusal_code(accounts: AccountService, tokens: Tokens) -> str:
    with pytest.raises(Problem) as caught:
        await _refresh(accounts, tokens)
    assert caught.value.status == 401
    return caught.value.error


async def test_refresh_tokens_rotate_and_the_access_token_stays_valid(accounts: AccountService) -> None:
    tokens = await create_first_admin(accounts)
    refresh_tokens = {tokens.refresh_token}
    for _ in range(3):
        old, tokens = tokens, await _refresh(accounts, tokens)
        assert await _is_logged_in(accounts, old)
        assert await _is_logged_in(accounts, tokens)
        refresh_tokens.add(tokens.refresh_token)
    assert len(refresh_tokens) == 4


async def test_tokens_are_stored_hashed(accounts: AccountService, database: Database) -> None:
    tokens = await _refresh(accounts, await create_first_admin(accounts))
    stored = database.read_now(
        lambda session: [
            *session.scalars(select(col(LoginSession.refresh_hash))),
            *session.scalars(select(col(SpentRefreshToken.refresh_hash))),
        ]
    )
    assert len(stored) == 2
    assert all(len(text) == 64 and text not in tokens.refresh_token for text in stored)


@pytest.mark.parametrize("seconds", [10.001, 3600.0, -10.001])
async def test_late_spent_refresh_token_ends_its_session(
    accounts: AccountService, changes: list[ObjectChange], clock: SettableClock, seconds: float
) -> None:
    stolen_token = await create_first_admin(accounts)
    owner = await _refresh(accounts, stolen_token)
    other = await log_in(accounts, CHIEF_LOGIN)
    clock.advance(seconds)
    assert await _refusal_code(accounts, stolen_token) == "login_expired"
    assert not await _is_logged_in(accounts, owner)
    assert await _refusal_code(accounts, owner) == "not_logged_in"
    assert await _is_logged_in(accounts, other)
    assert [change.action for change in changes].count("refresh_reused") == 1


@pytest.mark.parametrize(
    ("address", "agent"), [("127.0.0.2", "tab"), (HOME_ADDRESS, "another program"), (HOME_ADDRESS, "")]
)
async def test_spent_refresh_token_from_another_client_ends_its_session(
    accounts: AccountService, changes: list[ObjectChange], address: str, agent: str
) -> None:
    stolen_token = await create_first_admin(accounts)
    owner = await accounts.logins.refresh(SecretStr(stolen_token.refresh_token), HOME_ADDRESS, "tab")
    with pytest.raises(Problem) as caught:
        await accounts.logins.refresh(SecretStr(stolen_token.refresh_token), address, agent)
    assert caught.value.error == "login_expired"
    assert not await _is_logged_in(accounts, owner)
    assert [change.action for change in changes].count("refresh_reused") == 1


async def test_spent_refresh_token_returns_the_same_tokens_to_the_same_client(
    accounts: AccountService, changes: list[ObjectChange], clock: SettableClock
) -> None:
    # Access tokens are checked by the real time.
    clock.advance(-300)
    spent = await create_first_admin(accounts)
    first_tokens = await _refresh(accounts, spent)
    clock.advance(10)
    assert await _refresh(accounts, spent) == first_tokens
    # Those tokens may be spent too by then: the client continues from them.
    after = await _refresh(accounts, first_tokens)
    assert await _refresh(accounts, first_tokens) == after
    assert await _is_logged_in(accounts, after)
    assert "refresh_reused" not in [change.action for change in changes]


async def test_spent_refresh_token_of_an_ended_session_is_refused(accounts: AccountService) -> None:
    spent = await create_first_admin(accounts)
    first_tokens = await _refresh(accounts, spent)
    await accounts.logins.log_out(SecretStr(first_tokens.refresh_token), HOME_ADDRESS)
    assert await _refusal_code(accounts, spent) == "not_logged_in"


async def test_token_spent_by_an_older_version_is_refused(
    accounts: AccountService, database: Database
) -> None:
    spent = await create_first_admin(accounts)
    await _refresh(accounts, spent)
    older = update(SpentRefreshToken).values(seed=None, client=None)
    database.write_now(lambda session: session.execute(older))
    assert await _refusal_code(accounts, spent) == "login_expired"


@pytest.mark.parametrize("number", [5, 20])
async def test_parallel_refreshes_with_one_token_return_the_same_tokens(
    accounts: AccountService, changes: list[ObjectChange], number: int
) -> None:
    tokens = await create_first_admin(accounts)
    answers = await asyncio.gather(*(_refresh(accounts, tokens) for _ in range(number)))
    assert all(answer == answers[0] for answer in answers)
    assert await _is_logged_in(accounts, answers[0])
    assert await _is_logged_in(accounts, await _refresh(accounts, answers[0]))
    assert "refresh_reused" not in [change.action for change in changes]


async def test_two_service_processes_return_the_same_tokens(
    accounts: AccountService, database_url: str, settings: Settings, clock: SettableClock
) -> None:
    tokens = await create_first_admin(accounts)
    other_service = Database(database_url)
    other = AccountService(other_service, settings, clock=clock)
    try:
        answers = await asyncio.gather(
            *(_refresh(each, tokens) for each in (accounts, other, accounts, other, other))
        )
        assert all(answer == answers[0] for answer in answers)
        assert await _is_logged_in(other, answers[0])
    finally:
        other.close()
        other_service.close()


async def test_next_refresh_token_cannot_be_computed_from_the_database(
    accounts: AccountService, database: Database, settings: Settings
) -> None:
    spent = await create_first_admin(accounts)
    tokens = await _refresh(accounts, spent)
    row = database.read_now(
        lambda session: session.get_one(SpentRefreshToken, refresh_hash(spent.refresh_token))
    )
    assert row.seed is not None
    assert row.client is not None
    for text in (spent.refresh_token, tokens.refresh_token, tokens.access_token, HOME_ADDRESS):
        assert text not in (row.seed, row.client)
    real_exchange = RefreshExchange(settings.load_signing_secret())
    assert real_exchange.successor(spent.refresh_token, row.seed).refresh == tokens.refresh_token
    for exchange, token, seed in (
        (RefreshExchange(b"another secret"), spent.refresh_token, row.seed),
        (real_exchange, spent.refresh_token + "x", row.seed),
        (real_exchange, spent.refresh_token, RefreshExchange.new_seed()),
    ):
        assert exchange.successor(token, seed).refresh != tokens.refresh_token


async def test_unknown_refresh_token_is_refused(accounts: AccountService) -> None:
    for text in ("", "x", "\ud800", "令牌"):
        with pytest.raises(Problem) as caught:
            await accounts.logins.refresh(SecretStr(text), HOME_ADDRESS)
        assert caught.value.error == "not_logged_in"


async def test_session_expires_without_refreshes(
    accounts: AccountService, clock: SettableClock, settings: Settings
) -> None:
    tokens = await create_first_admin(accounts)
    clock.advance(settings.refresh_token_seconds - 1)
    tokens = await _refresh(accounts, tokens)
    clock.advance(settings.refresh_token_seconds)
    assert await _refusal_code(accounts, tokens) == "login_expired"


async def test_session_ends_after_ninety_days_of_refreshes(
    accounts: AccountService, clock: SettableClock, settings: Settings
) -> None:
    tokens = await create_first_admin(accounts)
    start = clock.at
    for _ in range(12):
        clock.advance(settings.refresh_token_seconds / 2)
        tokens = await _refresh(accounts, tokens)
    assert clock.at - start == dt.timedelta(days=84)
    clock.advance(settings.refresh_token_seconds / 2)
    assert await _refusal_code(accounts, tokens) == "login_expired"


async def test_logout_ends_the_session_immediately(
    accounts: AccountService, changes: list[ObjectChange]
) -> None:
    tokens, other = await create_first_admin(accounts), await log_in(accounts, CHIEF_LOGIN)
    assert await _is_logged_in(accounts, tokens)
    for _ in range(2):
        await accounts.logins.log_out(SecretStr(tokens.refresh_token), HOME_ADDRESS)
    assert not await _is_logged_in(accounts, tokens)
    assert await _refusal_code(accounts, tokens) == "not_logged_in"
    assert await _is_logged_in(accounts, other)
    assert [change.action for change in changes].count("logout") == 1


async def test_logout_with_a_spent_refresh_token_ends_the_session(accounts: AccountService) -> None:
    spent = await create_first_admin(accounts)
    tokens = await _refresh(accounts, spent)
    await accounts.logins.log_out(SecretStr(spent.refresh_token), HOME_ADDRESS)
    assert not await _is_logged_in(accounts, tokens)


async def test_disabling_ends_sessions_immediately_and_enabling_restores_none(
    accounts: AccountService,
) -> None:
    tokens = await create_inspector(accounts)
    assert await _is_logged_in(accounts, tokens)
    admin = await accounts.authenticate((await log_in(accounts, CHIEF_LOGIN)).access_token, HOME_ADDRESS)
    user_id = tokens.payload.user.user_id
    await accounts.update_user(admin, user_id, UserUpdate(enabled=False))
    assert not await _is_logged_in(accounts, tokens)
    assert await _refusal_code(accounts, tokens) == "not_logged_in"
    assert not await accounts.may_log_in(user_id)
    with pytest.raises(Refusal, match="用户名或密码错误"):
        await log_in(accounts, INSPECTOR_LOGIN)
    with pytest.raises(Problem):
        await accounts.logins.log_in_user(user_id, ("face",), HOME_ADDRESS)
    await accounts.update_user(admin, user_id, UserUpdate(enabled=True))
    assert not await _is_logged_in(accounts, tokens)
    assert await _is_logged_in(accounts, await log_in(accounts, INSPECTOR_LOGIN))


async def test_withdrawn_permission_takes_effect_immediately(accounts: AccountService) -> None:
    tokens = await create_inspector(accounts)
    caller = await accounts.authenticate(tokens.access_token, HOME_ADDRESS)
    assert Permission.INSPECTION_ADD in caller.permissions
    admin = await accounts.authenticate((await log_in(accounts, CHIEF_LOGIN)).access_token, HOME_ADDRESS)
    await accounts.update_user(admin, caller.user_id, UserUpdate(roles=[Role.VIEWER]))
    caller = await accounts.authenticate(tokens.access_token, HOME_ADDRESS)
    assert Permission.INSPECTION_ADD not in caller.permissions
    assert (await accounts.me(caller)).role == [Role.VIEWER]


async def test_new_password_ends_the_other_sessions(accounts: AccountService) -> None:
    tokens, other = await create_inspector(accounts), await log_in(accounts, INSPECTOR_LOGIN)
    caller = await accounts.authenticate(tokens.access_token, HOME_ADDRESS)
    await accounts.update_password(caller, SecretStr(INSPECTOR_LOGIN[1]), SecretStr("quite-another-one"))
    assert await _is_logged_in(accounts, tokens)
    assert not await _is_logged_in(accounts, other)
    assert await _refusal_code(accounts, other) == "not_logged_in"


async def test_password_set_by_an_administrator_ends_every_session(accounts: AccountService) -> None:
    tokens = await create_inspector(accounts)
    admin = await accounts.authenticate((await log_in(accounts, CHIEF_LOGIN)).access_token, HOME_ADDRESS)
    change = UserUpdate(password=SecretStr("quite-another-one"))
    await accounts.update_user(admin, tokens.payload.user.user_id, change)
    assert not await _is_logged_in(accounts, tokens)
    assert await _is_logged_in(accounts, await log_in(accounts, (INSPECTOR_LOGIN[0], "quite-another-one")))


async def test_session_ended_by_another_process_is_refused_immediately(
    accounts: AccountService, database_url: str, settings: Settings
) -> None:
    tokens = await create_inspector(accounts)
    assert await _is_logged_in(accounts, tokens)
    other_service = Database(database_url)
    other = AccountService(other_service, settings)
    try:
        assert await _is_logged_in(other, tokens)
        await other.logins.log_out(SecretStr(tokens.refresh_token), HOME_ADDRESS)
    finally:
        other.close()
        other_service.close()
    assert not await _is_logged_in(accounts, tokens)


async def test_face_login_has_its_method_and_no_recent_password(accounts: AccountService) -> None:
    user_id = (await create_first_admin(accounts)).payload.user.user_id
    tokens = await accounts.logins.log_in_user(user_id, ("face",), "10.0.0.9")
    caller = await accounts.authenticate(tokens.access_token, "10.0.0.9")
    assert (caller.methods, caller.password_at, caller.address) == (("face",), None, "10.0.0.9")


async def test_refresh_keeps_the_time_of_the_password(accounts: AccountService, clock: SettableClock) -> None:
    # Access tokens are checked by the real time.
    clock.advance(-300)
    tokens = await create_first_admin(accounts)
    login_at = clock.at
    clock.advance(60)
    caller = await accounts.authenticate((await _refresh(accounts, tokens)).access_token, HOME_ADDRESS)
    assert caller.password_at == login_at


async def test_old_sessions_are_deleted(
    accounts: AccountService, clock: SettableClock, database: Database
) -> None:
    await create_first_admin(accounts)
    clock.advance(dt.timedelta(days=100).total_seconds())
    await log_in(accounts, CHIEF_LOGIN)
    ids = database.read_now(lambda session: list(session.scalars(select(col(LoginSession.id)))))
    assert len(ids) == 1


async def test_parallel_first_runs_create_one_administrator(
    accounts: AccountService, database: Database
) -> None:
    assert await accounts.needs_first_run()
    answers = await asyncio.gather(
        *(
            accounts.first_run(f"chief-{number}", SecretStr("correct-horse-battery"), None, HOME_ADDRESS)
            for number in range(12)
        ),
        return_exceptions=True,
    )
    assert sum(isinstance(answer, Tokens) for answer in answers) == 1
    assert {answer.status for answer in answers if isinstance(answer, Problem)} == {409}
    assert not await accounts.needs_first_run()
    names = database.read_now(lambda session: list(session.scalars(select(col(User.username)))))
    assert len(names) == 1


async def test_two_administrators_who_disable_each_other_leave_one(accounts: AccountService) -> None:
    tokens = await create_inspector(accounts)
    first = await accounts.authenticate((await log_in(accounts, CHIEF_LOGIN)).access_token, HOME_ADDRESS)
    second = tokens.payload.user.user_id
    await accounts.update_user(first, second, UserUpdate(roles=[Role.ADMIN]))
    answers = await asyncio.gather(
        accounts.update_user(first, second, UserUpdate(enabled=False)),
        accounts.update_user(first, first.user_id, UserUpdate(roles=[Role.VIEWER])),
        return_exceptions=True,
    )
    refused = [answer for answer in answers if isinstance(answer, Problem)]
    assert [problem.msg for problem in refused] == ["必须保留至少一名启用的管理员"]
