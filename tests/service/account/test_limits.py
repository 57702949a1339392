"""Guessing is slowed down, and the owner still gets in."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import SecretStr
from sqlalchemy import func, select
from sqlmodel import col

from service.account.limits import (
    ADDRESS_FREE_FAILURES,
    LONGEST_WAIT_SECONDS,
    PAIR_FREE_FAILURES,
    USER_FREE_FAILURES,
    wait_seconds,
)
from service.account.passwords import Passwords
from service.account.service import AccountService
from service.account.tables import LoginFailures
from service.changes import ObjectChange
from service.db.database import Database
from service.settings import Settings
from service.web.envelope import Problem, Refusal
from shared.wire.account import Tokens
from tests.service.account.conftest import (
    CHIEF,
    HOME,
    INSPECTOR,
    Clock,
    create_inspector,
    first_admin,
    log_in,
)

AWAY = "198.51.100.7"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def database_kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def _guess(accounts: AccountService, username: str, address: str, password: str = "wrong") -> str:
    """What a guess meets: `in`, `wrong`, or `wait`."""
    try:
        await log_in(accounts, (username, password), address)
    except Refusal:
        return "wrong"
    except Problem as problem:
        return "wait" if problem.status == 429 else "else"
    return "in"


def test_the_wait_doubles_up_to_a_quarter_of_an_hour() -> None:
    assert [wait_seconds(failures, 5) for failures in range(3, 12)] == [0, 0, 30, 60, 120, 240, 480, 900, 900]
    assert wait_seconds(10**6, 5) == LONGEST_WAIT_SECONDS


def test_sixth_attempt_is_429_with_the_time_to_wait(accounts: AccountService, clock: Clock) -> None:
    async def play() -> None:
        await first_admin(accounts)
        for _ in range(PAIR_FREE_FAILURES):
            assert await _guess(accounts, CHIEF[0], HOME) == "wrong"
        clock.forward(10.5)
        with pytest.raises(Problem) as caught:
            await log_in(accounts, CHIEF)
        problem = caught.value
        assert (problem.status, problem.error) == (429, "too_many_requests")
        assert problem.headers["Retry-After"] == "20"
        assert problem.details["retry_after"] == 20
        assert "20 秒" in problem.msg
        clock.forward(19.4)
        assert await _guess(accounts, CHIEF[0], HOME) == "wait"
        clock.forward(0.2)
        assert await _guess(accounts, CHIEF[0], HOME) == "wrong"
        clock.forward(59)
        assert await _guess(accounts, CHIEF[0], HOME, CHIEF[1]) == "wait"
        clock.forward(2)
        assert await _guess(accounts, CHIEF[0], HOME, CHIEF[1]) == "in"
        for _ in range(PAIR_FREE_FAILURES):
            assert await _guess(accounts, CHIEF[0], HOME) == "wrong"

    asyncio.run(play())


def test_a_clock_that_is_set_back_or_forward_locks_nobody_out(accounts: AccountService, clock: Clock) -> None:
    async def play() -> None:
        await first_admin(accounts)
        for _ in range(PAIR_FREE_FAILURES):
            assert await _guess(accounts, CHIEF[0], HOME) == "wrong"
        clock.forward(-3600)
        assert await _guess(accounts, CHIEF[0], HOME, CHIEF[1]) == "in"
        for _ in range(PAIR_FREE_FAILURES):
            assert await _guess(accounts, CHIEF[0], HOME) == "wrong"
        # A small step does not open what is to stay shut.
        clock.forward(-5)
        assert await _guess(accounts, CHIEF[0], HOME, CHIEF[1]) == "wait"
        clock.forward(24 * 3600)
        assert await _guess(accounts, CHIEF[0], HOME, CHIEF[1]) == "in"

    asyncio.run(play())


def test_however_the_name_is_written_it_counts_as_one(accounts: AccountService) -> None:
    async def play() -> None:
        await first_admin(accounts)
        for name in ("chief", "CHIEF", "ｃｈｉｅｆ", " Chief ", "cHIEF"):
            assert await _guess(accounts, name, HOME) == "wrong"
        assert await _guess(accounts, "Chief", HOME) == "wait"

    asyncio.run(play())


def test_attempts_at_once_are_counted_one_by_one(accounts: AccountService) -> None:
    async def play() -> None:
        await first_admin(accounts)
        outcomes = await asyncio.gather(*(_guess(accounts, CHIEF[0], AWAY) for _ in range(40)))
        assert sorted(outcomes) == ["wait"] * 35 + ["wrong"] * PAIR_FREE_FAILURES

    asyncio.run(play())


def test_many_names_at_once_are_counted_one_by_one(accounts: AccountService, clock: Clock) -> None:
    names = [f"name-{number}" for number in range(100)]

    async def play() -> None:
        await first_admin(accounts)
        outcomes = await asyncio.gather(*(_guess(accounts, name, AWAY) for name in names))
        assert (
            sorted(outcomes) == ["wait"] * (100 - ADDRESS_FREE_FAILURES) + ["wrong"] * ADDRESS_FREE_FAILURES
        )
        clock.forward(31)
        outcomes = await asyncio.gather(*(_guess(accounts, name, AWAY) for name in names))
        assert sorted(outcomes) == ["wait"] * 99 + ["wrong"]
        assert await _guess(accounts, CHIEF[0], AWAY, CHIEF[1]) == "wait"

    asyncio.run(play())


def test_overtaken_correct_password_is_not_revealed(
    accounts: AccountService,
    database: Database,
    settings: Settings,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    check = Passwords.check
    # Of another process: within one, names that share a lock wait for each other.
    others = AccountService(database, settings, clock=clock)

    async def overtaken(self: Passwords, password: str, stored: str | None) -> bool:
        monkeypatch.setattr(Passwords, "check", check)
        for number in range(ADDRESS_FREE_FAILURES):
            assert await _guess(others, f"name-{number}", AWAY) == "wrong"
        return await check(self, password, stored)

    async def play() -> None:
        await first_admin(accounts)
        monkeypatch.setattr(Passwords, "check", overtaken)
        assert await _guess(accounts, CHIEF[0], AWAY, CHIEF[1]) == "wait"
        assert await _guess(accounts, CHIEF[0], HOME, CHIEF[1]) == "in"

    asyncio.run(play())
    others.close()


def test_a_thousand_guesses_from_one_address_leave_the_owner_in(
    accounts: AccountService, clock: Clock
) -> None:
    async def play() -> None:
        await first_admin(accounts)
        outcomes = []
        for _ in range(1000):
            outcomes.append(await _guess(accounts, CHIEF[0], AWAY))
            clock.forward(0.3)
        assert "in" not in outcomes
        assert outcomes.count("wrong") <= 10
        assert await _guess(accounts, CHIEF[0], HOME, CHIEF[1]) == "in"

    asyncio.run(play())


def test_a_thousand_guesses_from_fifty_addresses_leave_the_owner_in(
    accounts: AccountService, clock: Clock
) -> None:
    async def play() -> None:
        await first_admin(accounts)
        outcomes = []
        for number in range(1000):
            outcomes.append(await _guess(accounts, CHIEF[0], f"203.0.113.{number % 50}"))
            clock.forward(0.3)
        assert outcomes.count("wrong") <= USER_FREE_FAILURES + 5
        assert await _guess(accounts, CHIEF[0], HOME, CHIEF[1]) == "in"
        assert await _guess(accounts, CHIEF[0], AWAY, CHIEF[1]) == "wait"
        clock.forward(LONGEST_WAIT_SECONDS)
        assert await _guess(accounts, CHIEF[0], AWAY, CHIEF[1]) == "in"

    asyncio.run(play())


def test_one_address_that_tries_many_users_is_slowed(accounts: AccountService) -> None:
    async def play() -> None:
        await first_admin(accounts)
        outcomes = [await _guess(accounts, f"user-{number}", AWAY) for number in range(40)]
        assert outcomes == ["wrong"] * 30 + ["wait"] * 10
        assert await _guess(accounts, CHIEF[0], HOME, CHIEF[1]) == "in"

    asyncio.run(play())


def test_correct_password_resets_only_the_failures_of_its_user(accounts: AccountService) -> None:
    """Else a guesser with an account of their own would begin again with it."""

    async def play() -> None:
        await create_inspector(accounts)
        for number in range(ADDRESS_FREE_FAILURES - 1):
            assert await _guess(accounts, f"user-{number}", AWAY) == "wrong"
        assert await _guess(accounts, INSPECTOR[0], AWAY, INSPECTOR[1]) == "in"
        assert await _guess(accounts, "one-more", AWAY) == "wrong"
        assert await _guess(accounts, CHIEF[0], AWAY, CHIEF[1]) == "wait"

    asyncio.run(play())


def test_the_addresses_of_one_ipv6_network_are_one_guesser(accounts: AccountService) -> None:
    async def play() -> None:
        await first_admin(accounts)
        outcomes = [await _guess(accounts, CHIEF[0], f"2001:db8:0:1::{number:x}") for number in range(8)]
        assert outcomes == ["wrong"] * PAIR_FREE_FAILURES + ["wait"] * 3
        assert await _guess(accounts, CHIEF[0], "2001:db8:0:2::1") == "wrong"

    asyncio.run(play())


def test_a_name_of_nobody_is_answered_and_limited_like_a_user(accounts: AccountService) -> None:
    async def play() -> None:
        await first_admin(accounts)
        for address in (AWAY, "198.51.100.8"):
            outcomes = {
                name: [await _guess(accounts, name, address) for _ in range(8)]
                for name in (CHIEF[0], "nobody")
            }
            assert outcomes[CHIEF[0]] == outcomes["nobody"]

    asyncio.run(play())


def test_failures_are_forgotten_after_a_day(
    accounts: AccountService, clock: Clock, database: Database
) -> None:
    async def play() -> None:
        await first_admin(accounts)
        for _ in range(4):
            await _guess(accounts, CHIEF[0], HOME)
        clock.forward(24 * 3600 + 1)
        for _ in range(4):
            assert await _guess(accounts, CHIEF[0], HOME) == "wrong"
        await _guess(accounts, "nobody", AWAY)
        assert await _guess(accounts, CHIEF[0], HOME, CHIEF[1]) == "in"

    asyncio.run(play())
    rows = database.read_now(lambda session: session.scalar(select(func.count(col(LoginFailures.key)))))
    assert rows == 3


def test_wrong_current_passwords_are_limited_too(accounts: AccountService, clock: Clock) -> None:
    async def play() -> None:
        tokens = await create_inspector(accounts)
        caller = await accounts.authenticate(tokens.access_token, HOME)
        new = SecretStr("quite-another-one")
        for _ in range(PAIR_FREE_FAILURES):
            with pytest.raises(Refusal, match="原密码错误"):
                await accounts.update_password(caller, SecretStr("wrong"), new)
        with pytest.raises(Problem) as caught:
            await accounts.update_password(caller, SecretStr(INSPECTOR[1]), new)
        assert caught.value.status == 429
        clock.forward(30)
        await accounts.update_password(caller, SecretStr(INSPECTOR[1]), new)

    asyncio.run(play())


def test_typed_password_is_neither_stored_nor_logged(
    accounts: AccountService, database: Database, changes: list[ObjectChange]
) -> None:
    canary = "Canary-typed-into-the-name"

    async def play() -> Tokens:
        tokens = await first_admin(accounts)
        await _guess(accounts, canary, AWAY, canary)
        await _guess(accounts, CHIEF[0], AWAY, canary)
        return tokens

    tokens = asyncio.run(play())
    failed = [change for change in changes if change.action == "login_failed"]
    assert [change.object_id for change in failed] == [None, tokens.payload.user.user_id]
    assert all(change.address == AWAY for change in failed)
    announced = repr(changes)
    for secret in (canary, CHIEF[1], tokens.access_token, tokens.refresh_token):
        assert secret.lower() not in announced.lower()
    rows = database.read_now(lambda session: list(session.scalars(select(col(LoginFailures.key)))))
    assert len(rows) == 5
    assert all(canary.lower() not in key for key in rows)
