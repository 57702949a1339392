from __future__ import annotations

import asyncio
from collections.abc import Callable

import bcrypt
import pytest
from sqlalchemy import select, update
from sqlmodel import col

from service.account.passwords import Passwords, hash_password
from service.account.rules import (
    FAULT_SENTENCES,
    CredentialFault,
    password_fault,
    username_fault,
    username_key,
)
from service.account.service import AccountService
from service.account.tables import User
from service.db.database import Database
from service.settings import Settings
from shared.limits import MAX_USERNAME
from tests.service.account.conftest import CHIEF_LOGIN, create_first_admin, log_in


@pytest.fixture(scope="module")
def passwords() -> Passwords:
    return Passwords(4)


def _check(passwords: Passwords, password: str, stored: str | None) -> bool:
    return asyncio.run(passwords.check(password, stored))


@pytest.mark.parametrize("length", [71, 72, 73, 128, 1000])
def test_every_character_of_a_password_counts(passwords: Passwords, length: int) -> None:
    password = "长" * length
    stored = hash_password(password, 4)
    assert _check(passwords, password, stored)
    assert not _check(passwords, password[:-1], stored)
    assert not _check(passwords, password[:-1] + "短", stored)


def test_nul_does_not_end_the_password(passwords: Passwords) -> None:
    stored = hash_password("before\x00after", 4)
    assert not _check(passwords, "before\x00other", stored)
    assert not _check(passwords, "before", stored)


def test_password_in_another_unicode_form_is_correct(passwords: Passwords) -> None:
    assert _check(passwords, "pass-e\u0301te\u0301-１２", hash_password("pass-\u00e9t\u00e9-12", 4))


def test_invalid_unicode_is_a_wrong_password(passwords: Passwords) -> None:
    assert not _check(passwords, "\ud800", hash_password("correct-horse", 4))


def test_decoy_hash_matches_no_password_and_costs_a_full_hash(
    passwords: Passwords, monkeypatch: pytest.MonkeyPatch
) -> None:
    costs = []
    original_check = bcrypt.checkpw

    def counted_check(password: bytes, stored: bytes) -> bool:
        costs.append(stored[4:6])
        return original_check(password, stored)

    monkeypatch.setattr(bcrypt, "checkpw", counted_check)
    assert not _check(passwords, "correct-horse", None)
    assert not _check(passwords, "correct-horse", hash_password("another-horse", 4))
    assert costs == [b"04", b"04"]


def test_start_computes_no_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    salts: list[bytes] = []

    def note_salt(_password: bytes, salt: bytes) -> bytes:
        salts.append(salt)
        return salt

    monkeypatch.setattr(bcrypt, "hashpw", note_salt)
    Passwords(4).close()
    assert salts == []


