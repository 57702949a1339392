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
from shared.codes import Role
from shared.wire.account import Tokens, UserCreate

CHIEF = ("chief", "correct-horse-battery")
INSPECTOR = ("zhang", "pass-of-zhang-san")
HOME = "127.0.0.1"


@dataclass
class Clock:
    """A clock that stands until it is moved."""

    at: dt.datetime = field(default_factory=now)

    def __call__(self) -> dt.datetime:
        return self.at

    def forward(self, seconds: float) -> None:
        self.at += dt.timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def accounts(database: Database, settings: Settings, clock: Clock) -> Iterator[AccountService]:
    """The accounts alone, without users, on a clock that the test moves."""
    service = AccountService(database, settings, clock=clock)
    yield service
    service.close()


@pytest.fixture
def changes(database: Database) -> list[ObjectChange]:
    """What has been announced and committed."""
    announced: list[ObjectChange] = []
    database.after_commit.append(announced.extend)
    return announced


async def first_admin(accounts: AccountService, address: str = HOME) -> Tokens:
    """Create the first admin."""
    return await accounts.first_run(CHIEF[0], SecretStr(CHIEF[1]), None, address)


async def create_inspector(accounts: AccountService) -> Tokens:
    """Create the first admin and an inspector; gives the inspector's tokens."""
    admin = await accounts.authenticate((await first_admin(accounts)).access_token, HOME)
    body = UserCreate(username=INSPECTOR[0], password=SecretStr(INSPECTOR[1]), roles=[Role.INSPECTOR])
    await accounts.create_user(admin, body)
    return await log_in(accounts, INSPECTOR)


async def log_in(accounts: AccountService, who: tuple[str, str], address: str = HOME) -> Tokens:
    """Log in by password."""
    return await accounts.logins.log_in(who[0], SecretStr(who[1]), address)
