"""How sessions begin, go on and end, on both databases."""

from __future__ import annotations

import asyncio
import datetime as dt

import pytest
from pydantic import SecretStr
from sqlalchemy import select, update
from sqlmodel import col

from service.account.service import AccountService
from service.account.tables import LoginSession, SpentRefreshToken, User
from service.account.tokens import RefreshExchange, refresh_hash
from service.changes import ObjectChange
from service.db.database import Database
from service.settings import Settings
from service.web.envelope import Problem, Refusal
from service.web.security import Caller
from shared.codes import Permission, Role
from shared.wire.account import Tokens, UserUpdate
from tests.service.account.conftest import (
    CHIEF,
    HOME,
    INSPECTOR,
    Clock,
    create_inspector,
    first_admin,
    log_in,
)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def database_kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def _is_logged_in(accounts: AccountService, tokens: Tokens) -> bool:
    answer = (await asyncio.gather(accounts.authenticate(tokens.access_token, HOME), return_exceptions=True))[
        0
    ]
    if isinstance(answer, Caller):
        return True
    assert isinstance(answer, Problem)
    assert (answer.status, answer.msg) == (401, "请先登录")
    return False


async def _refresh(accounts: AccountService, tokens: Tokens) -> Tokens:
    return await accounts.logins.refresh(SecretStr(tokens.refresh_token), HOME)


async def _refusal_code(accounts: AccountService, tokens: Tokens) -> str:
    with pytest.raises(Problem) as caught:
        await _refresh(accounts, tokens)
    assert caught.value.status == 401
    return caught.value.error


def test_refresh_tokens_rotate_and_the_access_token_stays_good(accounts: AccountService) -> None:
    async def play() -> None:
        tokens = await first_admin(accounts)
        refresh_tokens = {tokens.refresh_token}
        for _ in range(3):
            old, tokens = tokens, await _refresh(accounts, tokens)
            assert await _is_logged_in(accounts, old)
            assert await _is_logged_in(accounts, tokens)
            refresh_tokens.add(tokens.refresh_token)
        assert len(refresh_tokens) == 4

    asyncio.run(play())


def test_tokens_are_stored_hashed(accounts: AccountService, database: Database) -> None:
    async def play() -> Tokens:
        return await _refresh(accounts, await first_admin(accounts))

    tokens = asyncio.run(play())
    stored = database.read_now(
        lambda session: [
            *session.scalars(select(col(LoginSession.refresh_hash))),
            *session.scalars(select(col(SpentRefreshToken.refresh_hash))),
        ]
    )
    assert len(stored) == 2
    assert all(len(text) == 64 and text not in tokens.refresh_token for text in stored)


@pytest.mark.parametrize("seconds", [10.001, 3600.0, -10.001])
def test_late_spent_refresh_token_ends_its_session(
    accounts: AccountService, changes: list[ObjectChange], clock: Clock, seconds: float
) -> None:
    async def play() -> None:
        stolen = await first_admin(accounts)
        owner = await _refresh(accounts, stolen)
        other = await log_in(accounts, CHIEF)
        clock.forward(seconds)
        assert await _refusal_code(accounts, stolen) == "login_expired"
        assert not await _is_logged_in(accounts, owner)
        assert await _refusal_code(accounts, owner) == "not_logged_in"
        assert await _is_logged_in(accounts, other)

    asyncio.run(play())
    assert [change.action for change in changes].count("refresh_reused") == 1


@pytest.mark.parametrize(("address", "agent"), [("127.0.0.2", "tab"), (HOME, "another program"), (HOME, "")])
def test_a_spent_refresh_token_of_another_client_ends_its_session(
    accounts: AccountService, changes: list[ObjectChange], address: str, agent: str
) -> None:
    async def play() -> None:
        stolen = await first_admin(accounts)
        owner = await accounts.logins.refresh(SecretStr(stolen.refresh_token), HOME, "tab")
        with pytest.raises(Problem) as caught:
            await accounts.logins.refresh(SecretStr(stolen.refresh_token), address, agent)
        assert caught.value.error == "login_expired"
        assert not await _is_logged_in(accounts, owner)

    asyncio.run(play())
    assert [change.action for change in changes].count("refresh_reused") == 1