@pytest.mark.parametrize("right", [True, False])
def test_check_of_an_older_hash_takes_as_many_rounds_as_a_new_one(
    right: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    today = Passwords(7)
    rounds = []
    for name in ("checkpw", "hashpw"):
        original_check = getattr(bcrypt, name)

        def counted_check(
            password: bytes, salt: bytes, original_check: Callable[[bytes, bytes], object] = original_check
        ) -> object:
            rounds.append(2 ** int(salt[4:6]))
            return original_check(password, salt)

        monkeypatch.setattr(bcrypt, name, counted_check)
    older, newest = hash_password("correct-horse", 4), hash_password("correct-horse", 7)
    for stored in (older, newest, None):
        rounds.clear()
        attempt = "correct-horse" if right else "another-horse"
        assert _check(today, attempt, stored) is (right and stored is not None)
        assert sum(rounds) == 2**7
    today.close()


def test_equal_passwords_have_different_hashes() -> None:
    assert hash_password("correct-horse", 4) != hash_password("correct-horse", 4)


def test_default_cost_is_twelve() -> None:
    assert Settings.model_fields["bcrypt_cost"].default == 12


def test_login_renews_a_hash_of_lower_cost(
    database: Database, settings: Settings, accounts: AccountService
) -> None:
    def read_hash() -> str:
        return database.read_now(lambda session: session.scalars(select(col(User.password_hash))).one())

    asyncio.run(create_first_admin(accounts))
    assert read_hash().startswith("$2b$04$")
    costlier_service = AccountService(database, settings.model_copy(update={"bcrypt_cost": 5}))
    try:
        asyncio.run(log_in(costlier_service, CHIEF_LOGIN))
        assert read_hash().startswith("$2b$05$")
        new_hash = read_hash()
        asyncio.run(log_in(costlier_service, CHIEF_LOGIN))
        asyncio.run(log_in(accounts, CHIEF_LOGIN))
        assert read_hash() == new_hash
    finally:
        costlier_service.close()


def test_login_during_a_password_change_is_refused(
    database: Database, accounts: AccountService, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(create_first_admin(accounts))
    real = Passwords.check

    async def check_slowly(self: Passwords, password: str, stored: str | None) -> bool:
        right = await real(self, password, stored)
        other = hash_password("quite-another-one", 4)
        database.write_now(lambda session: session.execute(update(User).values(password_hash=other)))
        return right

    monkeypatch.setattr(Passwords, "check", check_slowly)
    with pytest.raises(Exception, match="用户名或密码错误"):
        asyncio.run(log_in(accounts, CHIEF_LOGIN))


@pytest.mark.parametrize(
    ("password", "fault"),
    [
        ("1234567", CredentialFault.PASSWORD_LENGTH),
        ("x" * 7 + "y", None),
        ("长" * 128, None),
        ("xy" * 64 + "z", CredentialFault.PASSWORD_LENGTH),
        ("12345678", CredentialFault.PASSWORD_COMMON),
        ("ＰＡＳＳＷＯＲＤ", CredentialFault.PASSWORD_COMMON),
        ("Summer2026", CredentialFault.PASSWORD_COMMON),
        ("admin@123", CredentialFault.PASSWORD_COMMON),
        ("iloveyou!", CredentialFault.PASSWORD_COMMON),
        ("Inspector-Zhang", CredentialFault.PASSWORD_IS_USERNAME),
        ("pass-of-inspector-zhang", None),
        ("correct-horse-battery", None),
    ],
)
def test_rules_of_a_new_password(password: str, fault: CredentialFault | None) -> None:
    assert password_fault(password, "inspector-zhang") == fault


@pytest.mark.parametrize(
    ("username", "fault"),
    [
        ("a", None),
        ("zhang", None),
        ("张伟", None),
        ("a.b+c@d", None),
        ("x" * MAX_USERNAME, None),
        ("名" * MAX_USERNAME, None),
        (f" {'x' * MAX_USERNAME} ", None),
        ("x" * (MAX_USERNAME + 1), CredentialFault.USERNAME_LENGTH),
        ("", CredentialFault.USERNAME_LENGTH),
        ("  ", CredentialFault.USERNAME_LENGTH),
        ("a b", CredentialFault.USERNAME_CHARACTERS),
        ("a\u200bb", CredentialFault.USERNAME_CHARACTERS),
        ("a\u2028b", CredentialFault.USERNAME_CHARACTERS),
        ("a\u202eb", CredentialFault.USERNAME_CHARACTERS),
        ("a\nb", CredentialFault.USERNAME_CHARACTERS),
        ("a\x00b", CredentialFault.USERNAME_CHARACTERS),
        ("a\ud800b", CredentialFault.USERNAME_CHARACTERS),
    ],
)
def test_rules_of_a_username(username: str, fault: CredentialFault | None) -> None:
    assert username_fault(username) == fault


def test_every_fault_has_a_sentence() -> None:
    assert set(FAULT_SENTENCES) == set(CredentialFault)


@pytest.mark.parametrize("same", ["Zhang", "zhang", "ZHANG", "Ｚhang", " zhang "])
def test_equivalent_usernames(same: str) -> None:
    assert username_key(same) == "zhang"


def test_composed_and_folded_usernames_are_equal() -> None:
    assert username_key("E\u0301lodie") == username_key("\u00e9LODIE")
    assert username_key("STRASSE") == username_key("straße")
    assert username_key("zhang") != username_key("zhang1")
