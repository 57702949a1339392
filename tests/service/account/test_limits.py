"""Tests that repeated wrong passwords must wait, and that the owner can still log in."""

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
from tests.service.account.conftest import (
    CHIEF_LOGIN,
    HOME_ADDRESS,
    INSPECTOR_LOGIN,
    SettableClock,
    create_first_admin,
    create_inspector,
    log_in,
)

OTHER_ADDRESS = "198.51.100.7"

pytestmark = pytest.mark.both_databases


async def _try_login(accounts: AccountService, username: str, address: str, password: str = "wrong") -> str:
    """Try a login; returns `in`, `wrong` or `wait`."""
    try:
        await log_in(accounts, (username, password), address)
    except Refusal:
        return "wrong"
    except Problem as problem:
        return "wait" if problem.status == 429 else "else"
    return "in"


def test_wait_doubles_up_to_a_quarter_of_an_hour() -> None:
    assert [wait_seconds(failures, 5) for failures in range(3, 12)] == [0, 0, 30, 60, 120, 240, 480, 900, 900]
    assert wait_seconds(10**6, 5) == LONGEST_WAIT_SECONDS


async def test_sixth_attempt_is_429_with_the_time_to_wait(
    accounts: AccountService, clock: SettableClock
) -> None:
    await create_first_admin(accounts)
    for _ in range(PAIR_FREE_FAILURES):
        assert await _try_login(accounts, CHIEF_LOGIN[0], HOME_ADDRESS) == "wrong"
    clock.advance(10.5)
    with pytest.raises(Problem) as caught:
        await log_in(accounts, CHIEF_LOGIN)
    problem = caught.value
    assert (problem.status, problem.error) == (429, "too_many_requests")
    assert problem.headers["Retry-After"] == "20"
    assert problem.details["retry_after"] == 20
    assert "20 秒" in problem.msg
    clock.advance(19.4)
    assert await _try_login(accounts, CHIEF_LOGIN[0], HOME_ADDRESS) == "wait"
    clock.advance(0.2)
    assert await _try_login(accounts, CHIEF_LOGIN[0], HOME_ADDRESS) == "wrong"
    clock.advance(59)
    assert await _try_login(accounts, CHIEF_LOGIN[0], HOME_ADDRESS, CHIEF_LOGIN[1]) == "wait"
    clock.advance(2)
    assert await _try_login(accounts, CHIEF_LOGIN[0], HOME_ADDRESS, CHIEF_LOGIN[1]) == "in"
    for _ in range(PAIR_FREE_FAILURES):
        assert await _try_login(accounts, CHIEF_LOGIN[0], HOME_ADDRESS) == "wrong"


async def test_changed_clock_locks_no_user_out(accounts: AccountService, clock: SettableClock) -> None:
    await create_first_admin(accounts)
    for _ in range(PAIR_FREE_FAILURES):
        assert await _try_login(accounts, CHIEF_LOGIN[0], HOME_ADDRESS) == "wrong"
    clock.advance(-3600)
    assert await _try_login(accounts, CHIEF_LOGIN[0], HOME_ADDRESS, CHIEF_LOGIN[1]) == "in"
    for _ in range(PAIR_FREE_FAILURES):
        assert await _try_login(accounts, CHIEF_LOGIN[0], HOME_ADDRESS) == "wrong"
    # A small step back does not end a wait.
    clock.advance(-5)
    assert await _try_login(accounts, CHIEF_LOGIN[0], HOME_ADDRESS, CHIEF_LOGIN[1]) == "wait"
    clock.advance(24 * 3600)
    assert await _try_login(accounts, CHIEF_LOGIN[0], HOME_ADDRESS, CHIEF_LOGIN[1]) == "in"


async def test_forms_of_a_username_count_as_one(accounts: AccountService) -> None:
    await create_first_admin(accounts)
    for name in ("chief", "CHIEF", "ｃｈｉｅｆ", " Chief ", "cHIEF"):
        assert await _try_login(accounts, name, HOME_ADDRESS) == "wrong"
    assert await _try_login(accounts, "Chief", HOME_ADDRESS) == "wait"


