"""What a profile, a user name and an address may be."""

from __future__ import annotations

from typing import Any

import pytest

from service.account.rules import (
    PROFILE_SENTENCES,
    CredentialFault,
    ProfileFaultError,
    profile_changes,
    username_fault,
    username_key,
)
from shared.limits import MAX_USERNAME


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "长" * 255),
        ("department", "d" * 255),
        ("gender", "g" * 32),
        ("work_years", 0),
        ("work_years", 80),
        ("email", "a@b.c"),
        ("email", "a" * 250 + "@b.c"),
        ("phone", "12345"),
        ("phone", "+86 (10) 1234-5678"),
        ("phone", "1" * 32),
    ],
)
def test_a_profile_takes_values_up_to_their_limits(field: str, value: object) -> None:
    assert profile_changes({field: value}) == {field: value}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "长" * 256),
        ("name", 7),
        ("department", "d" * 256),
        ("department", ["d"]),
        ("gender", "g" * 33),
        ("gender", True),
        ("work_years", -1),
        ("work_years", 81),
        ("work_years", "5"),
        ("work_years", 5.0),
        ("work_years", True),
        ("email", "a" * 251 + "@b.c"),
        ("email", "nobody"),
        ("email", "a@b"),
        ("email", "a b@c.d"),
        ("email", 7),
        ("phone", "1234"),
        ("phone", "1" * 33),
        ("phone", "12345x"),
        ("phone", "-12345"),
        ("phone", 12345),
    ],
)
def test_a_profile_beyond_its_limits_is_refused_by_the_field(field: str, value: object) -> None:
    with pytest.raises(ProfileFaultError) as caught:
        profile_changes({"name": "李", field: value})
    assert str(caught.value) == f"{field}：{PROFILE_SENTENCES[field]}"
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("field", ["email", "phone", "name", "gender", "department"])
def test_blanks_around_a_text_are_dropped_and_an_empty_one_clears_the_field(field: str) -> None:
    value = {"email": "a@b.c", "phone": "12345"}.get(field, "x")
    assert profile_changes({field: f" {value}\t"}) == {field: value}
    for empty in ("", None):
        assert profile_changes({field: empty}) == {field: None}


@pytest.mark.parametrize("blanks", [" ", "\t", "\u3000 \n"])
def test_a_name_of_blanks_is_refused(blanks: str) -> None:
    with pytest.raises(ProfileFaultError):
        profile_changes({"name": blanks})


def test_only_fields_of_the_profile_that_were_sent_change() -> None:
    body: dict[str, Any] = {"username": "root", "enabled": False, "work_years": None, "faceInfo": "x"}
    assert profile_changes(body) == {"work_years": None}
    assert profile_changes({}) == {}


@pytest.mark.parametrize(
    ("username", "fault"),
    [
        ("a", None),
        ("名" * MAX_USERNAME, None),
        (f" {'a' * MAX_USERNAME} ", None),
        ("a" * (MAX_USERNAME + 1), CredentialFault.USERNAME_LENGTH),
        ("", CredentialFault.USERNAME_LENGTH),
        ("  ", CredentialFault.USERNAME_LENGTH),
        ("a b", CredentialFault.USERNAME_CHARACTERS),
        ("a\u200bb", CredentialFault.USERNAME_CHARACTERS),
        ("a\x00b", CredentialFault.USERNAME_CHARACTERS),
        ("a\u2028b", CredentialFault.USERNAME_CHARACTERS),
    ],
)
def test_user_names(username: str, fault: CredentialFault | None) -> None:
    assert username_fault(username) is fault


def test_case_and_width_make_no_other_user() -> None:
    assert {username_key(name) for name in ("chief", "CHIEF", "ｃｈｉｅｆ", " Chief ")} == {"chief"}
    assert username_key("Straße") == username_key("STRASSE")