def test_a_spent_refresh_token_gives_the_same_client_the_tokens_of_the_first_time(
    accounts: AccountService, changes: list[ObjectChange], clock: Clock
) -> None:
    async def play() -> None:
        # Access tokens are read by the real time.
        clock.forward(-300)
        spent = await first_admin(accounts)
        winner = await _refresh(accounts, spent)
        clock.forward(10)
        assert await _refresh(accounts, spent) == winner
        # Those may be spent themselves by then: the way goes on from them.
        after = await _refresh(accounts, winner)
        assert await _refresh(accounts, winner) == after
        assert await _is_logged_in(accounts, after)

    asyncio.run(play())
    assert "refresh_reused" not in [change.action for change in changes]


def test_a_spent_refresh_token_gives_nothing_of_a_session_that_has_ended(accounts: AccountService) -> None:
    async def play() -> None:
        spent = await first_admin(accounts)
        winner = await _refresh(accounts, spent)
        await accounts.logins.log_out(SecretStr(winner.refresh_token), HOME)
        assert await _refusal_code(accounts, spent) == "not_logged_in"

    asyncio.run(play())


def test_a_token_that_an_older_version_spent_is_never_given_again(
    accounts: AccountService, database: Database
) -> None:
    async def play() -> None:
        spent = await first_admin(accounts)
        await _refresh(accounts, spent)
        older = update(SpentRefreshToken).values(seed=None, client=None)
        database.write_now(lambda session: session.execute(older))
        assert await _refusal_code(accounts, spent) == "login_expired"

    asyncio.run(play())


@pytest.mark.parametrize("number", [5, 20])
def test_refreshes_at_once_with_one_token_all_get_the_same_tokens(
    accounts: AccountService, changes: list[ObjectChange], number: int
) -> None:
    async def play() -> None:
        tokens = await first_admin(accounts)
        answers = await asyncio.gather(*(_refresh(accounts, tokens) for _ in range(number)))
        assert all(answer == answers[0] for answer in answers)
        assert await _is_logged_in(accounts, answers[0])
        assert await _is_logged_in(accounts, await _refresh(accounts, answers[0]))

    asyncio.run(play())
    assert "refresh_reused" not in [change.action for change in changes]


def test_two_service_processes_give_the_same_tokens(
    accounts: AccountService, database_url: str, settings: Settings, clock: Clock
) -> None:
    async def play() -> None:
        tokens = await first_admin(accounts)
        beside = Database(database_url)
        other = AccountService(beside, settings, clock=clock)
        try:
            answers = await asyncio.gather(
                *(_refresh(each, tokens) for each in (accounts, other, accounts, other, other))
            )
            assert all(answer == answers[0] for answer in answers)
            assert await _is_logged_in(other, answers[0])
        finally:
            other.close()
            beside.close()

    asyncio.run(play())


def test_nothing_in_the_database_leads_to_the_next_refresh_token(
    accounts: AccountService, database: Database, settings: Settings
) -> None:
    async def play() -> tuple[Tokens, Tokens]:
        spent = await first_admin(accounts)
        return spent, await _refresh(accounts, spent)

    spent, tokens = asyncio.run(play())
    row = database.read_now(
        lambda session: session.get_one(SpentRefreshToken, refresh_hash(spent.refresh_token))
    )
    assert row.seed is not None
    assert row.client is not None
    for text in (spent.refresh_token, tokens.refresh_token, tokens.access_token, HOME):
        assert text not in (row.seed, row.client)
    right = RefreshExchange(settings.load_signing_secret())
    assert right.successor(spent.refresh_token, row.seed).refresh == tokens.refresh_token
    for exchange, token, seed in (
        (RefreshExchange(b"another secret"), spent.refresh_token, row.seed),
        (right, spent.refresh_token + "x", row.seed),
        (right, spent.refresh_token, RefreshExchange.new_seed()),
    ):
        assert exchange.successor(token, seed).refresh != tokens.refresh_token


def test_unknown_refresh_token_is_refused(accounts: AccountService) -> None:
    async def play() -> None:
        for text in ("", "x", "\ud800", "令牌"):
            with pytest.raises(Problem) as caught:
                await accounts.logins.refresh(SecretStr(text), HOME)
            assert caught.value.error == "not_logged_in"

    asyncio.run(play())


