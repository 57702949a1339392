from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from pydantic import SecretStr

from service.account.service import AccountService
from service.changes import ObjectChange
from service.db.database import Database, now
from service.settings import Settings
from shared.record.codes import Role
from shared.wire.account import Tokens, UserCreate

CHIEF_LOGIN = ("chief", "correct-horse-battery")
INSPECTOR_LOGIN = ("zhang", "pass-of-zhang-san")
HOME_ADDRESS = "127.0.0.1"


@dataclass
class SettableClock:
    """A clock that stands still until a test advances it."""

    at: dt.datetime = field(default_factory=now)

    def __call__(self) -> dt.datetime:
        return self.at

    def advance(self, seconds: float) -> None:
        self.at += dt.timedelta(seconds=seconds)


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock()


@pytest.fixture
def accounts(database: Database, settings: Settings, clock: SettableClock) -> Iterator[AccountService]:
    """The account service without users, with a clock that the test advances."""
    service = AccountService(database, settings, clock=clock)
    yield service
    service.close()


@pytest.fixture
def changes(database: Database) -> list[ObjectChange]:
    """The changes that were announced and committed."""
    announced: list[ObjectChange] = []
    database.after_commit.append(announced.extend)
    return announced


async def create_first_admin(accounts: AccountService, address: str = HOME_ADDRESS) -> Tokens:
    """Create the first administrator."""
    return await accounts.first_run(CHIEF_LOGIN[0], SecretStr(CHIEF_LOGIN[1]), None, address)


async def create_inspector(accounts: AccountService) -> Tokens:
    """Create the first administrator and an inspector, and return the inspector's tokens."""
    admin = await accounts.authenticate((await create_first_admin(accounts)).access_token, HOME_ADDRESS)
    body = UserCreate(
        username=INSPECTOR_LOGIN[0], password=SecretStr(INSPECTOR_LOGIN[1]), roles=[Role.INSPECTOR]
    )
    await accounts.create_user(admin, body)
    return await log_in(accounts, INSPECTOR_LOGIN)


async def log_in(accounts: AccountService, who: tuple[str, str], address: str = HOME_ADDRESS) -> Tokens:
    """Log in with a password."""
    return await accounts.logins.log_in(who[0], SecretStr(who[1]), address)