async def test_parallel_attempts_are_all_counted(accounts: AccountService) -> None:
    await create_first_admin(accounts)
    outcomes = await asyncio.gather(*(_try_login(accounts, CHIEF_LOGIN[0], OTHER_ADDRESS) for _ in range(40)))
    assert sorted(outcomes) == ["wait"] * 35 + ["wrong"] * PAIR_FREE_FAILURES


async def test_parallel_attempts_with_many_names_are_all_counted(
    accounts: AccountService, clock: SettableClock
) -> None:
    names = [f"name-{number}" for number in range(100)]
    await create_first_admin(accounts)
    outcomes = await asyncio.gather(*(_try_login(accounts, name, OTHER_ADDRESS) for name in names))
    assert sorted(outcomes) == ["wait"] * (100 - ADDRESS_FREE_FAILURES) + ["wrong"] * ADDRESS_FREE_FAILURES
    clock.advance(31)
    outcomes = await asyncio.gather(*(_try_login(accounts, name, OTHER_ADDRESS) for name in names))
    assert sorted(outcomes) == ["wait"] * 99 + ["wrong"]
    assert await _try_login(accounts, CHIEF_LOGIN[0], OTHER_ADDRESS, CHIEF_LOGIN[1]) == "wait"


async def test_overtaken_correct_password_is_not_revealed(
    accounts: AccountService,
    database: Database,
    settings: Settings,
    clock: SettableClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    check = Passwords.check
    # In another process: within a process, names that share a lock wait for each other.
    others = AccountService(database, settings, clock=clock)

    async def check_and_fail_others(self: Passwords, password: str, stored: str | None) -> bool:
        monkeypatch.setattr(Passwords, "check", check)
        for number in range(ADDRESS_FREE_FAILURES):
            assert await _try_login(others, f"name-{number}", OTHER_ADDRESS) == "wrong"
        return await check(self, password, stored)

    await create_first_admin(accounts)
    monkeypatch.setattr(Passwords, "check", check_and_fail_others)
    assert await _try_login(accounts, CHIEF_LOGIN[0], OTHER_ADDRESS, CHIEF_LOGIN[1]) == "wait"
    assert await _try_login(accounts, CHIEF_LOGIN[0], HOME_ADDRESS, CHIEF_LOGIN[1]) == "in"
    others.close()


async def test_thousand_guesses_from_one_address_do_not_lock_the_owner_out(
    accounts: AccountService, clock: SettableClock
) -> None:
    await create_first_admin(accounts)
    outcomes = []
    for _ in range(1000):
        outcomes.append(await _try_login(accounts, CHIEF_LOGIN[0], OTHER_ADDRESS))
        clock.advance(0.3)
    assert "in" not in outcomes
    assert outcomes.count("wrong") <= 10
    assert await _try_login(accounts, CHIEF_LOGIN[0], HOME_ADDRESS, CHIEF_LOGIN[1]) == "in"


async def test_thousand_guesses_from_fifty_addresses_do_not_lock_the_owner_out(
    accounts: AccountService, clock: SettableClock
) -> None:
    await create_first_admin(accounts)
    outcomes = []
    for number in range(1000):
        outcomes.append(await _try_login(accounts, CHIEF_LOGIN[0], f"203.0.113.{number % 50}"))
        clock.advance(0.3)
    assert outcomes.count("wrong") <= USER_FREE_FAILURES + 5
    assert await _try_login(accounts, CHIEF_LOGIN[0], HOME_ADDRESS, CHIEF_LOGIN[1]) == "in"
    assert await _try_login(accounts, CHIEF_LOGIN[0], OTHER_ADDRESS, CHIEF_LOGIN[1]) == "wait"
    clock.advance(LONGEST_WAIT_SECONDS)
    assert await _try_login(accounts, CHIEF_LOGIN[0], OTHER_ADDRESS, CHIEF_LOGIN[1]) == "in"


async def test_address_that_tries_many_users_must_wait(accounts: AccountService) -> None:
    await create_first_admin(accounts)
    outcomes = [await _try_login(accounts, f"user-{number}", OTHER_ADDRESS) for number in range(40)]
    assert outcomes == ["wrong"] * 30 + ["wait"] * 10
    assert await _try_login(accounts, CHIEF_LOGIN[0], HOME_ADDRESS, CHIEF_LOGIN[1]) == "in"


async def test_correct_password_resets_only_the_failures_of_its_user(accounts: AccountService) -> None:
    """Otherwise an attacker with an account could reset the limit of an address."""

    await create_inspector(accounts)
    for number in range(ADDRESS_FREE_FAILURES - 1):
        assert await _try_login(accounts, f"user-{number}", OTHER_ADDRESS) == "wrong"
    assert await _try_login(accounts, INSPECTOR_LOGIN[0], OTHER_ADDRESS, INSPECTOR_LOGIN[1]) == "in"
    assert await _try_login(accounts, "one-more", OTHER_ADDRESS) == "wrong"
    assert await _try_login(accounts, CHIEF_LOGIN[0], OTHER_ADDRESS, CHIEF_LOGIN[1]) == "wait"


async def test_addresses_of_one_ipv6_network_count_as_one(accounts: AccountService) -> None:
    await create_first_admin(accounts)
    outcomes = [
        await _try_login(accounts, CHIEF_LOGIN[0], f"2001:db8:0:1::{number:x}") for number in range(8)
    ]
    assert outcomes == ["wrong"] * PAIR_FREE_FAILURES + ["wait"] * 3
    assert await _try_login(accounts, CHIEF_LOGIN[0], "2001:db8:0:2::1") == "wrong"


async def test_unknown_username_is_answered_and_limited_like_a_user(accounts: AccountService) -> None:
    await create_first_admin(accounts)
    for address in (OTHER_ADDRESS, "198.51.100.8"):
        outcomes = {
            name: [await _try_login(accounts, name, address) for _ in range(8)]
            for name in (CHIEF_LOGIN[0], "nobody")
        }
        assert outcomes[CHIEF_LOGIN[0]] == outcomes["nobody"]


async def test_failures_expire_after_a_day(
    accounts: AccountService, clock: SettableClock, database: Database
) -> None:
    await create_first_admin(accounts)
    for _ in range(4):
        await _try_login(accounts, CHIEF_LOGIN[0], HOME_ADDRESS)
    clock.advance(24 * 3600 + 1)
    for _ in range(4):
        assert await _try_login(accounts, CHIEF_LOGIN[0], HOME_ADDRESS) == "wrong"
    await _try_login(accounts, "nobody", OTHER_ADDRESS)
    assert await _try_login(accounts, CHIEF_LOGIN[0], HOME_ADDRESS, CHIEF_LOGIN[1]) == "in"
    rows = database.read_now(lambda session: session.scalar(select(func.count(col(LoginFailures.key)))))
    assert rows == 3


async def test_wrong_current_passwords_are_limited_too(
    accounts: AccountService, clock: SettableClock
) -> None:
    tokens = await create_inspector(accounts)
    caller = await accounts.authenticate(tokens.access_token, HOME_ADDRESS)
    new = SecretStr("quite-another-one")
    for _ in range(PAIR_FREE_FAILURES):
        with pytest.raises(Refusal, match="原密码错误"):
            await accounts.update_password(caller, SecretStr("wrong"), new)
    with pytest.raises(Problem) as caught:
        await accounts.update_password(caller, SecretStr(INSPECTOR_LOGIN[1]), new)
    assert caught.value.status == 429
    clock.advance(30)
    await accounts.update_password(caller, SecretStr(INSPECTOR_LOGIN[1]), new)


async def test_typed_password_is_neither_stored_nor_logged(
    accounts: AccountService, database: Database, changes: list[ObjectChange]
) -> None:
    password = "Canary-typed-into-the-name"
    tokens = await create_first_admin(accounts)
    await _try_login(accounts, password, OTHER_ADDRESS, password)
    await _try_login(accounts, CHIEF_LOGIN[0], OTHER_ADDRESS, password)
    failed = [change for change in changes if change.action == "login_failed"]
    assert [change.object_id for change in failed] == [None, tokens.payload.user.user_id]
    assert all(change.address == OTHER_ADDRESS for change in failed)
    announced = repr(changes)
    for secret in (password, CHIEF_LOGIN[1], tokens.access_token, tokens.refresh_token):
        assert secret.lower() not in announced.lower()
    rows = database.read_now(lambda session: list(session.scalars(select(col(LoginFailures.key)))))
    assert len(rows) == 5
    assert all(password.lower() not in key for key in rows)