def test_a_session_expires_without_refreshes(
    accounts: AccountService, clock: Clock, settings: Settings
) -> None:
    async def play() -> None:
        tokens = await first_admin(accounts)
        clock.forward(settings.refresh_token_seconds - 1)
        tokens = await _refresh(accounts, tokens)
        clock.forward(settings.refresh_token_seconds)
        assert await _refusal_code(accounts, tokens) == "login_expired"

    asyncio.run(play())


def test_a_session_ends_after_ninety_days_of_refreshes(
    accounts: AccountService, clock: Clock, settings: Settings
) -> None:
    async def play() -> None:
        tokens = await first_admin(accounts)
        start = clock.at
        for _ in range(12):
            clock.forward(settings.refresh_token_seconds / 2)
            tokens = await _refresh(accounts, tokens)
        assert clock.at - start == dt.timedelta(days=84)
        clock.forward(settings.refresh_token_seconds / 2)
        assert await _refusal_code(accounts, tokens) == "login_expired"

    asyncio.run(play())


def test_logout_ends_the_session_at_once(accounts: AccountService, changes: list[ObjectChange]) -> None:
    async def play() -> None:
        tokens, other = await first_admin(accounts), await log_in(accounts, CHIEF)
        assert await _is_logged_in(accounts, tokens)
        for _ in range(2):
            await accounts.logins.log_out(SecretStr(tokens.refresh_token), HOME)
        assert not await _is_logged_in(accounts, tokens)
        assert await _refusal_code(accounts, tokens) == "not_logged_in"
        assert await _is_logged_in(accounts, other)

    asyncio.run(play())
    assert [change.action for change in changes].count("logout") == 1


def test_logout_with_a_spent_refresh_token_ends_the_session_too(accounts: AccountService) -> None:
    async def play() -> None:
        spent = await first_admin(accounts)
        tokens = await _refresh(accounts, spent)
        await accounts.logins.log_out(SecretStr(spent.refresh_token), HOME)
        assert not await _is_logged_in(accounts, tokens)

    asyncio.run(play())


def test_disabling_ends_sessions_at_once_and_enabling_restores_none(accounts: AccountService) -> None:
    async def play() -> None:
        tokens = await create_inspector(accounts)
        assert await _is_logged_in(accounts, tokens)
        admin = await accounts.authenticate((await log_in(accounts, CHIEF)).access_token, HOME)
        user_id = tokens.payload.user.user_id
        await accounts.update_user(admin, user_id, UserUpdate(enabled=False))
        assert not await _is_logged_in(accounts, tokens)
        assert await _refusal_code(accounts, tokens) == "not_logged_in"
        assert not await accounts.may_log_in(user_id)
        with pytest.raises(Refusal, match="用户名或密码错误"):
            await log_in(accounts, INSPECTOR)
        with pytest.raises(Problem):
            await accounts.logins.log_in_user(user_id, ("face",), HOME)
        await accounts.update_user(admin, user_id, UserUpdate(enabled=True))
        assert not await _is_logged_in(accounts, tokens)
        assert await _is_logged_in(accounts, await log_in(accounts, INSPECTOR))

    asyncio.run(play())


def test_a_withdrawn_right_acts_at_once(accounts: AccountService) -> None:
    async def play() -> None:
        tokens = await create_inspector(accounts)
        caller = await accounts.authenticate(tokens.access_token, HOME)
        assert Permission.INSPECTION_ADD in caller.permissions
        admin = await accounts.authenticate((await log_in(accounts, CHIEF)).access_token, HOME)
        await accounts.update_user(admin, caller.user_id, UserUpdate(roles=[Role.VIEWER]))
        caller = await accounts.authenticate(tokens.access_token, HOME)
        assert Permission.INSPECTION_ADD not in caller.permissions
        assert (await accounts.me(caller)).role == [Role.VIEWER]

    asyncio.run(play())


def test_a_new_password_ends_the_other_sessions(accounts: AccountService) -> None:
    async def play() -> None:
        tokens, other = await create_inspector(accounts), await log_in(accounts, INSPECTOR)
        caller = await accounts.authenticate(tokens.access_token, HOME)
        await accounts.update_password(caller, SecretStr(INSPECTOR[1]), SecretStr("quite-another-one"))
        assert await _is_logged_in(accounts, tokens)
        assert not await _is_logged_in(accounts, other)
        assert await _refusal_code(accounts, other) == "not_logged_in"

    asyncio.run(play())


def test_a_password_set_by_the_admin_ends_every_session(accounts: AccountService) -> None:
    async def play() -> None:
        tokens = await create_inspector(accounts)
        admin = await accounts.authenticate((await log_in(accounts, CHIEF)).access_token, HOME)
        change = UserUpdate(password=SecretStr("quite-another-one"))
        await accounts.update_user(admin, tokens.payload.user.user_id, change)
        assert not await _is_logged_in(accounts, tokens)
        assert await _is_logged_in(accounts, await log_in(accounts, (INSPECTOR[0], "quite-another-one")))

    asyncio.run(play())


def test_another_process_that_ends_a_session_is_seen_at_once(
    accounts: AccountService, database_url: str, settings: Settings
) -> None:
    async def play() -> None:
        tokens = await create_inspector(accounts)
        assert await _is_logged_in(accounts, tokens)
        beside = Database(database_url)
        other = AccountService(beside, settings)
        try:
            assert await _is_logged_in(other, tokens)
            await other.logins.log_out(SecretStr(tokens.refresh_token), HOME)
        finally:
            other.close()
            beside.close()
        assert not await _is_logged_in(accounts, tokens)

    asyncio.run(play())


def test_face_login_has_its_method_and_no_recent_password(accounts: AccountService) -> None:
    async def play() -> None:
        user_id = (await first_admin(accounts)).payload.user.user_id
        tokens = await accounts.logins.log_in_user(user_id, ("face",), "10.0.0.9")
        caller = await accounts.authenticate(tokens.access_token, "10.0.0.9")
        assert (caller.methods, caller.password_at, caller.address) == (("face",), None, "10.0.0.9")

    asyncio.run(play())


def test_the_time_of_the_password_survives_a_refresh(accounts: AccountService, clock: Clock) -> None:
    async def play() -> None:
        # Access tokens are read by the real time.
        clock.forward(-300)
        tokens = await first_admin(accounts)
        login_at = clock.at
        clock.forward(60)
        caller = await accounts.authenticate((await _refresh(accounts, tokens)).access_token, HOME)
        assert caller.password_at == login_at

    asyncio.run(play())


def test_old_sessions_are_forgotten(accounts: AccountService, clock: Clock, database: Database) -> None:
    async def play() -> None:
        await first_admin(accounts)
        clock.forward(dt.timedelta(days=100).total_seconds())
        await log_in(accounts, CHIEF)

    asyncio.run(play())
    ids = database.read_now(lambda session: list(session.scalars(select(col(LoginSession.id)))))
    assert len(ids) == 1


def test_the_first_run_happens_once_however_many_ask(accounts: AccountService, database: Database) -> None:
    async def play() -> None:
        assert await accounts.needs_first_run()
        answers = await asyncio.gather(
            *(
                accounts.first_run(f"chief-{number}", SecretStr("correct-horse-battery"), None, HOME)
                for number in range(12)
            ),
            return_exceptions=True,
        )
        assert sum(isinstance(answer, Tokens) for answer in answers) == 1
        assert {answer.status for answer in answers if isinstance(answer, Problem)} == {409}
        assert not await accounts.needs_first_run()

    asyncio.run(play())
    names = database.read_now(lambda session: list(session.scalars(select(col(User.username)))))
    assert len(names) == 1


def test_two_admins_who_disable_each_other_at_once_leave_one(accounts: AccountService) -> None:
    async def play() -> None:
        tokens = await create_inspector(accounts)
        first = await accounts.authenticate((await log_in(accounts, CHIEF)).access_token, HOME)
        second = tokens.payload.user.user_id
        await accounts.update_user(first, second, UserUpdate(roles=[Role.ADMIN]))
        answers = await asyncio.gather(
            accounts.update_user(first, second, UserUpdate(enabled=False)),
            accounts.update_user(first, first.user_id, UserUpdate(roles=[Role.VIEWER])),
            return_exceptions=True,
        )
        refused = [answer for answer in answers if isinstance(answer, Problem)]
        assert [problem.msg for problem in refused] == ["必须保留至少一名启用的管理员"]

    asyncio.run(play())
